//! The fixed values of a registered endpoint: a request that gives others is not the one that was let through.

use serde_json::Value;
use url::form_urlencoded;

use super::{
    override_names::plain_header,
    rest::{Body, RestRequest},
    spelling::{line, pairs},
};
use satchel_model::catalog::{
    endpoint::{Endpoint, Parameter, ParameterPlace, is_nullable, only_value},
    place::decode,
};

/// The media type of a form.
const FORM: &str = "application/x-www-form-urlencoded";
/// Headers that say how something is written, not what is done (OpenAPI leaves them out of parameters, too).
const OF_WRITING: &[&str] = &["accept", "content-type", "authorization"];
/// The words under which a schema has others for the same value.
const CHOICES: &[&str] = &["anyOf", "oneOf"];

/// Returns whether a request gives the fixed values of an endpoint that it fits, and no others under their names. Those in the
/// path are a part of its pattern. `None` is a request of which nothing is known.
pub(super) fn is_given<'a>(endpoint: &Endpoint, sent: impl FnOnce() -> Option<&'a RestRequest>) -> bool {
    if !endpoint.parameters.iter().any(is_fixed) {
        return true;
    }
    let said = sent().and_then(RequestValues::new);
    said.is_some_and(|said| endpoint.parameters.iter().all(|parameter| !is_fixed(parameter) || said.gives(parameter)))
}

fn is_fixed(parameter: &Parameter) -> bool {
    match parameter.place {
        ParameterPlace::Query => only_value(&parameter.schema).is_some(),
        ParameterPlace::Header => {
            only_value(&parameter.schema).is_some() && !OF_WRITING.contains(&plain_header(&parameter.name).as_str())
        }
        ParameterPlace::Body => fixes(&parameter.schema),
        ParameterPlace::Path | ParameterPlace::Variable => false,
    }
}

/// Returns whether a schema fixes some of a value.
fn fixes(schema: &Value) -> bool {
    let any_of = |word: &&str| schema.get(*word).and_then(Value::as_array).is_some_and(|all| all.iter().any(fixes));
    only_value(schema).is_some()
        || CHOICES.iter().chain(&["allOf"]).any(any_of)
        || properties(schema).any(|(_, inner)| fixes(inner))
        || schema.get("items").is_some_and(fixes)
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn requires(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|all| all.iter().any(|one| one == name))
}

/// The values a request carries, by place and name.
struct RequestValues<'a> {
    query: Vec<(String, String)>,
    headers: &'a [(String, String)],
    body: &'a Body,
    /// The fields of a form, or the members of a JSON object as a form would have them.
    fields: Vec<(String, String)>,
}

impl<'a> RequestValues<'a> {
    /// `None` if servers may read its query in different ways.
    fn new(request: &'a RestRequest) -> Option<Self> {
        let in_path = request.path.split_once('?').map_or("", |(_, query)| query);
        if in_path.contains([';', '#']) {
            return None;
        }
        let in_path = form_urlencoded::parse(in_path.as_bytes()).into_owned();
        let query = in_path.chain(request.query.iter().cloned()).collect();
        let fields = match &request.body {
            Body::Form(fields) => fields.clone(),
            Body::Text(media, text) if is_form(media) => form_urlencoded::parse(text.as_bytes()).into_owned().collect(),
            Body::Json(_, Value::Object(members)) => {
                members.iter().map(|(name, value)| (name.clone(), line(value, Default::default()))).collect()
            }
            _ => Vec::new(),
        };
        Some(Self { query, headers: &request.headers, body: &request.body, fields })
    }

    fn gives(&self, parameter: &Parameter) -> bool {
        match (parameter.place, only_value(&parameter.schema)) {
            (ParameterPlace::Query, Some(only)) => {
                let only = pairs(&parameter.name, only, parameter.style);
                is_said(&self.query, &only, parameter.required) && is_no_other(&self.fields, &only)
            }
            (ParameterPlace::Header, Some(only)) => {
                let (name, only) = (plain_header(&parameter.name), line(only, parameter.style));
                let mut given = self.headers.iter().filter(|(own, _)| plain_header(own) == name).peekable();
                (given.peek().is_some() || !parameter.required) && given.all(|(_, value)| value.trim() == only)
            }
            (ParameterPlace::Body, _) => self.gives_body(parameter),
            _ => true,
        }
    }

