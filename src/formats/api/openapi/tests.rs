//! Documents as systems publish them, and the proposals they become.

use serde_json::{Map, json};

use super::*;
use satchel_model::catalog::{endpoint::ParameterPlace, proposal::Proposal, style::Style};

/// The proposals read from a document with these paths, and these fields beside them.
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
    assert!(!few.warnings.join(" ").contains("in parts") && few.operations.iter().all(|one| one.warnings.len() == 1));
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
    let uploads: Vec<(&str, bool)> = read.operations.iter().map(|one| (one.method.as_str(), is_upload(one))).collect();
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
    let more = json!({"security": both, "components": {"securitySchemes": schemes}, "servers": [{"url": "/echo/v3"}]});
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
    assert_eq!(read.auth.kind(), satchel_model::catalog::auth::AuthType::Basic);
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
