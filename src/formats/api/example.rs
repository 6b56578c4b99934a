//! The shape of what somebody sent, with it as an example: but for what looks secret by its name or as it begins.

use serde_json::{Map, Value, json};

use satchel_model::secret_name::may_be_secret;

/// The beginnings of values that are credentials whatever they are called.
const CREDENTIALS: &[&str] =
    &["Bearer ", "Basic ", "Digest ", "eyJ", "sk-", "sk_", "ghp_", "github_pat_", "xox", "AKIA"];

/// Makes examples, and remembers whether one was left out.
#[derive(Debug, Default)]
pub(super) struct Examples {
    /// A value looked secret and was not taken over.
    pub(super) left_out: bool,
    /// A `$` begins what only a shell knows: no example of anything.
    pub(super) is_open: bool,
}

impl Examples {
    /// The schema of a text of this name.
    pub(super) fn text(&mut self, name: &str, value: &str) -> Value {
        self.of_value(name, &Value::from(value))
    }

    /// The schema of a value of this name: its shape, with the value as an example of the leaves.
    pub(super) fn of_value(&mut self, name: &str, value: &Value) -> Value {
        self.shape(value, may_be_secret(name))
    }

    /// Reduces a value to its shape; what stands in a secret is one too.
    fn shape(&mut self, value: &Value, secret: bool) -> Value {
        match value {
            Value::Null => json!({}),
            Value::Bool(_) => json!({"type": "boolean", "examples": [value]}),
            Value::Number(number) => self.leaf(if number.is_f64() { "number" } else { "integer" }, value, secret),
            Value::String(text) if self.is_open && text.contains('$') => json!({"type": "string"}),
            Value::String(text) => {
                let secret = secret || CREDENTIALS.iter().any(|start| text.starts_with(start));
                self.leaf("string", value, secret)
            }
            Value::Array(items) => {
                let items = items.first().map_or_else(|| json!({}), |first| self.shape(first, secret));
                json!({"type": "array", "items": items})
            }
            Value::Object(map) => {
                let one =
                    |(name, value): (&String, &Value)| (name.clone(), self.shape(value, secret || may_be_secret(name)));
                let properties: Map<String, Value> = map.iter().map(one).collect();
                json!({"type": "object", "properties": properties})
            }
        }
    }

    fn leaf(&mut self, kind: &str, value: &Value, secret: bool) -> Value {
        self.left_out |= secret;
        if secret { json!({"type": kind}) } else { json!({"type": kind, "examples": [value]}) }
    }
}
