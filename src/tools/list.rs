//! All built-in tools.

use super::{agents, data, desktop, files, processes};
use crate::engine::tool::Tool;

/// Every built-in tool, by category.
pub fn all() -> Vec<Tool> {
    [data::tools(), files::tools(), processes::tools(), desktop::tools(), agents::tools()]
        .into_iter()
        .flatten()
        .collect()
}
