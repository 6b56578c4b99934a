//! The tools of a person's desktop.

mod clipboard_read;
mod clipboard_write;
mod search;

use satchel_engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![clipboard_read::tool(), clipboard_write::tool(), search::tool()]
}
