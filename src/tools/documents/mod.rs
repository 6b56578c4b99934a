//! Documents of the workspace: read, made, changed, converted.

mod document_convert;
mod document_create;
mod document_modify;
mod document_read;
mod storage;

use satchel_engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![document_read::tool(), document_create::tool(), document_modify::tool(), document_convert::tool()]
}
