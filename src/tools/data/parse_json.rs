//! `parse_json`: a value out of a JSON text, its keys, or whether it is JSON at all.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::source;
use satchel_engine::{context::Context, tool::Tool, validate::word};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    spec::Category,
};

/// The note on numbers that became texts.
const LONG_NUMBERS: &str =
    "The data holds whole numbers beyond 64 bits. They are given as text, so that no digit is lost.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// JSON string to parse, or the handle of a long result (`result:…`).
    #[schemars(extend("contentMediaType" = "application/json"))]
    data: String,
    /// Action: `extract` (default), `keys` or `validate`.
    #[serde(default)]
    action: Action,
    /// Dot-separated path, e.g. `results.0.name`; a dot within a name is written `\.`.
    path: Option<String>,
}

#[derive(Deserialize, JsonSchema, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Action {
    #[default]
    Extract,
    Keys,
    Validate,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "parse_json",
        Category::Data,
        "Parses JSON and returns the whole value or the one at a dot-path, lists the keys of an object, or says whether a \
         text is valid JSON and of which type.",
        "You need to drill into a JSON response, check its structure, or pull out a nested value.",
        run,
    )
    .example(
        "A nested value by its path",
        json!({"data": r#"{"user": {"name": "Alice"}}"#, "path": "user.name"}),
        json!({"result": "Alice"}),
    )
    .example(
        "An element of an array by its number",
        json!({"data": r#"{"results": [{"name": "first"}, {"name": "second"}]}"#, "path": "results.1.name"}),
        json!({"result": "second"}),
    )
    .example("The keys of an object", json!({"data": r#"{"id": 7, "tags": []}"#, "action": "keys"}), json!({"keys": ["id", "tags"]}))
    .example("Whether it is JSON", json!({"data": "[1, 2]", "action": "validate"}), json!({"valid": true, "type": "array"}))
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { data, action, path } = args;
    let path = path.unwrap_or_default();
    source::read(&cx, data, path.len(), move |text| parse(text, action, &path)).await.map(Output::json)
}

fn parse(text: &str, action: Action, path: &str) -> Result<Value> {
    if action == Action::Validate {
        return Ok(match source::json_as_it_is(text).and_then(|value| at(value, path)) {
            Ok(value) => json!({"valid": true, "type": word(&value)}),
            Err(error) => json!({"valid": false, "type": null, "error": error.message()}),
        });
    }
    let value = at(source::json(text)?, path)?;
    match (action, value) {
        (Action::Keys, Value::Object(map)) => Ok(json!({"keys": map.keys().collect::<Vec<_>>()})),
        (Action::Keys, other) => Err(Error::invalid(format!("Only an object has keys: this is {}.", word(&other)))),
        (_, value) if source::has_long_numbers(text) => Ok(json!({"result": value, "note": LONG_NUMBERS})),
        (_, value) => Ok(json!({"result": value})),
    }
}

/// The value at a path; the error says where the path ends and what there is.
fn at(mut value: Value, path: &str) -> Result<Value> {
    let mut done: Vec<String> = Vec::new();
    for step in steps(path) {
        let place = || if done.is_empty() { "the top".to_owned() } else { format!("'{}'", done.join(".")) };
        let next = match &mut value {
            Value::Object(map) => map.swap_remove(&step),
            Value::Array(items) => {
                step.parse::<usize>().ok().filter(|n| *n < items.len()).map(|n| items.swap_remove(n))
            }
            _ => None,
        };
        value = next.ok_or_else(|| {
            let hint = if step.contains('[') { " Elements are written with dots, as in items.0.name." } else { "" };
            Error::invalid(format!("There is no '{step}' at {}: {}.{hint}", place(), what_is(&value)))
        })?;
        done.push(step);
    }
    Ok(value)
}

fn steps(path: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut chars = path.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'.') => {
                chars.next();
                if let Some(last) = steps.last_mut() {
                    last.push('.');
                }
            }
            '.' => steps.push(String::new()),
            c => {
                if let Some(last) = steps.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    if path.is_empty() { Vec::new() } else { steps }
}

fn what_is(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let keys: Vec<&str> = map.keys().take(20).map(String::as_str).collect();
            format!("the object has {}", if keys.is_empty() { "no keys".to_owned() } else { keys.join(", ") })
        }
        Value::Array(items) => format!("the array has {} elements, numbered from 0", items.len()),
        other => format!("it is {}, with nothing inside", word(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refusal(text: &str, action: Action, path: &str) -> String {
        parse(text, action, path).unwrap_err().message().to_owned()
    }

    #[test]
    fn a_path_that_ends_early_says_where_and_what_there_is() {
        let text = r#"{"user": {"name": "Alice", "tags": [1]}}"#;
        assert_eq!(
            refusal(text, Action::Extract, "user.nam"),
            "There is no 'nam' at 'user': the object has name, tags."
        );
        assert_eq!(
            refusal(text, Action::Extract, "user.tags.1"),
            "There is no '1' at 'user.tags': the array has 1 elements, numbered from 0."
        );
        assert_eq!(
            refusal(text, Action::Extract, "user.name.x"),
            "There is no 'x' at 'user.name': it is string, with nothing inside."
        );
        assert_eq!(refusal(text, Action::Extract, "x"), "There is no 'x' at the top: the object has user.");
        assert_eq!(refusal("[1]", Action::Keys, ""), "Only an object has keys: this is array.");
        assert!(refusal(r#"{"a": [1]}"#, Action::Extract, "a[0]").ends_with("as in items.0.name."));
    }

    #[test]
    fn every_type_has_jsons_own_name() {
        for (text, wanted) in [
            ("null", "null"),
            ("true", "boolean"),
            ("1.5", "number"),
            ("\"a\"", "string"),
            ("[]", "array"),
            ("{}", "object"),
        ] {
            assert_eq!(parse(text, Action::Validate, "").unwrap(), json!({"valid": true, "type": wanted}));
        }
        let wrong = parse("{\"a\": }", Action::Validate, "").unwrap();
        assert_eq!((&wrong["valid"], &wrong["type"]), (&json!(false), &Value::Null));
        assert!(wrong["error"].as_str().unwrap().contains("line 1 column 7"), "{wrong}");
    }

    #[test]
    fn a_number_beyond_64_bits_comes_with_all_its_digits_and_a_note() {
        let text = r#"{"n": 12345678901234567890123}"#;
        let wanted = json!({"result": "12345678901234567890123", "note": LONG_NUMBERS});
        assert_eq!(parse(text, Action::Extract, "n").unwrap(), wanted);
        assert_eq!(parse(text, Action::Validate, "n").unwrap(), json!({"valid": true, "type": "number"}));
    }

    #[test]
    fn a_dot_in_a_name_is_escaped() {
        assert_eq!(parse(r#"{"a.b": {"c": 1}}"#, Action::Extract, r"a\.b.c").unwrap(), json!({"result": 1}));
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_crash() {
        assert!(refusal(&"[".repeat(100_000), Action::Extract, "").contains("recursion limit"));
    }

    proptest! {
        #[test]
        fn what_is_put_at_a_path_is_found_there(keys in prop::collection::vec("[a-z0-9.\\\\]{1,4}", 1..6), leaf: i64) {
            let text = keys.iter().rev().fold(json!(leaf), |inner, key| json!({key.as_str(): inner})).to_string();
            let escaped: Vec<String> = keys.iter().map(|key| key.replace('.', r"\.")).collect();
            // A backslash before a dot of its own cannot be written in a path.
            prop_assume!(!keys.iter().any(|key| key.contains(r"\.") || key.ends_with('\\')));
            prop_assert_eq!(parse(&text, Action::Extract, &escaped.join(".")).unwrap(), json!({"result": leaf}));
        }
    }
}
