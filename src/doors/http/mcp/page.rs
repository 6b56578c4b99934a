//! Results that clients may keep for a while, as each revision has them.

use serde_json::{Value, json};

use crate::http::protocol::revision::Revision;

/// One page of a list.
pub(super) fn of(revision: Revision, name: &str, items: Vec<Value>, next: Option<String>) -> Value {
    let mut page = json!({});
    if let Some(page) = page.as_object_mut() {
        page.insert(name.to_owned(), Value::Array(items));
        page.extend(next.map(|next| ("nextCursor".to_owned(), Value::String(next))));
    }
    cached(revision, page)
}

/// A result that is the caller's alone, and may be another one at any time.
pub(super) fn cached(revision: Revision, result: Value) -> Value {
    let mut result = complete(revision, result);
    if let (true, Some(result)) = (revision.is_stateless(), result.as_object_mut()) {
        result.insert("ttlMs".to_owned(), json!(0));
        result.insert("cacheScope".to_owned(), json!("private"));
    }
    result
}

/// A result that is whole.
pub(super) fn complete(revision: Revision, mut result: Value) -> Value {
    if let (true, Some(result)) = (revision.is_stateless(), result.as_object_mut()) {
        result.insert("resultType".to_owned(), json!("complete"));
    }
    result
}
