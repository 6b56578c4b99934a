//! JSON values: canonical (one text for equal values, to hash and to compare: RFC 8785 but for number forms), measured, and
//! with their texts changed.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

/// The value with the keys of every object sorted.
pub fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(b.0));
            Value::Object(entries.into_iter().map(|(k, v)| (k.clone(), canonical(v))).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        other => other.clone(),
    }
}

/// Greatest nesting depth: 0 for a scalar, 1 for `[]`.
pub fn depth(value: &Value) -> usize {
    match value {
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Returns whether a value as JSON has no more bytes than this. Writes it to nowhere, up to that size.
pub fn fits(value: &impl Serialize, most: usize) -> bool {
    Counter::new(most).takes(value)
}

/// A counter of the bytes that values have as JSON.
pub struct Counter {
    left: usize,
}

impl Counter {
    /// A counter that counts so many bytes.
    pub fn new(most: usize) -> Self {
        Self { left: most }
    }

    /// Counts a value's bytes; `false` if there are more than are left.
    pub fn takes(&mut self, value: &impl Serialize) -> bool {
        serde_json::to_writer(self, value).is_ok()
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.left
    }
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes of a JSON text that stand outside its strings, each with its place, quotes left out. Nothing is parsed: what is
/// no JSON is gone through all the same.
pub fn outside_strings(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut quoted, mut escaped) = (false, false);
    text.bytes().enumerate().filter(move |(_, byte)| {
        let is_escaped = std::mem::take(&mut escaped);
        match byte {
            _ if is_escaped => false,
            b'\\' if quoted => {
                escaped = true;
                false
            }
            b'"' => {
                quoted = !quoted;
                false
            }
            _ => !quoted,
        }
    })
}

/// The value with every text in it changed, keys too.
pub fn map_strings(value: Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(&text)),
        Value::Array(items) => items.into_iter().map(|item| map_strings(item, change)).collect(),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, item)| (change(&key), map_strings(item, change))).collect())
        }
        other => other,
    }
}

/// Returns whether JSON, or JSON in lines, holds more than so many values. Nothing is parsed to see it: a parsed value
/// takes many times its text.
pub fn holds_more_values(text: &str, most: usize) -> bool {
    values(text, most.saturating_add(1)).is_none()
}

/// The values of a JSON text, or a few more, counted without parsing it. `None` if there are more than `most`.
pub fn values(text: &str, most: usize) -> Option<usize> {
    let (mut values, mut depth) = (1_usize, 0_usize);
    for (_, byte) in outside_strings(text) {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                // The first value in it: what parts it from others counts those.
                values += 1;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => values += 1,
            b'\n' if depth == 0 => values += 1,
            _ => {}
        }
        if values > most {
            return None;
        }
    }
    Some(values)
}

/// Whether a value has more bytes and parts than this. Looks at no more of it than that takes.
pub fn weighs_more(value: &Value, than: usize) -> bool {
    weight(value, than) > than
}

/// Bytes of the texts in a value, and one for each part of it; something beyond `most` as soon as it is more than that.
pub fn weight(value: &Value, most: usize) -> usize {
    let mut total = 0;
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        total += match value {
            Value::String(text) => text.len() + 1,
            Value::Array(items) => {
                left.extend(items.iter().take(most + 1));
                1
            }
            Value::Object(map) => {
                left.extend(map.values().take(most + 1));
                1 + map.keys().take(most + 1).map(String::len).sum::<usize>()
            }
            _ => 1,
        };
        if total > most {
            break;
        }
    }
    total
}

/// The first characters of a value as JSON; no more of it is written.
pub fn beginning(value: &Value, characters: usize) -> String {
    // Each takes four bytes at most.
    let mut head = Head { bytes: Vec::new(), most: characters.saturating_mul(4) };
    // It fails where it is full.
    let _ = serde_json::to_writer(&mut head, value);
    String::from_utf8_lossy(&head.bytes).chars().take(characters).collect()
}

/// Takes the first bytes that are written to it; fails beyond them.
struct Head {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.most - self.bytes.len());
        self.bytes.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_before_they_are_parsed() {
        for (text, values) in [("[1,2,3]", 4), (r#"{"a":"1,2,[","b":{}}"#, 4), ("1\n2\n", 3), ("[[[[", 5)] {
            assert!(!holds_more_values(text, values) && holds_more_values(text, values - 2), "{text}");
        }
    }
    use serde_json::json;

    #[test]
    fn key_order_does_not_change_the_canonical_text() {
        let a = canonical(&json!({"b": 1, "a": {"d": 2, "c": 3}}));
        let b = canonical(&json!({"a": {"c": 3, "d": 2}, "b": 1}));
        assert_eq!(a.to_string(), b.to_string());
        assert_eq!(a.to_string(), r#"{"a":{"c":3,"d":2},"b":1}"#);
    }

    #[test]
    fn depth_counts_the_deepest_branch() {
        assert_eq!(depth(&json!(1)), 0);
        assert_eq!(depth(&json!({"a": [1, {"b": []}]})), 4);
    }

    #[test]
    fn of_a_value_no_more_than_the_beginning_is_written() {
        assert_eq!(beginning(&json!({"a": ["é", 1]}), 100), r#"{"a":["é",1]}"#);
        assert_eq!(beginning(&json!("é".repeat(5_000)), 2_000), format!("\"{}", "é".repeat(1_999)));
        assert_eq!(beginning(&json!(["𐍈".repeat(9)]), 4), "[\"𐍈𐍈");
    }
}
