//! Search in documents, and the documents themselves.

mod document;
mod search_knowledge;

use crate::engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![search_knowledge::tool(), document::tool()]
}
