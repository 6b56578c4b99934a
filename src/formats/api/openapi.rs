//! OpenAPI 3.0 and 3.1, and Swagger 2.

use serde_json::Value;
use url::Url;

use super::{
    budget::{self, Budget, Share},
    openapi_auth::{self, Security},
    openapi_parts as parts, openapi_styles as styles,
    schema::Inliner,
    text,
};
use crate::model::{
    catalog::{
        auth::AuthType,
        endpoint::{Operation, Parameter, ParameterPlace},
        proposal::{Proposal, Proposals, proposed_risk},
    },
    error::{Error, Result},
};

/// Most operations of a document.
const MAX_OPERATIONS: usize = 5_000;
/// Longest path; an endpoint takes no longer one.
const MAX_PATH: usize = 2_000;
/// Most parameters of an operation that are looked at; an endpoint takes fewer.
const MAX_PARAMETERS: usize = 1_000;
/// Most doubts of the whole document, and of one operation, that are told.
const MAX_DOUBTS: usize = 50;
/// The methods an operation may have.
pub(super) const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch"];

/// Reads a document. Fails where it is none, or has too many operations.
pub fn read(document: &Value, from: Option<&Url>) -> Result<Proposals> {
    read_within(document, from, budget::DOCUMENT)
}

/// The same, where its operations together may take `most` in memory.
fn read_within(document: &Value, from: Option<&Url>, most: usize) -> Result<Proposals> {
    let version = document.get("openapi").or_else(|| document.get("swagger")).and_then(text::word);
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
    let base_url = parts::base_url(document, swagger, from);
    let under = base_url.as_ref().and_then(|base| Url::parse(&format!("{base}/")).ok());
    let security = Security::of(document, swagger, under.as_ref().or(from));
    let mut read = Proposals {
        format: if swagger { "Swagger 2".to_owned() } else { format!("OpenAPI {short}") },
        title: text::cut(parts::text_at(document, "/info/title").trim(), 100),
        description: text::tidy(parts::text_at(document, "/info/description")),
        base_url,
        auth: security.auth.clone(),
        warnings: security.warnings.clone(),
        ..Proposals::default()
    };
    let places = places(document, &mut read.warnings)?;
    let (mut budget, mut cut) = (Budget::of(most, places.len()), 0);
    for (path, item, method, operation) in places {
        let place = Place { base: read.base_url.as_deref(), from, security: &security };
        let one = One { document, path, method, item, operation, swagger, place };
        let (proposal, share) = one.proposal(budget.next());
        budget.spend(&share);
        cut += usize::from(share.is_spent() && !share.is_whole());
        read.operations.push(proposal);
    }
    if cut > 0 {
        read.warnings.push(format!(
            "The document says more than is kept of one: large schemas of {cut} operations are cut further than in a \
             smaller document. Import it in parts, such as by tag, to have them whole."
        ));
    }
    doubt(document, swagger, &mut read);
    Ok(read)
}

/// The operations and where they stand: path, its item, method. Fails where there are too many.
fn places<'a>(
    document: &'a Value,
    warnings: &mut Vec<String>,
) -> Result<Vec<(&'a str, &'a Value, &'static str, &'a Value)>> {
    let mut places = Vec::new();
    for (path, item) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        let mut inliner = Inliner::of(document);
        let item = inliner.resolve(item);
        let doubt = match inliner.missing {
            Some(missing) => Some(format!("refers to '{missing}', which is not in the document")),
            None if path.len() > MAX_PATH => Some(format!("is longer than {MAX_PATH} bytes")),
            None => None,
        };
        if let Some(doubt) = doubt {
            warnings.push(format!("'{}' {doubt}: it is left out.", text::cut(path, 100)));
            warnings.truncate(MAX_DOUBTS);
            continue;
        }
        let named = METHODS.iter().filter_map(|method| Some((*method, item.get(*method)?)));
        let named = named.filter(|(_, operation)| operation.is_object());
        places.extend(named.map(|(method, operation)| (path.as_str(), item, method, operation)));
        if places.len() > MAX_OPERATIONS {
            return Err(Error::invalid(format!("The document has more than {MAX_OPERATIONS} operations: split it.")));
        }
    }
    Ok(places)
}

