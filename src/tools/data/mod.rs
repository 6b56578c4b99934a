//! Shaping what other tools returned.

mod calculator;

use crate::engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![calculator::tool()]
}