    fn gives_body(&self, parameter: &Parameter) -> bool {
        let schema = &parameter.schema;
        let fixed = properties(schema).filter_map(|(name, inner)| Some((name, only_value(inner)?)));
        let mut fixed = fixed.map(|(name, only)| (name, pairs(name, only, parameter.style_of(name))));
        match self.body {
            Body::None => !parameter.required,
            Body::Json(_, value) => fixed.all(|(_, only)| is_no_other(&self.query, &only)) && satisfies(schema, value),
            Body::Form(_) => self.gives_form(schema, fixed),
            Body::Text(media, _) if is_form(media) => self.gives_form(schema, fixed),
            Body::Text(_, text) => only_value(schema).is_some_and(|only| only == text.as_str()),
            Body::Bytes(..) => false,
        }
    }

    fn gives_form<'b>(
        &self,
        schema: &Value,
        mut fixed: impl Iterator<Item = (&'b String, Vec<(String, String)>)>,
    ) -> bool {
        // What is fixed deeper has no one spelling in a form.
        let is_flat = properties(schema).all(|(_, inner)| only_value(inner).is_some() || !fixes(inner));
        let is_whole = CHOICES.iter().chain(&["allOf", "const", "enum"]).all(|word| schema.get(*word).is_none());
        let is_given = |name: &str, only: &[(String, String)]| {
            is_said(&self.fields, only, requires(schema, name)) && is_no_other(&self.query, only)
        };
        is_flat && is_whole && fixed.all(|(name, only)| is_given(name, &only))
    }
}

/// Returns whether these are all that is said under their names, or nothing is where nothing must be.
fn is_said(said: &[(String, String)], only: &[(String, String)], is_required: bool) -> bool {
    let named: Vec<&(String, String)> = alike(said, only).collect();
    (named.is_empty() && !is_required) || named.into_iter().eq(only)
}

/// Returns whether nothing else is said under their names where another server may look for them.
fn is_no_other(said: &[(String, String)], only: &[(String, String)]) -> bool {
    alike(said, only).all(|(_, value)| only.iter().any(|(_, own)| own == value))
}

/// What a lax server may take for one of these by its name.
fn alike<'a>(said: &'a [(String, String)], only: &[(String, String)]) -> impl Iterator<Item = &'a (String, String)> {
    let names: Vec<String> = only.iter().map(|(name, _)| plain(name)).collect();
    said.iter().filter(move |(name, _)| names.contains(&plain(name)))
}

/// A name as the laxest server may read it.
fn plain(name: &str) -> String {
    let name = decode(&decode(name)).to_lowercase();
    name.split(['[', '\0']).next().unwrap_or_default().trim().replace(['.', ' '], "_")
}

/// Returns whether a value has what a schema fixes of it.
fn satisfies(schema: &Value, value: &Value) -> bool {
    if value.is_null() && is_nullable(schema) {
        return true;
    }
    let list = |word: &str| schema.get(word).and_then(Value::as_array).into_iter().flatten();
    let is_chosen = |word: &&str| {
        let mut choices = list(word);
        !choices.clone().any(fixes) || choices.any(|choice| satisfies(choice, value))
    };
    let has_items = match (schema.get("items").filter(|items| fixes(items)), value) {
        (Some(items), Value::Array(all)) => all.iter().all(|one| satisfies(items, one)),
        (items, _) => items.is_none(),
    };
    only_value(schema).is_none_or(|only| only == value)
        && has_items
        && list("allOf").all(|part| satisfies(part, value))
        && CHOICES.iter().all(is_chosen)
        && properties(schema).filter(|(_, inner)| fixes(inner)).all(|(name, inner)| {
            let Value::Object(members) = value else { return false };
            let mut named = members.iter().filter(|(own, _)| plain(own) == plain(name)).peekable();
            (named.peek().is_some() || !requires(schema, name))
                && named.all(|(own, value)| own == name && satisfies(inner, value))
        })
}

fn is_form(media: &str) -> bool {
    media.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case(FORM))
}

#[cfg(test)]
mod tests {
    use reqwest::Method;
    use serde_json::json;

    use super::*;
    use crate::catalog::testing;

    fn endpoint(parameters: &Value) -> Endpoint {
        testing::endpoint(
            json!({"name": "x", "method": "POST", "path": "/rpc", "risk": "read", "parameters": parameters}),
        )
    }

    fn request(path: &str, headers: &[(&str, &str)], body: Body) -> RestRequest {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        RestRequest { method: Method::POST, path: path.to_owned(), query: Vec::new(), headers, body }
    }

