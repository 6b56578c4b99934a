//! Values as lines of text for a model: JSON without braces, and the short members of a long result first.

use serde_json::Value;

use super::{
    limit::{ROOM, fits},
    neutral::{BREAK, neutralise, push_neutral},
};

/// Up to this many characters a member of a long result is a short one, which keeps its place before the long ones.
const SHORT: usize = 200;
/// The ends shown of each long text but the last, where they are too many for [`LIMIT`]: of its beginning and its end.
const ENDS: (usize, usize) = (300, 700);
/// Levels of a long result that are put in order: each is rendered once more.
const LEVELS: usize = 4;

/// The lines a model is shown of a value, as they are before anything in them is broken.
pub fn plain_lines(value: &Value) -> String {
    rendered(value).replace(BREAK, "")
}

fn rendered(value: &Value) -> String {
    let mut text = String::new();
    lines(value, 0, &mut text);
    text
}

/// A value as lines; of one that will be cut, with what is short first.
pub(super) fn cuttable(value: &Value) -> String {
    let whole = rendered(value);
    if fits(&whole) {
        return whole;
    }
    let mut text = String::with_capacity(whole.len());
    short_first(value, 0, LEVELS, &mut text);
    text
}

/// As [`lines`], but an object's short members come first and its longest last, at so many levels of the longest. Of long
/// texts before a longest that takes the room alone, only the ends.
fn short_first(value: &Value, indent: usize, levels: usize, out: &mut String) {
    let map = match value {
        Value::Object(map) if levels > 0 => map,
        _ => return lines(value, indent, out),
    };
    let mut members: Vec<(usize, &String, &Value)> = map
        .iter()
        .map(|(key, item)| match rendered(item).chars().count() {
            ..=SHORT => (0, key, item),
            length => (length, key, item),
        })
        .collect();
    members.sort_by_key(|(length, ..)| *length);
    let Some((length, key, longest)) = members.pop() else { return lines(value, indent, out) };
    // With less, what is left out here could be all that is too much, and nobody would keep the whole of it.
    let crowded = length > ROOM - (ENDS.0 + ENDS.1);
    for (_, key, item) in members {
        member(key, indent, out);
        let ends = if crowded { ends(item) } else { None };
        nested(ends.as_ref().unwrap_or(item), indent, out);
    }
    member(key, indent, out);
    match longest {
        Value::Object(map) if !map.is_empty() => short_first(longest, indent + 1, levels - 1, out),
        _ => nested(longest, indent, out),
    }
}

/// The ends of a long text; none of any other value.
fn ends(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    let length = text.chars().count();
    if length <= ENDS.0 + ENDS.1 {
        return None;
    }
    let head: String = text.chars().take(ENDS.0).collect();
    let tail: String = text.chars().skip(length - ENDS.1).collect();
    Some(Value::String(format!("{head}\n(… {} characters left out …)\n{tail}", length - ENDS.0 - ENDS.1)))
}

/// Nested values as indented `key: value` and `- item` lines.
pub(super) fn lines(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, item) in map {
                member(key, indent, out);
                nested(item, indent, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                pad(indent, out);
                out.push('-');
                nested(item, indent, out);
            }
        }
        scalar => leaf(scalar, indent, out),
    }
}

fn member(key: &str, indent: usize, out: &mut String) {
    pad(indent, out);
    push_neutral(key, out);
    out.push(':');
}

fn nested(item: &Value, indent: usize, out: &mut String) {
    match item {
        Value::Object(map) if !map.is_empty() => lines(item, indent + 1, out),
        Value::Array(items) if !items.is_empty() => lines(item, indent + 1, out),
        scalar => {
            out.push(' ');
            leaf(scalar, indent + 1, out);
        }
    }
}

/// Begins a line at this depth.
pub(super) fn pad(indent: usize, out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out.extend(std::iter::repeat_n("  ", indent));
}

fn leaf(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::String(text) if text.contains('\n') => {
            let margin = format!("\n{}", "  ".repeat(indent));
            out.push('|');
            out.push_str(&margin);
            out.push_str(&neutralise(text).replace('\n', &margin));
        }
        Value::String(text) => push_neutral(text, out),
        Value::Object(_) => out.push_str("(empty)"),
        Value::Array(_) => out.push_str("(none)"),
        other => out.push_str(&other.to_string()),
    }
}
