//! OpenAPI 3.0 and 3.1, and Swagger 2.

use serde_json::{Map, Value};
use url::Url;

use super::{openapi_parts as parts, schema::Inliner, text};
use crate::model::{
    catalog::{
        endpoint::{Operation, Parameter, ParameterPlace},
        proposal::{Proposal, Proposals, proposed_risk},
    },
    error::{Error, Result},
};

/// Most operations of a document.
const MAX_OPERATIONS: usize = 5_000;
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch"];

/// Reads a document. Fails where it is none, or has too many operations.
pub fn read(document: &Value, from: Option<&Url>) -> Result<Proposals> {
    let version = document.get("openapi").or_else(|| document.get("swagger")).and_then(parts::word);
    let Some(version) = version else {
        return Err(Error::invalid(
            "The document is neither OpenAPI nor Swagger: it has no `openapi` and no `swagger` field.",
        ));
    };
    let swagger = document.get("swagger").is_some();
    if !(version.starts_with("3.") || (swagger && version.starts_with('2'))) {
        return Err(Error::invalid(format!(
            "OpenAPI {} is not known here: 3.0, 3.1 and Swagger 2 are.",
            text::cut(&version, 20)
        )));
    }
    let short: String = version.split('.').take(2).collect::<Vec<_>>().join(".");
    let mut read = Proposals {
        format: if swagger { "Swagger 2".to_owned() } else { format!("OpenAPI {short}") },
        title: text::cut(parts::text_at(document, "/info/title").trim(), 100),
        description: text::tidy(parts::text_at(document, "/info/description")),
        base_url: parts::base_url(document, swagger, from),
        auth: parts::auth(document, swagger),
        ..Proposals::default()
    };
    let empty = Map::new();
    let paths = document.get("paths").and_then(Value::as_object).unwrap_or(&empty);
    for (path, item) in paths {
        let item = Inliner::of(document).resolve(item);
        for method in METHODS {
            let Some(operation) = item.get(*method).filter(|operation| operation.is_object()) else { continue };
            let one = One { document, path, method, item, operation, swagger };
            read.operations.push(one.proposal(&read.auth.header()));
        }
        if read.operations.len() > MAX_OPERATIONS {
            return Err(Error::invalid(format!("The document has more than {MAX_OPERATIONS} operations: split it.")));
        }
    }
    if read.operations.is_empty() {
        read.warnings.push("The document has no operations.".to_owned());
    }
    if read.base_url.is_none() {
        read.warnings.push("The document does not say where the system is: enter its base URL.".to_owned());
    }
    Ok(read)
}

/// One operation, where it stands.
struct One<'a> {
    document: &'a Value,
    path: &'a str,
    method: &'a str,
    item: &'a Value,
    operation: &'a Value,
    swagger: bool,
}

