//! The styles in which OpenAPI and Swagger have lists and objects written.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::api::text;
use satchel_model::catalog::{
    endpoint::{ParameterPlace, is_json},
    style::Style,
};

/// Most members of a form whose style is read.
const MAX_MEMBERS: usize = 200;

/// The style of a parameter with this schema; OpenAPI's `style` and `explode`, Swagger's `collectionFormat`.
pub(super) fn style(
    given: &Value,
    (place, schema): (ParameterPlace, &Value),
    swagger: bool,
    warnings: &mut Vec<String>,
) -> Style {
    if place == ParameterPlace::Body || !is_nested(schema) && (swagger || !is_deep(given)) {
        return Style::Plain;
    }
    if swagger {
        return collection(given, place);
    }
    if given.get("schema").is_none() && given.get("content").is_some() {
        return Style::Json;
    }
    let name = given.get("name").and_then(Value::as_str).unwrap_or_default();
    said(name, given, (place, schema), warnings)
}

/// Returns how the members of a form are written of which its `encoding` says so.
pub(super) fn members(
    encoding: Option<&Value>,
    properties: Option<&Value>,
    warnings: &mut Vec<String>,
) -> BTreeMap<String, Style> {
    let mut styles = BTreeMap::new();
    for (name, given) in encoding.and_then(Value::as_object).into_iter().flatten().take(MAX_MEMBERS) {
        let schema = properties.and_then(|all| all.get(name)).unwrap_or(&Value::Null);
        let says = |field: &str| given.get(field).is_some();
        let style = if !is_nested(schema) && !is_deep(given) {
            Style::Plain
        } else if says("style") || says("explode") {
            said(name, given, (ParameterPlace::Query, schema), warnings)
        } else if given.get("contentType").and_then(Value::as_str).is_some_and(is_json) {
            Style::Json
        } else {
            Style::Plain
        };
        if !style.is_plain() {
            styles.insert(name.clone(), style);
        }
    }
    styles
}

/// Returns the text before a value in the path: a dot in the style `label`, its name in the style `matrix`.
pub(super) fn before(given: &Value) -> Option<String> {
    if given.get("in").and_then(Value::as_str) != Some("path") {
        return None;
    }
    match given.get("style").and_then(Value::as_str)? {
        "label" => Some(".".to_owned()),
        "matrix" => Some(format!(";{}=", given.get("name").and_then(Value::as_str)?)),
        _ => None,
    }
}

fn is_deep(given: &Value) -> bool {
    given.get("style").and_then(Value::as_str) == Some("deepObject")
}

fn is_nested(schema: &Value) -> bool {
    may_be(schema, "array") || may_be(schema, "object")
}

/// Returns the meaning of `style` and `explode` for a value with this schema.
fn said(name: &str, given: &Value, (place, schema): (ParameterPlace, &Value), warnings: &mut Vec<String>) -> Style {
    let is_object = may_be(schema, "object");
    let usual = if place == ParameterPlace::Query { "form" } else { "simple" };
    let said = given.get("style").and_then(Value::as_str).unwrap_or(usual);
    let explode = given.get("explode").and_then(Value::as_bool).unwrap_or(said == "form");
    let in_query = place == ParameterPlace::Query;
    match said {
        "deepObject" => Style::DeepObject,
        "form" | "simple" if explode => {
            if is_object {
                Style::Exploded
            } else {
                Style::Plain
            }
        }
        "form" | "simple" if is_object || in_query => Style::Comma,
        "spaceDelimited" if !explode => Style::Space,
        "pipeDelimited" if !explode => Style::Pipe,
        "form" | "simple" | "spaceDelimited" | "pipeDelimited" => Style::Plain,
        // What stands before the first item is in the path; the items are written as in any other.
        "label" | "matrix" if place == ParameterPlace::Path && !explode && !is_object => Style::Plain,
        other => {
            let (name, other) = (text::cut(name, 60), text::cut(other, 20));
            warnings.push(format!("'{name}' is written in the style '{other}', which is not known: it is sent plain."));
            Style::Plain
        }
    }
}

/// Returns how Swagger writes a list: with commas unless it says otherwise.
pub(super) fn collection(given: &Value, place: ParameterPlace) -> Style {
    match given.get("collectionFormat").and_then(Value::as_str).unwrap_or("csv") {
        "ssv" => Style::Space,
        "tsv" => Style::Tab,
        "pipes" => Style::Pipe,
        "multi" => Style::Plain,
        // A path and a header have commas anyway.
        _ if matches!(place, ParameterPlace::Path | ParameterPlace::Header) => Style::Plain,
        _ => Style::Comma,
    }
}

fn may_be(schema: &Value, kind: &str) -> bool {
    let is = match schema.get("type") {
        Some(Value::String(said)) => said == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|said| said == kind),
        _ => kind == "array" && schema.get("items").is_some(),
    };
    is || schema.get("anyOf").and_then(Value::as_array).is_some_and(|some| some.iter().any(|one| may_be(one, kind)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_members_of_a_form_are_written_as_its_encoding_says() {
        let (list, object) = (json!({"type": "array"}), json!({"type": ["object", "null"]}));
        let properties = json!({"deep": object, "own": object, "comma": list, "json": list, "plain": list, "word": {"type": "string"}});
        let deep = json!({"style": "deepObject", "explode": true});
        let encoding = json!({
            "deep": deep, "cut": deep, "own": {"explode": true}, "comma": {"style": "form", "explode": false},
            "json": {"contentType": "application/json"}, "plain": {"style": "form"}, "word": {"style": "form"},
        });
        let mut warnings = Vec::new();
        let read = members(Some(&encoding), Some(&properties), &mut warnings);
        let wanted =
            json!({"deep": "deep_object", "cut": "deep_object", "own": "exploded", "comma": "comma", "json": "json"});
        assert_eq!((serde_json::to_value(&read).unwrap(), warnings.len()), (wanted, 0));
        members(Some(&json!({"deep": {"style": "spiral"}})), Some(&properties), &mut warnings);
        assert!(warnings[0].contains("'deep'"), "{warnings:?}");
    }

    #[test]
    fn what_a_path_has_before_a_value_is_known_and_what_is_between_is_told() {
        let (text, list) = (json!({"type": "string"}), json!({"type": "array"}));
        for (given, schema, wanted, doubts) in [
            (json!({"style": "matrix"}), &text, Some(";id="), 0),
            (json!({"style": "label"}), &list, Some("."), 0),
            (json!({"style": "simple"}), &list, None, 0),
            (json!({"style": "matrix", "explode": true}), &list, Some(";id="), 1),
        ] {
            let mut given = given;
            given["in"] = json!("path");
            given["name"] = json!("id");
            given["schema"] = schema.clone();
            let mut warnings = Vec::new();
            assert_eq!(style(&given, (ParameterPlace::Path, schema), false, &mut warnings), Style::Plain);
            assert_eq!((before(&given).as_deref(), warnings.len()), (wanted, doubts), "{given}");
        }
    }
}
