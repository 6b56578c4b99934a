//! Coverage of arguments: a rule that allows names every one that is given and is not as by default.

use serde_json::Value;

use super::When;
use crate::json::canonical;

/// Returns whether every argument given is named in `when`, or equals its default.
pub(super) fn is_covered(when: &When, arguments: &Value, schema: &Value) -> bool {
    let Value::Object(given) = arguments else { return false };
    given.iter().all(|(name, value)| {
        let pointer = format!("/{}", escape(name));
        let usual = default_at(schema, &pointer);
        let is_usual = usual.map_or(value.is_null(), |usual| canonical(usual) == canonical(value));
        is_usual || is_named(when, &pointer, value)
    })
}

fn is_named(when: &When, pointer: &str, value: &Value) -> bool {
    if when.contains_key(pointer) {
        return true;
    }
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().all(|(name, member)| is_named(when, &format!("{pointer}/{}", escape(name)), member))
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().all(|(at, item)| is_named(when, &format!("{pointer}/{at}"), item))
        }
        _ => false,
    }
}

/// The default of an argument at the top level, as the schema has it.
pub(super) fn default_at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    let name = pointer.strip_prefix('/').filter(|name| !name.contains('/'))?;
    let name = name.replace("~1", "/").replace("~0", "~");
    schema.get("properties")?.get(name)?.get("default")
}

pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
