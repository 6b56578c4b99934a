//! Tools that find and run tools.

mod find_tools;

use crate::engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![find_tools::tool()]
}
