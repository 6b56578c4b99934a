//! The types of parameters.

use serde_json::{Value, json};

/// The kind of value a parameter may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// Yes or no.
    Boolean,
    /// A map.
    Object,
    /// Whatever it is.
    Any,
    /// One of these texts.
    OneOf(Vec<String>),
    /// Many of one kind.
    List(Box<Kind>),
}

impl Kind {
    /// The words that name a kind.
    pub const WORDS: &'static [&'static str] = &["string", "integer", "number", "boolean", "object", "any"];

    /// The kind a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "object" => Self::Object,
            "any" => Self::Any,
            _ => return None,
        })
    }

    /// Its JSON Schema.
    pub fn schema(&self) -> Value {
        match self {
            Self::String => json!({"type": "string"}),
            Self::Integer => json!({"type": "integer"}),
            Self::Number => json!({"type": "number"}),
            Self::Boolean => json!({"type": "boolean"}),
            Self::Object => json!({"type": "object"}),
            Self::Any => json!({}),
            Self::OneOf(values) => json!({"type": "string", "enum": values}),
            Self::List(item) => json!({"type": "array", "items": item.schema()}),
        }
    }

    /// Returns whether a value is of this kind.
    pub fn holds(&self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::Any => true,
            Self::OneOf(values) => value.as_str().is_some_and(|text| values.iter().any(|one| one == text)),
            Self::List(item) => value.as_array().is_some_and(|all| all.iter().all(|one| item.holds(one))),
        }
    }

    /// A value of this kind with its numbers as floats; `None` if it is that already.
    pub fn with_floats(&self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Self::Number, Value::Number(number)) if !number.is_f64() => number.as_f64().map(Value::from),
            (Self::List(item), Value::Array(all)) if all.iter().any(|one| item.with_floats(one).is_some()) => {
                Some(all.iter().map(|one| item.with_floats(one).unwrap_or_else(|| one.clone())).collect())
            }
            _ => None,
        }
    }
}