/// Says what is doubtful about the whole.
fn doubt(document: &Value, swagger: bool, read: &mut Proposals) {
    if read.operations.is_empty() {
        read.warnings.push("The document has no operations.".to_owned());
    }
    if read.base_url.is_none() {
        read.warnings.push(match parts::base_path(document, swagger) {
            Some(path) => format!("The document does not say its host: enter the base URL with the path {path}, such as https://crm.example.org{path}."),
            None => "The document does not say where the system is: enter its base URL.".to_owned(),
        });
    }
    if let Some(both) = openapi_auth::asked_together(document) {
        read.warnings
            .push(format!("The system asks for {both} at once: only one credential is sent, so it may refuse calls."));
    }
}

/// Where the system is and what it asks for, as the whole document says.
struct Place<'a> {
    base: Option<&'a str>,
    from: Option<&'a Url>,
    security: &'a Security<'a>,
}

/// One operation, where it stands.
struct One<'a> {
    place: Place<'a>,
    document: &'a Value,
    path: &'a str,
    method: &'a str,
    item: &'a Value,
    operation: &'a Value,
    swagger: bool,
}

impl One<'_> {
    /// What it becomes, and what it took of what it may take.
    fn proposal(&self, share: Share) -> (Proposal, Share) {
        let method = self.method.to_uppercase();
        let whole = if self.path.starts_with('/') { self.path.to_owned() } else { format!("/{}", self.path) };
        let mut path = whole.split(['?', '#']).next().unwrap_or_default().to_owned();
        let says = |field: &str| self.operation.get(field).and_then(Value::as_str).unwrap_or_default().trim();
        let (summary, long) = (text::first_sentence(says("summary")), text::tidy(says("description")));
        let mut inliner = Inliner::within(self.document, share);
        let mut warnings = Vec::new();
        let mut parameters = self.parameters(&mut inliner, (&mut path, &mut warnings));
        parts::fix_query(&whole, &mut parameters);
        let auth = &self.place.security.auth;
        if auth.kind() == AuthType::None && parameters.iter().any(parts::is_credential) {
            warnings.push(
                "It needs the header 'Authorization': set the system's credential, which is sent there.".to_owned(),
            );
        }
        parameters.retain(|parameter| !parts::is_ours(parameter, auth));
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
        warnings.extend(self.place.security.doubt_of(self.operation));
        let elsewhere = parts::other_server((self.operation, self.item), self.place.base, self.place.from);
        if let Some(other) = &elsewhere {
            let other = text::cut(other, 100);
            warnings.push(format!("It is on another server ({other}): import it as a system of its own."));
        }
        warnings.dedup();
        warnings.truncate(MAX_DOUBTS);
        let id = says("operationId");
        let name = [id, summary.as_str()].into_iter().find(|name| !name.is_empty()).map(|name| text::cut(name, 80));
        let (description, when_to_use) = if long.is_empty() { (summary, String::new()) } else { (long, summary) };
        let proposal = Proposal {
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
            elsewhere: elsewhere.is_some(),
            warnings,
        };
        (proposal, inliner.share)
    }

    /// Those of the operation go before those of its path; then the body. What stands before a value goes into the path.
    fn parameters<'a>(
        &'a self,
        inliner: &mut Inliner<'a>,
        (path, warnings): (&mut String, &mut Vec<String>),
    ) -> Vec<Parameter> {
        let own = self.operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let shared = self.item.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let (mut all, mut form): (Vec<Parameter>, Vec<&Value>) = (Vec::new(), Vec::new());
        for given in own.chain(shared).take(MAX_PARAMETERS) {
            let given = inliner.resolve(given);
            if given.get("in").and_then(Value::as_str) == Some("formData") {
                form.push(given);
                continue;
            }
            if let Some(cookie) = parts::needed_cookie(given) {
                warnings.push(format!("It needs the cookie '{cookie}', which is not sent: it may be refused."));
            }
            let Some(parameter) = parts::parameter(given, inliner, self.swagger, warnings) else { continue };
            let known = all.iter().any(|other| other.place == parameter.place && other.name == parameter.name);
            let second_body =
                parameter.place == ParameterPlace::Body && all.iter().any(|other| other.place == ParameterPlace::Body);
            if known || second_body {
                continue;
            }
            if let Some(before) = styles::before(given).filter(|before| before.len() + path.len() <= MAX_PATH) {
                *path = path.replace(&format!("{{{}}}", parameter.name), &format!("{before}{{{}}}", parameter.name));
            }
            all.push(parameter);
        }
        if !form.is_empty() {
            let consumes = self.operation.get("consumes").or_else(|| self.document.get("consumes"));
            all.push(parts::form(&form, inliner, consumes, warnings));
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
    use crate::model::catalog::style::Style;
    use serde_json::{Map, json};

    /// What is read of a document with these paths, and these fields beside them.
    fn read_paths(paths: Value, more: Value) -> Proposals {
        let mut document = json!({"openapi": "3.0.3", "servers": [{"url": "https://a.example/v1"}], "paths": paths});
        let more = more.as_object().cloned().unwrap_or_default();
        document.as_object_mut().unwrap().extend(more);
        read(&document, None).unwrap()
    }

    #[test]
    fn a_schema_in_very_many_operations_is_cut_in_each_and_none_is_left_out() {
        let field = json!({"type": "string", "description": "word ".repeat(40)});
        let fields: Map<String, Value> = (0..300).map(|n| (format!("p{n}"), field.clone())).collect();
        let named =
            json!({"components": {"schemas": {"Big": {"type": "object", "required": ["p0"], "properties": fields}}}});
        let body = json!({"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Big"}}}});
        let of = |operations: usize| {
            let paths: Map<String, Value> = (0..operations)
                .map(|n| (format!("/p{n}"), json!({"post": {"summary": "Adds.", "requestBody": body}})))
                .collect();
            let mut document = named.clone();
            document["openapi"] = json!("3.0.3");
            document["paths"] = Value::Object(paths);
            read_within(&document, None, 2 << 20).unwrap()
        };
        let many = of(60);
        let size = |one: &Proposal| one.parameters[0].schema.to_string().len();
        assert_eq!(many.operations.len(), 60);
        assert!(many.operations.iter().map(size).sum::<usize>() < 2 << 20);
        let kept = |one: &Proposal| {
            one.parameters[0].schema["properties"]["p0"]
                == json!({"type": "string", "description": text::cut(&text::tidy(&"word ".repeat(40)), 240)})
        };
        assert!(many.operations.iter().all(kept));
        assert!(many.warnings[0].contains("Import it in parts"), "{:?}", many.warnings);
        let few = of(4);
        assert!(
            !few.warnings.join(" ").contains("in parts") && few.operations.iter().all(|one| one.warnings.len() == 1)
        );
    }

    #[test]
    fn a_path_in_the_style_of_a_matrix_or_a_label_has_what_stands_before_the_value() {
        let given = |name: &str, style: &str| json!({"name": name, "in": "path", "required": true, "style": style, "schema": {"type": "string"}});
        let parameters = json!([given("id", "matrix"), given("form", "label")]);
        let get = json!({"summary": "A.", "parameters": parameters});
        let read = read_paths(json!({"/a/{id}/b{form}": {"get": get}}), json!({}));
        let [one] = read.operations.as_slice() else { panic!() };
        assert_eq!((one.key.as_str(), one.path.as_str()), ("GET /a/{id}/b{form}", "/a/;id={id}/b.{form}"));
        assert!(one.warnings.is_empty(), "{:?}", one.warnings);
    }

    #[test]
    fn a_query_written_into_the_path_is_fixed_and_tells_operations_apart() {
        let declared = json!([{"name": "word", "in": "path", "required": true, "schema": {"type": "integer"}}]);
        let paths = json!({
            "/q?action=one": {"get": {}}, "/q?action=two": {"get": {}},
            "/find?q={word}": {"get": {"parameters": declared}}, "/more?q={unsaid}": {"get": {}},
        });
        let read = read_paths(paths, json!({}));
        let keys: Vec<&str> = read.operations.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, ["GET /q?action=one", "GET /q?action=two", "GET /find?q={word}", "GET /more?q={unsaid}"]);
        let [one, _, find, more] = read.operations.as_slice() else { panic!() };
        assert_eq!((one.path.as_str(), one.parameters[0].fixed()), ("/q", Some(&json!("one"))));
        let q = &find.parameters[0];
        assert_eq!((q.name.as_str(), q.place, &q.schema), ("q", ParameterPlace::Query, &json!({"type": "integer"})));
        assert_eq!((more.parameters[0].name.as_str(), more.parameters[0].fixed()), ("q", None));
    }

    #[test]
    fn lists_and_objects_keep_the_style_they_are_written_in() {
        let list = json!({"type": "array", "items": {"type": "integer"}});
        let object = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
        let parameter = |name: &str, schema: &Value, more: Value| {
            let mut whole = json!({"name": name, "in": "query", "schema": schema});
            whole.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            whole
        };
        let given = json!([
            parameter("ids", &list, json!({"explode": false})),
            parameter("multi", &list, json!({})),
            parameter("tags", &list, json!({"style": "pipeDelimited"})),
            parameter("filter", &object, json!({"style": "deepObject", "explode": true})),
            parameter("page", &object, json!({})),
            {"name": "f", "in": "query", "content": {"application/json": {"schema": object}}},
            {"name": "plain", "in": "query", "schema": {"type": "string"}},
            {"name": "odd", "in": "query", "schema": list, "style": "spiral"},
        ]);
        let read = read_paths(json!({"/a": {"get": {"summary": "A.", "parameters": given}}}), json!({}));
        let [one] = read.operations.as_slice() else { panic!() };
        let styles: Vec<Style> = one.parameters.iter().map(|parameter| parameter.style).collect();
        let (plain, json) = (Style::Plain, Style::Json);
        let known = [Style::Comma, plain, Style::Pipe, Style::DeepObject, Style::Exploded, json, plain, plain];
        assert_eq!(styles, known);
        assert!(one.warnings[0].contains("'odd'") && one.warnings.len() == 1, "{:?}", one.warnings);
    }

    #[test]
    fn swagger_writes_lists_with_commas_unless_it_says_otherwise() {
        let list =
            |name: &str, place: &str| json!({"name": name, "in": place, "type": "array", "items": {"type": "string"}});
        let mut several = list("several", "query");
        several["collectionFormat"] = json!("multi");
        let given = json!([list("ids", "query"), several, list("field", "formData")]);
        let document = json!({"swagger": "2.0", "paths": {"/a": {"post": {"parameters": given}}}});
        let read = read(&document, None).unwrap();
        let styles: Vec<Style> = read.operations[0].parameters.iter().map(|parameter| parameter.style).collect();
        assert_eq!(styles, [Style::Comma, Style::Plain, Style::Comma]);
    }

    #[test]
    fn an_operation_on_another_server_says_so() {
        let on = |url: &str| json!({"summary": "A.", "servers": [{"url": url}]});
        let paths = json!({
            "/a": {"servers": [{"url": "https://b.example"}], "get": {"summary": "A."}, "put": on("https://a.example/v1/")},
            "/b": {"get": on("/v1"), "put": on("/v2"), "post": {"summary": "A."}},
        });
        let read = read_paths(paths, json!({}));
        let elsewhere: Vec<bool> = read.operations.iter().map(|one| one.elsewhere).collect();
        assert_eq!(elsewhere, [true, false, false, true, false]);
        assert!(read.operations[0].warnings[0].contains("(https://b.example)"), "{:?}", read.operations[0].warnings);
        assert!(read.operations[1].warnings.is_empty());
    }

    #[test]
    fn a_form_with_a_file_is_an_upload() {
        let form = |kind: &str| json!({"summary": "A.", "parameters": [{"name": "f", "in": "formData", "type": kind}]});
        let mut plain = form("string");
        plain["consumes"] = json!(["multipart/form-data", "application/x-www-form-urlencoded"]);
        let paths = json!({"/a": {"post": form("file"), "put": form("string"), "patch": plain}});
        let document = json!({"swagger": "2.0", "paths": paths, "consumes": ["multipart/form-data"]});
        let read = read(&document, None).unwrap();
        let is_upload = |one: &Proposal| one.parameters[0].is_upload();
        let uploads: Vec<(&str, bool)> =
            read.operations.iter().map(|one| (one.method.as_str(), is_upload(one))).collect();
        assert_eq!(uploads, [("PUT", true), ("POST", true), ("PATCH", false)]);
        let file = &read.operations[1].parameters[0].schema["properties"]["f"];
        assert_eq!(file["format"], "binary", "{file}");
    }

    #[test]
    fn what_is_no_text_is_a_file() {
        let schema = |content: Value| {
            let operation = json!({"summary": "A.", "requestBody": {"content": content}});
            let read = read_paths(json!({"/a": {"post": operation}}), json!({}));
            read.operations[0].parameters[0].schema.clone()
        };
        let file = |media: &str| json!({"type": "string", "format": "binary", "contentMediaType": media});
        assert_eq!(schema(json!({"image/png": {}})), file("image/png"));
        assert_eq!(schema(json!({"text/csv": {"schema": {"type": "string", "format": "binary"}}})), file("text/csv"));
        let text = json!({"type": "string", "contentMediaType": "text/plain"});
        assert_eq!(schema(json!({"text/plain": {}})), text);
        // Where it is said in several ways, the one whose parts are known goes first.
        let fields = json!({"schema": {"properties": {"f": {"type": "string", "format": "binary"}}}});
        let form = schema(json!({"application/zip": {}, "multipart/form-data": fields}));
        assert_eq!(
            (&form["contentMediaType"], &form["properties"]["f"]["format"]),
            (&json!("multipart/form-data"), &json!("binary"))
        );
    }

    #[test]
    fn what_cannot_be_taken_over_is_told() {
        let cookie = json!({"name": "session", "in": "cookie", "required": true});
        let key = json!({"name": "api_key", "in": "query", "schema": {"type": "string"}});
        let both = json!([{"key": [], "basic": []}]);
        let paths = json!({
            "/a": {"get": {"summary": "A.", "parameters": [cookie, key], "security": both}},
            "/out": {"$ref": "other.yaml#/x"},
        });
        let schemes = json!({"basic": {"type": "http", "scheme": "basic"}, "key": {"type": "apiKey", "in": "query", "name": "api_key"}});
        let more =
            json!({"security": both, "components": {"securitySchemes": schemes}, "servers": [{"url": "/echo/v3"}]});
        let read = read_paths(paths, more.clone());
        let whole = read.warnings.join(" ");
        for told in ["'/out' refers to 'other.yaml#/x'", "https://crm.example.org/echo/v3", "key and basic at once"] {
            assert!(whole.contains(told), "{told}: {whole}");
        }
        let own = read.operations[0].warnings.join(" ");
        assert!(own.contains("'session'") && own.contains("key and basic"), "{own}");
        assert!(read.operations[0].parameters.is_empty(), "the key is not the caller's to say");
        let mut either = more;
        either["security"] = json!([{"key": [], "basic": []}, {"basic": []}]);
        let read = read_paths(json!({"/a": {"get": {"summary": "A."}}}), either);
        assert_eq!(read.auth.kind(), crate::model::catalog::auth::AuthType::Basic);
        assert!(!read.warnings.join(" ").contains("at once"));
    }

    #[test]
    fn fields_a_part_demands_are_demanded_of_the_whole() {
        let schema = json!({
            "required": ["id", "unknown"],
            "allOf": [
                {"type": "object", "properties": {"owner": {"type": "string"}, "id": {"type": "string", "readOnly": true}}},
                {"$ref": "#/components/schemas/Demand"},
            ],
        });
        let body = json!({"content": {"application/json": {"schema": schema}}});
        let more = json!({"components": {"schemas": {"Demand": {"required": ["owner"]}}}});
        let read = read_paths(json!({"/a": {"post": {"requestBody": body}}}), more);
        assert_eq!(read.operations[0].parameters[0].schema["required"], json!(["owner"]));
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

    #[test]
    fn what_is_accepted_is_the_documents_to_say_and_a_credential_is_not() {
        let header = |name: &str| json!({"name": name, "in": "header", "required": true, "schema": {"type": "string"}});
        let given = json!([header("Accept"), header("Content-Type"), header("authorization")]);
        let read = read_paths(json!({"/a": {"get": {"summary": "A.", "parameters": given}}}), json!({}));
        let [one] = read.operations.as_slice() else { panic!() };
        let names: Vec<&str> = one.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!(names, ["Accept"]);
        assert!(one.warnings.len() == 1 && one.warnings[0].contains("'Authorization'"), "{:?}", one.warnings);
    }
}
