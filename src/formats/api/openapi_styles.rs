//! How OpenAPI and Swagger have lists and objects written.

use serde_json::Value;

use crate::model::catalog::{endpoint::ParameterPlace, style::Style};

/// The style of a parameter with this schema; OpenAPI's `style` and `explode`, Swagger's `collectionFormat`.
pub(super) fn style(
    given: &Value,
    (place, schema): (ParameterPlace, &Value),
    swagger: bool,
    warnings: &mut Vec<String>,
) -> Style {
    let (is_list, is_object) = (may_be(schema, "array"), may_be(schema, "object"));
    if !(is_list || is_object) || place == ParameterPlace::Body {
        return Style::Plain;
    }
    if swagger {
        return collection(given, place);
    }
    if given.get("schema").is_none() && given.get("content").is_some() {
        return Style::Json;
    }
    let usual = if place == ParameterPlace::Query { "form" } else { "simple" };
    let said = given.get("style").and_then(Value::as_str).unwrap_or(usual);
    let explode = given.get("explode").and_then(Value::as_bool).unwrap_or(said == "form");
    let in_query = place == ParameterPlace::Query;
    match said {
        "deepObject" if is_object => Style::DeepObject,
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
        other => {
            let name = given.get("name").and_then(Value::as_str).unwrap_or_default();
            warnings.push(format!("'{name}' is written in the style '{other}', which is not known: it is sent plain."));
            Style::Plain
        }
    }
}

/// How Swagger writes a list: with commas unless it says otherwise.
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
