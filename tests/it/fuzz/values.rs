//! Odd values, and which of them a schema surely refuses.

use serde_json::{Value, json};

/// The id of nothing.
pub(super) const NOBODY: &str = "00000000-0000-7000-8000-000000000000";

/// A value as it is sent: JSON text, which serde could not always hold.
#[derive(Debug, Clone)]
pub(super) struct Odd {
    pub(super) what: &'static str,
    pub(super) text: String,
    kind: &'static str,
}

impl Odd {
    /// Returns whether it takes long to send.
    pub(super) fn is_heavy(&self) -> bool {
        self.text.len() > 10_000
    }
}

fn odd(what: &'static str, kind: &'static str, text: impl Into<String>) -> Odd {
    Odd { what, text: text.into(), kind }
}

/// Everything that is put in the place of a value.
pub(super) fn all() -> Vec<Odd> {
    let control = json!("a\u{0}b\u{1b}[2J\r\n\t\u{7f}\u{85}").to_string();
    let bidi = json!("\u{202e}gpj.exe\u{2066}\u{200b}\u{feff}").to_string();
    vec![
        odd("null", "null", "null"),
        odd("a boolean", "boolean", "true"),
        odd("a number", "integer", "7"),
        odd("a fraction", "number", "-0.5"),
        odd("a text", "string", "\"x\""),
        odd("an empty text", "string", "\"\""),
        odd("a list", "array", "[[]]"),
        odd("an object", "object", "{\"\": {}}"),
        odd("a huge number", "broken", "1e400"),
        odd("a number of 200 digits", "number", "9".repeat(200)),
        odd("a number beyond 64 bits", "number", "18446744073709551616"),
        odd("the least number", "integer", i64::MIN.to_string()),
        odd("control characters", "string", control),
        odd("characters that turn text around", "string", bidi),
        odd("half a character", "broken", "\"\\ud800\""),
        odd("a megabyte of text", "string", format!("\"{}\"", "é".repeat(1 << 19))),
        odd("ten thousand levels", "broken", format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))),
        odd("no JSON", "broken", "nothing"),
    ]
}

/// Returns whether a value of this schema can never be `odd`.
pub(super) fn surely_wrong(schema: &Value, odd: &Odd) -> bool {
    if odd.kind == "broken" {
        return true;
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return false,
    };
    // Where a text is JSON, the value itself is as good.
    let is_json = schema["contentMediaType"] == "application/json" && matches!(odd.kind, "array" | "object");
    if is_json || (schema["nullable"] == true && odd.kind == "null") {
        return false;
    }
    let fits = |wanted: &&str| *wanted == odd.kind || (*wanted == "number" && odd.kind == "integer");
    let is_it = |name: &Value| name.as_str().is_some_and(|name| odd.text == format!("{name:?}"));
    let named = schema["enum"].as_array().is_some_and(|names| !names.iter().any(is_it));
    // Numbers a program cannot hold are read as what it can, or refused; a list may hold anything.
    !types.iter().any(fits) || (named && odd.kind == "string")
}

/// The plainest value of a schema.
pub(super) fn plain(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|names| names.iter().find(|name| !name.is_null())) {
        return first.clone();
    }
    let kind = match &schema["type"] {
        Value::Array(several) => several.iter().find(|kind| *kind != "null").cloned().unwrap_or_default(),
        one => one.clone(),
    };
    match kind.as_str() {
        Some("string") if schema["format"] == "date-time" => json!("2026-05-03T12:00:00Z"),
        Some("string") => json!("x"),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let value = |name: &str| match name.ends_with("_id") {
                true => json!(NOBODY),
                false => plain(&schema["properties"][name]),
            };
            required.map(|name| (name.to_owned(), value(name))).collect()
        }
        _ => Value::Null,
    }
}
