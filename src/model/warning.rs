//! Warnings about arguments for those who say yes to them: long values, characters that cannot be seen, and hosts whose
//! names may look like others.

use serde_json::Value;

use super::{
    destination::Destination,
    unseen::{is_unseen, visible},
};

/// A text of more characters or lines than this is said to be long: a card shows the beginning of it.
const LONG: usize = 300;
const LINES: usize = 6;

/// The warnings about arguments, each a sentence.
pub fn warnings(arguments: &Value) -> Vec<String> {
    let mut told = Vec::new();
    match arguments {
        Value::Object(members) => members.iter().for_each(|(name, value)| about(name, value, &mut told)),
        other => about("the value", other, &mut told),
    }
    let strange = Destination::all_in(arguments).into_iter().filter(Destination::may_look_like_another);
    told.extend(strange.map(|one| {
        let host = one.host();
        format!("The host '{host}' is written in letters beyond a to z: it may look like another one.")
    }));
    told
}

fn about(name: &str, value: &Value, told: &mut Vec<String>) {
    let shown = visible(name);
    let texts = texts(value);
    if texts.iter().chain([&name]).any(|text| text.contains(|c| is_unseen(c) && !matches!(c, '\n' | '\t'))) {
        told.push(format!("{shown} holds characters that cannot be seen. They are spelled out: \\u{{…}}."));
    }
    let characters: usize = texts.iter().map(|text| text.chars().count()).sum();
    let lines: usize = texts.iter().map(|text| text.lines().count()).sum();
    if characters > LONG || lines > LINES {
        let entries = match value {
            Value::Array(items) => format!(" in {} entries", items.len()),
            _ => String::new(),
        };
        told.push(format!("{shown} is long: {characters} characters, {lines} lines{entries}."));
    }
}

/// Every text in a value, names of members too.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => {
            members.iter().flat_map(|(name, member)| [vec![name.as_str()], texts(member)].concat()).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_unseen_and_strange_values_are_told() {
        let told = warnings(&json!({
            "path": "notes\u{61c}.txt", "content": "a line\n".repeat(100), "url": "https://аpple.com/", "n": 5,
        }));
        assert_eq!(told.len(), 3, "{told:?}");
        assert_eq!(told[0], "path holds characters that cannot be seen. They are spelled out: \\u{…}.");
        assert_eq!(told[1], "content is long: 700 characters, 100 lines.");
        assert!(told[2].contains("xn--pple-43d.com"), "{told:?}");
    }

    #[test]
    fn many_short_entries_are_long_together() {
        let calls: Vec<Value> = (0..21).map(|n| json!({"recipient_name": "calculator", "n": n.to_string()})).collect();
        let told = warnings(&json!({"tool_uses": calls}));
        assert!(told.len() == 1 && told[0].ends_with(" in 21 entries."), "{told:?}");
        assert_eq!(warnings(&json!({"path": "a.txt", "content": "short\n"})), [""; 0]);
    }
}
