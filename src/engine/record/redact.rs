//! Arguments as the audit keeps them.

use std::borrow::Cow;

use serde_json::Value;

use satchel_model::{
    audit::extract::{LARGEST, MAX_ITEMS, Mask, extract},
    secret::MASK,
    secret_name::{is_secret, may_be_secret},
    secret_text::without_secrets,
};

/// Arguments whose members go into a request as they are: there, what may be a secret is one.
const CARRIERS: &[&str] = &["headers", "query_params"];

/// Arguments as the audit keeps them where nothing is known of their tool: their names, as far as they are names.
pub fn names_only(arguments: &Value) -> Value {
    let hidden = |value: &Value| if value.is_null() { Value::Null } else { MASK.into() };
    match arguments {
        Value::Object(map) => {
            let name = |name: &String| if is_name(name) { name.clone() } else { MASK.to_owned() };
            let kept = map.iter().take(MAX_ITEMS).map(|(given, value)| (name(given), hidden(value)));
            Value::Object(kept.collect())
        }
        other => hidden(other),
    }
}

/// Whether this can be an argument's name, as against words that stand in its place.
fn is_name(text: &str) -> bool {
    text.len() <= 40 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// Arguments as the audit keeps them: secrets masked by their name and in addresses, private ones too, long texts, lists
/// and wholes cut.
pub fn redact(arguments: &Value, private: &[&str]) -> Value {
    extract(arguments, LARGEST, Secrets { private, is_secret })
}

/// Rules that hide secrets, and arguments that are private.
#[derive(Clone, Copy)]
pub(super) struct Secrets<'a> {
    pub(super) private: &'a [&'a str],
    /// Whether what has this name is a secret.
    pub(super) is_secret: fn(&str) -> bool,
}

impl Mask for Secrets<'_> {
    fn within(self, name: &str) -> Option<Self> {
        match self.private.contains(&name) || (self.is_secret)(name) {
            true => None,
            false if CARRIERS.contains(&name) => Some(Self { is_secret: may_be_secret, ..self }),
            false => Some(self),
        }
    }

    fn show(self, text: &str) -> Cow<'_, str> {
        without_secrets(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_masked_by_their_name_at_any_depth() {
        let kept =
            redact(&json!({"headers": {"Authorization": "Bearer x", "accept": "a"}, "list": [{"password": 1}]}), &[]);
        assert_eq!(kept, json!({"headers": {"Authorization": "***", "accept": "a"}, "list": [{"password": "***"}]}));
    }

    #[test]
    fn secrets_are_masked_in_addresses_and_in_what_a_request_carries() {
        let kept = redact(
            &json!({
                "url": "http://u:CANARY@a.example/json?api_key=CANARY&n=1", "path": "/x?token=CANARY", "key": "tea",
                "headers": {"X-Auth": "CANARY", "session": "CANARY", "accept": "a"}, "query_params": {"sig": "CANARY"},
            }),
            &[],
        );
        let shown = json!({
            "url": "http://***@a.example/json?api_key=***&n=1", "path": "/x?token=***", "key": "tea",
            "headers": {"X-Auth": "***", "session": "***", "accept": "a"}, "query_params": {"sig": "***"},
        });
        assert_eq!(kept, shown);
        let long = redact(&json!(format!("{}?token={}", "é".repeat(990), "CANARY".repeat(20_000))), &[]);
        assert!(!long.to_string().contains("CANARY"), "{long}");
    }

    #[test]
    fn private_arguments_are_masked_at_any_depth() {
        let kept = redact(&json!({"content": "x", "category": "fact", "also": [{"content": ["y"]}]}), &["content"]);
        assert_eq!(kept, json!({"content": "***", "category": "fact", "also": [{"content": "***"}]}));
    }

    #[test]
    fn of_arguments_of_no_known_tool_only_the_names_stay() {
        let kept =
            names_only(&json!({"content": "CANARY", "n": 1, "none": null, "my CANARY": [1], "a": {"b": "CANARY"}}));
        assert_eq!(kept, json!({"content": "***", "n": "***", "none": null, "***": "***", "a": "***"}));
        assert_eq!((names_only(&json!("CANARY")), names_only(&Value::Null)), (json!("***"), Value::Null));
    }

    #[test]
    fn a_long_list_says_how_long_it_is() {
        let kept = redact(&json!((0..60).collect::<Vec<_>>()), &[]);
        assert_eq!(kept.as_array().unwrap().len(), MAX_ITEMS + 1);
        assert_eq!(kept[MAX_ITEMS], json!("… (60 items)"));
    }

    #[test]
    fn long_texts_are_clipped_with_their_length() {
        let kept = redact(&json!({"data": "é".repeat(5_000)}), &[]);
        let text = kept["data"].as_str().unwrap();
        assert!(text.ends_with("… (5000 characters)") && text.chars().count() < 1_030);
    }
}
