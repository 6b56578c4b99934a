//! A memory as the memory tools give it back.

use serde_json::{Value, json};

use satchel_engine::context::Context;
use satchel_model::memory::Memory;

/// A memory as a model is shown it; `key` is what memory_get takes. What is from outside in it came into the run.
pub(super) fn memory(cx: &Context, memory: &Memory) -> Value {
    cx.taint().note(memory.origin.clone());
    let mut data = json!({
        "key": memory.key,
        "content": memory.content,
        "category": memory.category,
        "layer": memory.layer,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
    });
    if let (Value::Object(data), Some(origin)) = (&mut data, &memory.origin) {
        data.insert("origin".to_owned(), json!(origin));
    }
    data
}

/// All that is known of a memory.
pub(super) fn whole(cx: &Context, one: &Memory) -> Value {
    let mut data = memory(cx, one);
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
