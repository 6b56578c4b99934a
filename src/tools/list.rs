//! All built-in tools.

use super::{data, memory};
use crate::engine::tool::Tool;

/// Every built-in tool, by category.
pub fn all() -> Vec<Tool> {
    [
        data::tools(),
        memory::tools(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
