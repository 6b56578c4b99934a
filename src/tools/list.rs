//! All built-in tools.

use super::{agents, data, desktop, files, memory, operations, processes};
use crate::engine::tool::Tool;

/// Every built-in tool, by category.
pub fn all() -> Vec<Tool> {
    [
        data::tools(),
        files::tools(),
        processes::tools(),
        desktop::tools(),
        memory::tools(),
        operations::tools(),
        agents::tools(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
