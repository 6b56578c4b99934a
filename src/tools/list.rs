//! All built-in tools.

use super::{agents, data};
use crate::engine::tool::Tool;

/// Every built-in tool, by category.
pub fn all() -> Vec<Tool> {
    [data::tools(), agents::tools()].into_iter().flatten().collect()
}
