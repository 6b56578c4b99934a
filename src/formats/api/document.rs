//! A document's text: which kind it is, and its values.

use serde_json::Value;

use super::{curl, graphql, openapi, wsdl};
use crate::model::{
    catalog::proposal::Proposals,
    error::{Error, Result},
    json,
};

/// Longest document.
pub const MAX_DOCUMENT: usize = 20 * 1024 * 1024;
/// Deepest document.
const MAX_DEPTH: usize = 200;

/// Reads a document of any kind known here. `from` is where it was fetched from, where it was.
pub fn read(text: &str, from: Option<&url::Url>) -> Result<Proposals> {
    if text.len() > MAX_DOCUMENT {
        return Err(Error::invalid(format!("The document has more than {} MB.", MAX_DOCUMENT >> 20)));
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(Error::invalid("The document is empty."));
    }
    if text.starts_with('<') {
        return wsdl::read(text);
    }
    if is_curl(text) {
        return curl::read(text);
    }
    let value = value(text)?;
    let is_graphql = value.get("__schema").is_some() || value.pointer("/data/__schema").is_some();
    if is_graphql { graphql::read(&value, from) } else { openapi::read(&value, from) }
}

fn is_curl(text: &str) -> bool {
    let first = text.trim_start_matches('$').split_whitespace().next();
    matches!(first, Some("curl" | "curl.exe"))
}

/// JSON or YAML.
fn value(text: &str) -> Result<Value> {
    let value: Value = if text.starts_with('{') {
        serde_json::from_str(text)
            .map_err(|error| Error::invalid(format!("The document is not valid JSON: {error}.")))?
    } else {
        let budget = serde_saphyr::budget! {
            max_events: 2_000_000,
            max_nodes: 1_000_000,
            max_depth: MAX_DEPTH,
        };
        // What stands for something else is read again each time: little of it is a document, much of it an attack.
        let alias_limits = serde_saphyr::alias_limits! { max_total_replayed_events: 100_000 };
        // Only `true` and `false` are truth values (YAML 1.2): `y` is a coordinate, `NO` is Norway.
        let options = serde_saphyr::options! { budget: budget, alias_limits: alias_limits, strict_booleans: true };
        serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let what: String = error.to_string().lines().next().unwrap_or_default().chars().take(300).collect();
            Error::invalid(format!("The document is neither JSON nor YAML that can be read: {what}."))
        })?
    };
    match &value {
        Value::Object(_) if json::depth(&value) <= MAX_DEPTH => Ok(value),
        Value::Object(_) => Err(Error::invalid(format!("The document is nested deeper than {MAX_DEPTH} levels."))),
        _ => Err(Error::invalid(
            "This is no document known here: paste OpenAPI, Swagger, a GraphQL introspection, a WSDL or a curl command.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PLACES: &str = "\
openapi: 3.0.3
paths:
  /places:
    get:
      summary: Finds places.
      parameters:
        - {name: y, in: query, required: true, schema: {type: integer}}
        - {name: n, in: query, schema: {type: string, enum: [DE, NO, SE, on, off, yes, 012]}}
        - {name: 7, in: query}
        - {in: query, schema: {type: boolean, enum: [true, False]}}
        - {name: {of: x}, in: header}
    post:
      summary: Adds a place.
      requestBody:
        content:
          application/json:
            schema:
              required: [x, y, 1]
              properties: {x: {type: [integer, null]}, y: {type: integer}, 1: {type: string}}
";

    #[test]
    fn yaml_has_no_other_truth_values_than_true_and_false() {
        let read = read(PLACES, None).unwrap();
        let [find, add] = read.operations.as_slice() else { panic!() };
        let names: Vec<&str> = find.parameters.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["y", "n", "7"]);
        let choices = &find.parameters[1].schema["enum"];
        assert_eq!(
            choices.as_array().unwrap()[..6],
            json!(["DE", "NO", "SE", "on", "off", "yes"]).as_array().unwrap()[..]
        );
        let body = &add.parameters[0].schema;
        assert_eq!(body["required"], json!(["x", "y", "1"]));
        assert_eq!(body["properties"]["x"], json!({"type": ["integer", "null"]}));
    }

    #[test]
    fn a_parameter_without_a_name_is_told() {
        let told = read(PLACES, None).unwrap().operations[0].warnings.join(" ");
        assert!(
            told.contains("parameter of its query has no name") && told.contains("parameter of its header"),
            "{told}"
        );
    }
}