    #[test]
    fn a_value_of_the_query_is_given_once_and_nowhere_else_otherwise() {
        let required = endpoint(&json!([{"name": "do", "in": "query", "required": true, "schema": {"const": "list"}}]));
        let optional = endpoint(&json!([{"name": "do", "in": "query", "schema": {"enum": ["list"]}}]));
        let form = |name: &str, value: &str| Body::Form(vec![(name.to_owned(), value.to_owned())]);
        for (path, body, given, where_optional) in [
            ("/rpc?do=list", Body::None, true, true),
            ("/rpc?x=1&do=list&y=2", Body::json(json!({"do": "list", "z": "wipe"})), true, true),
            ("/rpc", Body::None, false, true),
            ("/rpc?do=wipe", Body::None, false, false),
            ("/rpc?do=list&do=wipe", Body::None, false, false),
            ("/rpc?do=list&Do=wipe", Body::None, false, false),
            ("/rpc?do=list&do[]=wipe", Body::None, false, false),
            ("/rpc?do=list&%2564o=wipe", Body::None, false, false),
            ("/rpc?do=list;do=wipe", Body::None, false, false),
            ("/rpc?do=list", form("do", "wipe"), false, false),
            ("/rpc?do=list", Body::json(json!({"DO": "wipe"})), false, false),
        ] {
            let sent = request(path, &[], body);
            let found = (is_given(&required, || Some(&sent)), is_given(&optional, || Some(&sent)));
            assert_eq!(found, (given, where_optional), "{sent:?}");
        }
        assert!(!is_given(&optional, || None));
        assert!(is_given(&endpoint(&json!([{"name": "do", "in": "query", "schema": {"enum": [1, 2]}}])), || None));
    }

    #[test]
    fn a_value_of_a_body_is_given_however_deep_it_is_fixed() {
        let inner = json!({"properties": {"kind": {"const": 1}}});
        let schema = json!({"type": "object", "required": ["method"], "properties": {
            "method": {"const": "list"}, "in": inner, "all": {"items": inner}, "free": {"type": "string"},
        }, "oneOf": [{"properties": {"v": {"const": "a"}}}, {"properties": {"v": {"const": "b"}}}]});
        let found = endpoint(&json!([{"name": "body", "in": "body", "required": true, "schema": schema}]));
        for (body, given) in [
            (json!({"method": "list"}), true),
            (json!({"method": "list", "free": "wipe", "in": {"kind": 1}, "all": [{"kind": 1}, {}], "v": "b"}), true),
            (json!({}), false),
            (json!({"method": "wipe"}), false),
            (json!({"method": "list", "Method": "wipe"}), false),
            (json!({"method": "list", "in": {"kind": 2}}), false),
            (json!({"method": "list", "in": [{"kind": 1}]}), false),
            (json!({"method": "list", "all": [{"kind": 1}, {"kind": 2}]}), false),
            (json!({"method": "list", "v": "c"}), false),
            (json!([{"method": "wipe"}]), false),
            (json!("wipe"), false),
        ] {
            let sent = request("/rpc", &[], Body::json(body));
            assert_eq!(is_given(&found, || Some(&sent)), given, "{sent:?}");
        }
        let text = Body::Text("text/plain".to_owned(), r#"{"method": "list"}"#.to_owned());
        for sent in [request("/rpc", &[], Body::None), request("/rpc", &[], text)] {
            assert!(!is_given(&found, || Some(&sent)), "{sent:?}");
        }
        let sent = request("/rpc?method=wipe", &[], Body::json(json!({"method": "list"})));
        assert!(!is_given(&found, || Some(&sent)), "another server may look there");
    }

    #[test]
    fn a_form_and_a_header_give_values_too() {
        let schema = json!({"contentMediaType": FORM, "required": ["do"], "properties": {"do": {"const": "list"}}});
        let found = endpoint(&json!([
            {"name": "body", "in": "body", "required": true, "schema": schema},
            {"name": "X-Target", "in": "header", "required": true, "schema": {"const": "A.List"}},
            {"name": "Accept", "in": "header", "required": true, "schema": {"const": "text/csv"}},
        ]));
        let text = |text: &str| Body::Text(format!("{FORM}; charset=utf-8"), text.to_owned());
        let (target, other) = (("x-target", "A.List"), ("X_Target", "A.Drop"));
        for (headers, body, given) in [
            (vec![target], text("do=list&x=1"), true),
            (vec![target], Body::Form(vec![("do".to_owned(), "list".to_owned())]), true),
            (vec![target], text("do=wipe"), false),
            (vec![target], text("do=list&do=wipe"), false),
            (vec![target], text("x=1"), false),
            (vec![], text("do=list"), false),
            (vec![other], text("do=list"), false),
            (vec![target, other], text("do=list"), false),
        ] {
            let sent = request("/rpc", &headers, body);
            assert_eq!(is_given(&found, || Some(&sent)), given, "{sent:?}");
        }
    }
}