impl One<'_> {
    fn proposal(&self, auth_header: &Option<String>) -> Proposal {
        let method = self.method.to_uppercase();
        let whole = if self.path.starts_with('/') { self.path.to_owned() } else { format!("/{}", self.path) };
        let path = whole.split(['?', '#']).next().unwrap_or_default().to_owned();
        let says = |field: &str| self.operation.get(field).and_then(Value::as_str).unwrap_or_default().trim();
        let (summary, long) = (text::first_sentence(says("summary")), text::tidy(says("description")));
        let mut inliner = Inliner::of(self.document);
        let mut warnings = Vec::new();
        let mut parameters = self.parameters(&mut inliner, &mut warnings);
        parts::fix_query(&whole, &mut parameters);
        parameters.retain(|parameter| !parts::is_ours(parameter, auth_header));
        if let Some(missing) = inliner.missing.take() {
            warnings.push(format!("It refers to '{missing}', which is not in the document."));
        }
        if inliner.was_cut {
            warnings.push("Its schema is large or refers to itself: it is cut.".to_owned());
        }
        if summary.is_empty() && long.is_empty() {
            warnings.push("It has no description: a model will not know when to use it. Write one line.".to_owned());
        }
        if self.operation.get("deprecated").and_then(Value::as_bool).unwrap_or(false) {
            warnings.push("It is deprecated.".to_owned());
        }
        let id = says("operationId");
        let name = [id, summary.as_str()].into_iter().find(|name| !name.is_empty()).map(|name| text::cut(name, 80));
        let (description, when_to_use) = if long.is_empty() { (summary, String::new()) } else { (long, summary) };
        Proposal {
            key: format!("{method} {whole}"),
            group: self.operation.pointer("/tags/0").and_then(Value::as_str).map(|tag| text::cut(tag, 60)),
            name: name.unwrap_or_else(|| format!("{} {path}", method.to_lowercase())),
            operation: Operation::Rest,
            risk: proposed_risk(&method),
            method,
            path,
            parameters,
            description,
            when_to_use,
            warnings,
        }
    }

    /// Those of the operation go before those of its path; then the body.
    fn parameters<'a>(&'a self, inliner: &mut Inliner<'a>, warnings: &mut Vec<String>) -> Vec<Parameter> {
        let own = self.operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let shared = self.item.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let (mut all, mut form): (Vec<Parameter>, Vec<&Value>) = (Vec::new(), Vec::new());
        for given in own.chain(shared) {
            let given = inliner.resolve(given);
            if given.get("in").and_then(Value::as_str) == Some("formData") {
                form.push(given);
                continue;
            }
            let Some(parameter) = parts::parameter(given, inliner, self.swagger) else { continue };
            let known = all.iter().any(|other| other.place == parameter.place && other.name == parameter.name);
            let second_body =
                parameter.place == ParameterPlace::Body && all.iter().any(|other| other.place == ParameterPlace::Body);
            if !known && !second_body {
                all.push(parameter);
            }
        }
        if !form.is_empty() {
            all.push(parts::form(&form, inliner, self.operation, warnings));
        }
        if let Some(body) = self.operation.get("requestBody") {
            let body = inliner.resolve(body);
            all.extend(parts::body(body, inliner, warnings));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What is read of a document with these paths, and these fields beside them.
    fn read_paths(paths: Value, more: Value) -> Proposals {
        let mut document = json!({"openapi": "3.0.3", "servers": [{"url": "https://a.example/v1"}], "paths": paths});
        let more = more.as_object().cloned().unwrap_or_default();
        document.as_object_mut().unwrap().extend(more);
        read(&document, None).unwrap()
    }

    #[test]
    fn a_query_written_into_the_path_is_fixed_and_tells_operations_apart() {
        let declared = json!([{"name": "word", "in": "path", "required": true, "schema": {"type": "integer"}}]);
        let paths = json!({
            "/q?action=one": {"get": {}}, "/q?action=two": {"get": {}},
            "/find?q={word}": {"get": {"parameters": declared}},
        });
        let read = read_paths(paths, json!({}));
        let keys: Vec<&str> = read.operations.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, ["GET /q?action=one", "GET /q?action=two", "GET /find?q={word}"]);
        let [one, _, find] = read.operations.as_slice() else { panic!() };
        assert_eq!((one.path.as_str(), one.parameters[0].fixed()), ("/q", Some(&json!("one"))));
        let q = &find.parameters[0];
        assert_eq!((q.name.as_str(), q.place, &q.schema), ("q", ParameterPlace::Query, &json!({"type": "integer"})));
    }

    #[test]
    fn a_body_of_another_json_keeps_its_media_type() {
        let body = |media: &str| {
            let content = json!({media: {"schema": {"type": "object"}}});
            let read = read_paths(json!({"/a": {"patch": {"requestBody": {"content": content}}}}), json!({}));
            read.operations[0].parameters[0].schema.clone()
        };
        assert_eq!(body("application/json"), json!({"type": "object"}));
        let patch = "application/merge-patch+json";
        assert_eq!(body(patch), json!({"type": "object", "contentMediaType": patch}));
        assert_eq!(body("application/x-ndjson")["type"], "string");
    }
}
