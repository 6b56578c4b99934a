//! The tools of a person's memories and lists.

mod list;
mod memory_get;
mod recall_memories;
mod reflect;
mod save_memory;
mod shown;

use satchel_engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![save_memory::tool(), recall_memories::tool(), memory_get::tool(), reflect::tool(), list::tool()]
}
