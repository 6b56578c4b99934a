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

/// All that is known of a memory.
pub(super) fn whole(one: &Memory) -> Value {
    let mut data = memory(one);
    if let Value::Object(data) = &mut data {
        data.insert("strength".to_owned(), json!(one.strength));
        data.insert("recalls".to_owned(), json!(one.recalls));
        data.insert("source_conversation".to_owned(), json!(one.source_conversation));
        data.insert("source_message".to_owned(), json!(one.source_message));
        data.insert("merged_from".to_owned(), json!(one.merged_from));
        data.insert("history".to_owned(), json!(one.history));
    }
    data
}
