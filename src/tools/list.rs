//! All built-in tools.

use super::{agents, data, memory, operations};
use crate::engine::tool::Tool;

/// Every built-in tool, by category.
pub fn all() -> Vec<Tool> {
    let mut all = data::tools();
    all.extend(memory::tools());
    all.extend(operations::tools());
    all.extend(agents::tools());
    all
}
