//! Tools that find and run tools.

mod find_tools;
mod parallel;

use crate::engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![find_tools::tool(), parallel::tool()]
}
