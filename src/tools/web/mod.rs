//! The web: pages and search.

mod answer;
mod robots;
mod web_fetch;
mod web_search;

use satchel_engine::tool::Tool;

/// Every tool of the category.
pub(super) fn tools() -> Vec<Tool> {
    vec![web_fetch::tool(), web_search::tool()]
}
