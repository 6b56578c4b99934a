//! Problems of arguments that do not fit their schema, in words: each with its place and what is expected there.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::{Map, Value, json};

use super::{Schema, word};

/// Parameters named where somebody gave an unknown one.
const MAX_KNOWN: usize = 20;
/// Unknown parameters that are named.
const MAX_UNKNOWN: usize = 5;

impl Schema {
    /// The place of one problem, and the problem in words.
    pub(super) fn problem(&self, error: &ValidationError<'_>) -> Value {
        let place = short(&error.instance_path().to_string());
        let at = if place.is_empty() { String::new() } else { format!("'{}': ", place.trim_start_matches('/')) };
        let text = match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                format!("{at}unknown parameter {}{}", some(unexpected), self.known(error))
            }
            ValidationErrorKind::Required { property } => {
                format!("{at}'{}' is missing", property.as_str().unwrap_or_default())
            }
            ValidationErrorKind::Type { .. } => format!("{at}{}, not {}", expected(error), word(error.instance())),
            ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
                format!("{at}must be {}, not {}", self.options(error), short(&error.instance().to_string()))
            }
            ValidationErrorKind::Enum { options } => {
                let known: Vec<String> = options.as_array().into_iter().flatten().map(Value::to_string).collect();
                format!("{at}must be one of {}, not {}", known.join(", "), short(&error.instance().to_string()))
            }
            // Nobody needs to read again all they sent.
            _ if error.instance().is_array() || error.instance().is_object() => format!("{at}{}", error.masked()),
            _ => format!("{at}{}", short(&error.to_string())),
        };
        json!({"path": place, "problem": text})
    }

    /// The things a value may be that may be one of several.
    fn options(&self, error: &ValidationError<'_>) -> String {
        let options = self.compiled().document.pointer(&error.schema_path().to_string()).and_then(Value::as_array);
        let told: Vec<String> = options.into_iter().flatten().map(wanted).collect();
        if told.is_empty() { "of another shape".to_owned() } else { told.join(" or ") }
    }

    /// The parameters there are where an unknown one was given.
    fn known(&self, error: &ValidationError<'_>) -> String {
        let rule = error.schema_path().to_string();
        let object = rule.rsplit_once('/').and_then(|(object, _)| self.compiled().document.pointer(object));
        let properties = object.and_then(|object| object.get("properties")?.as_object());
        let names: Vec<String> = properties.into_iter().flat_map(Map::keys).take(MAX_KNOWN).cloned().collect();
        if names.is_empty() { String::new() } else { format!(" (known: {})", quoted(&names)) }
    }
}

/// The values one of several schemas takes, in words.
fn wanted(option: &Value) -> String {
    let list = |key: &str| option.get(key).and_then(Value::as_array).map(Vec::as_slice);
    let either = |values: &[Value]| values.iter().map(Value::to_string).collect::<Vec<_>>().join(" or ");
    if let Some(values) = list("enum").or_else(|| option.get("const").map(std::slice::from_ref)) {
        return either(values);
    }
    if let Some(options) = list("anyOf").or_else(|| list("oneOf")) {
        return options.iter().map(wanted).collect::<Vec<_>>().join(" or ");
    }
    if let Some(fields) = list("required") {
        // What tells one kind of object from the others has one value there.
        let field = |name: &Value| {
            let known = name.as_str().and_then(|name| option.get("properties")?.get(name)?.get("const"));
            known.map_or_else(|| name.to_string(), |only| format!("{name}: {only}"))
        };
        return format!("an object with {}", fields.iter().map(field).collect::<Vec<_>>().join(" and "));
    }
    let least = option.get("minimum").map_or_else(String::new, |least| format!(" from {least}"));
    match option.get("type") {
        Some(Value::String(kind)) => format!("of type {kind}{least}"),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            format!("of type {}{least}", kinds.join(" or "))
        }
        _ if option.get("properties").is_some() => "an object".to_owned(),
        _ => "of another shape".to_owned(),
    }
}

fn expected(error: &ValidationError<'_>) -> String {
    let text = error.to_string();
    // The library's sentence ends in `is not of type "string"` or `is not of types "string", "null"`.
    let types = text.rsplit_once("is not of type").map_or("", |(_, types)| types.trim_start_matches('s').trim());
    format!("must be of type {}", types.replace('"', ""))
}

/// The first of these names, and the number of the others.
fn some(names: &[String]) -> String {
    let named = quoted(names.get(..MAX_UNKNOWN).unwrap_or(names));
    match names.len().saturating_sub(MAX_UNKNOWN) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("'{}'", short(n))).collect::<Vec<_>>().join(", ")
}

/// A message never repeats a megabyte of what somebody sent.
fn short(text: &str) -> String {
    if text.chars().count() <= 160 {
        return text.to_owned();
    }
    let head: String = text.chars().take(80).collect();
    let tail: String = text.chars().rev().take(76).collect::<Vec<_>>().into_iter().rev().collect();
    format!("{head} … {tail}")
}
