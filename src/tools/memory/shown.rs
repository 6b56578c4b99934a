//! A memory as the memory tools give it back.

use serde_json::{Value, json};

use crate::model::memory::Memory;

/// What a model needs of a memory; `key` is what memory_get takes.
pub(super) fn memory(memory: &Memory) -> Value {
    json!({
        "key": memory.key,
        "content": memory.content,
        "category": memory.category,
        "layer": memory.layer,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
    })
}
