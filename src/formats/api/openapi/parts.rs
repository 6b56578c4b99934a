//! Parts of OpenAPI documents: where the system is, parameters and bodies.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use url::{Url, form_urlencoded};

use super::styles;
use crate::api::{schema::Inliner, text};
use satchel_model::catalog::{
    auth::Auth,
    endpoint::{Parameter, ParameterPlace, is_json},
    style::Style,
    upload,
};

/// Longest description of a parameter.
const MAX_WORDS: usize = 240;
/// Longest name of a parameter that is shown; an endpoint takes shorter ones only.
const MAX_NAME: usize = 200;
/// Longest media type.
const MAX_MEDIA: usize = 200;
/// Longest address of a server, and most variables of it.
const MAX_ADDRESS: usize = 2_000;
const MAX_VARIABLES: usize = 50;

/// The text at a place, empty where there is none.
pub(super) fn text_at<'a>(document: &'a Value, pointer: &str) -> &'a str {
    document.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the address the document gives for the system; one without a host is completed from where the document was
/// fetched.
pub(super) fn base_url(document: &Value, swagger: bool, from: Option<&Url>) -> Option<String> {
    // Where OpenAPI 3 names no server, the server is `/`, beside the document.
    let own = || server(document).or_else(|| from.filter(|_| names_no_server(document)).map(|_| "/".to_owned()));
    let said = if swagger { swagger_url(document, from)? } else { own()? };
    absolute(&said, from)
}

/// An address as a base URL is written.
fn absolute(said: &str, from: Option<&Url>) -> Option<String> {
    let mut url = Url::parse(said).or_else(|_| from.ok_or(url::ParseError::RelativeUrlWithoutBase)?.join(said)).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    // A document never brings a credential along.
    let plain = url.set_username("").is_ok() && url.set_password(None).is_ok();
    (plain && url.has_host()).then(|| url.to_string().trim_end_matches('/').to_owned())
}

/// The server an operation or else its path names, where that is another than the document's.
pub(super) fn other_server(
    (operation, item): (&Value, &Value),
    base: Option<&str>,
    from: Option<&Url>,
) -> Option<String> {
    let named = |place: &Value| place.get("servers").and_then(Value::as_array).filter(|all| !all.is_empty()).cloned();
    let base_url = base.and_then(|base| Url::parse(base).ok());
    let from = from.or(base_url.as_ref());
    let own = named(operation).or_else(|| named(item))?.iter().filter_map(address).collect::<Vec<_>>();
    let own: Vec<String> = own.into_iter().map(|said| absolute(&said, from).unwrap_or(said)).collect();
    if own.iter().any(|own| Some(own.as_str()) == base) { None } else { own.into_iter().next() }
}

fn server(document: &Value) -> Option<String> {
    address(document.pointer("/servers/0")?)
}

fn names_no_server(document: &Value) -> bool {
    document.get("servers").and_then(Value::as_array).is_none_or(Vec::is_empty)
}

fn address(server: &Value) -> Option<String> {
    let is_fine = |url: &str| url.len() <= MAX_ADDRESS;
    let mut url = server.get("url")?.as_str().filter(|url| is_fine(url))?.to_owned();
    for (name, variable) in server.get("variables").and_then(Value::as_object).into_iter().flatten().take(MAX_VARIABLES)
    {
        let value = variable.get("default").and_then(text::word).filter(|value| is_fine(value)).unwrap_or_default();
        url = Some(url.replace(&format!("{{{name}}}"), &value)).filter(|url| is_fine(url))?;
    }
    Some(url)
}

fn swagger_url(document: &Value, from: Option<&Url>) -> Option<String> {
    let path = text_at(document, "/basePath");
    let Some(host) = document.get("host").and_then(Value::as_str) else {
        return from.map(|_| if path.is_empty() { "/".to_owned() } else { path.to_owned() });
    };
    let schemes: Vec<&str> =
        document.get("schemes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let scheme = if schemes.contains(&"http") && !schemes.contains(&"https") { "http" } else { "https" };
    Some(format!("{scheme}://{host}{path}"))
}

/// The path a document gives where it does not say the host.
pub(super) fn base_path(document: &Value, swagger: bool) -> Option<String> {
    let said = if swagger { text_at(document, "/basePath").to_owned() } else { server(document)? };
    let said = said.trim_end_matches('/');
    (said.starts_with('/') && !said.starts_with("//")).then(|| text::cut(said, 100))
}

/// The name of a cookie a call fails without.
pub(super) fn needed_cookie(given: &Value) -> Option<String> {
    let is_needed = given.get("in").and_then(Value::as_str) == Some("cookie") && is_true(given, "required");
    given.get("name").and_then(Value::as_str).filter(|_| is_needed).map(|name| text::cut(name, 60))
}

/// A parameter of the path, the query or a header, or Swagger's body. Cookies are not sent.
pub(super) fn parameter<'a>(
    given: &'a Value,
    inliner: &mut Inliner<'a>,
    swagger: bool,
    warnings: &mut Vec<String>,
) -> Option<Parameter> {
    let place = match given.get("in")?.as_str()? {
        "path" => ParameterPlace::Path,
        "query" => ParameterPlace::Query,
        "header" => ParameterPlace::Header,
        "body" => ParameterPlace::Body,
        _ => return None,
    };
    let in_content = || given.get("content")?.as_object()?.values().next()?.get("schema");
    let schema = match given.get("schema").or_else(in_content) {
        Some(schema) => inliner.schema(schema),
        None if swagger => inliner.schema(given),
        None => json!({"type": "string"}),
    };
    let name = match given.get("name").and_then(text::word) {
        _ if place == ParameterPlace::Body => "body".to_owned(),
        Some(name) => name.chars().take(MAX_NAME).collect(),
        None => {
            warnings.push(nameless(place.as_str()));
            return None;
        }
    };
    Some(Parameter {
        name,
        place,
        members: BTreeMap::new(),
        style: styles::style(given, (place, &schema), swagger, warnings),
        required: place == ParameterPlace::Path || is_true(given, "required"),
        description: described(given),
        schema: without_description(schema),
    })
}

fn nameless(place: &str) -> String {
    format!("A parameter of its {place} has no name that is a text: it is left out. Correct the document.")
}

/// The description moves to the parameter: it would stand twice.
fn without_description(mut schema: Value) -> Value {
    if let Some(map) = schema.as_object_mut() {
        map.remove("description");
    }
    schema
}

fn described(given: &Value) -> String {
    let own = given.get("description").and_then(Value::as_str);
    let of_schema = || given.pointer("/schema/description").and_then(Value::as_str);
    text::cut(&text::tidy(own.or_else(of_schema).unwrap_or_default()), MAX_WORDS)
}

fn is_true(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool).unwrap_or(false)
}

/// The body: JSON where it may be, else a form, else what comes first. What is neither a form nor a text is a file.
pub(super) fn body<'a>(body: &'a Value, inliner: &mut Inliner<'a>, warnings: &mut Vec<String>) -> Option<Parameter> {
    let content = body.get("content")?.as_object()?;
    let is_plain = |media: &str| matches!(media, "application/json" | "application/*" | "*/*");
    let first = |fits: &dyn Fn(&str) -> bool| content.iter().find(|(media, _)| fits(media));
    let chosen = first(&is_plain).or_else(|| first(&is_json)).or_else(|| first(&|media| media.contains("urlencoded")));
    let chosen =
        chosen.or_else(|| first(&upload::is_form)).or_else(|| first(&|media| !media.starts_with("multipart/")));
    let (media, details) = chosen.or_else(|| content.iter().next()).filter(|(media, _)| media.len() <= MAX_MEDIA)?;
    let mut schema = details.get("schema").map_or_else(|| json!({}), |schema| inliner.schema(schema));
    let mut members = BTreeMap::new();
    if let (false, Some(map)) = (is_plain(media), schema.as_object_mut()) {
        if upload::is_form(media) || media.contains("urlencoded") {
            members = styles::members(details.get("encoding"), map.get("properties"), warnings);
        }
        if upload::is_form(media) {
            files(map, details.get("encoding"));
        } else if !is_json(media) && !media.contains("urlencoded") {
            if !upload::is_text(media) {
                map.insert("format".to_owned(), json!(upload::BINARY));
            }
            map.insert("type".to_owned(), json!("string"));
            map.remove("properties");
            map.remove("required");
        }
        map.insert("contentMediaType".to_owned(), json!(media));
    }
    let description = described(body);
    Some(Parameter {
        name: "body".to_owned(),
        place: ParameterPlace::Body,
        style: Style::Plain,
        members,
        required: is_true(body, "required"),
        description,
        schema: without_description(schema),
    })
}

/// Marks the files among the fields of a form, and their media types: OpenAPI 3.0 says `format: binary`, 3.1 that a text
/// is of another media type.
fn files(form: &mut Map<String, Value>, encoding: Option<&Value>) {
    let Some(fields) = form.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, field) in fields {
        let of = if field.get("items").is_some() { field.get_mut("items") } else { Some(field) };
        let Some(field) = of.and_then(Value::as_object_mut) else { continue };
        let says = |word: &str| field.get(word).and_then(Value::as_str);
        let is_raw = says("contentEncoding").is_none() && says("contentMediaType").is_some_and(|m| !upload::is_text(m));
        if says("format") != Some(upload::BINARY) && !is_raw {
            continue;
        }
        let media = encoding.and_then(|encoding| encoding.pointer(&format!("/{name}/contentType")));
        let is_one = |media: &&str| media.len() <= MAX_MEDIA && !media.contains([',', '*']);
        if let Some(media) = media.and_then(Value::as_str).filter(is_one) {
            field.insert("contentMediaType".to_owned(), json!(media));
        }
        field.insert("type".to_owned(), json!("string"));
        field.insert("format".to_owned(), json!(upload::BINARY));
    }
}

/// Swagger's fields of a form, as one body.
pub(super) fn form<'a>(
    fields: &[&'a Value],
    inliner: &mut Inliner<'a>,
    consumes: Option<&Value>,
    warnings: &mut Vec<String>,
) -> Parameter {
    let (mut properties, mut required, mut lists) = (Map::new(), Vec::new(), Vec::new());
    let is_file = |field: &Value| field.get("type").and_then(Value::as_str) == Some("file");
    for field in fields {
        let Some(name) = field.get("name").and_then(text::word) else {
            warnings.push(nameless("form"));
            continue;
        };
        let name: String = name.chars().take(MAX_NAME).collect();
        let mut schema = inliner.schema(field);
        if is_file(field) {
            schema = json!({"type": "string", "format": upload::BINARY, "description": described(field)});
        }
        properties.insert(name.clone(), schema);
        if field.get("type").and_then(Value::as_str) == Some("array") {
            lists.push(styles::collection(field, ParameterPlace::Body));
        }
        if is_true(field, "required") {
            required.push(json!(name));
        }
    }
    let has_file = fields.iter().any(|field| is_file(field));
    let consumes: Vec<&str> =
        consumes.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let only_multipart = !consumes.is_empty() && consumes.iter().all(|media| media.starts_with("multipart/"));
    let media = if has_file || only_multipart { upload::FORM } else { "application/x-www-form-urlencoded" };
    let style = lists.first().copied().unwrap_or_default();
    if lists.iter().any(|other| *other != style) {
        warnings.push("Its lists are written in several ways: all are sent as the first is.".to_owned());
    }
    let is_required = !required.is_empty();
    Parameter {
        name: "body".to_owned(),
        place: ParameterPlace::Body,
        style,
        members: BTreeMap::new(),
        required: is_required,
        description: String::new(),
        schema: json!({
            "type": "object", "properties": properties, "required": required,
            "contentMediaType": media,
        }),
    }
}

/// The query a path was written with, as parameters: `action=one` has this value always, `q={word}` is where a value goes.
pub(super) fn fix_query(path: &str, parameters: &mut Vec<Parameter>) {
    let Some((_, query)) = path.split_once('?') else { return };
    let query = query.split('#').next().unwrap_or_default();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let variable = value.strip_prefix('{').and_then(|value| value.strip_suffix('}'));
        let is_meant = |parameter: &Parameter| match parameter.place {
            ParameterPlace::Path => variable == Some(&parameter.name),
            ParameterPlace::Query => variable == Some(&parameter.name) || parameter.name == name,
            _ => false,
        };
        let declared = parameters.iter().position(is_meant).map(|at| parameters.remove(at));
        parameters.retain(|parameter| !(parameter.place == ParameterPlace::Query && parameter.name == name));
        let fixed = || json!({"type": "string", "const": value});
        let schema = if variable.is_some() { json!({"type": "string"}) } else { fixed() };
        let fresh = Parameter {
            name: name.to_string(),
            place: ParameterPlace::Query,
            required: true,
            description: String::new(),
            schema,
            style: Style::Plain,
            members: BTreeMap::new(),
        };
        parameters.push(match declared {
            Some(declared) if variable.is_some() => Parameter { name: fresh.name, place: fresh.place, ..declared },
            _ => fresh,
        });
    }
}

/// Returns whether it is the header of a credential, and a call fails without it.
pub(super) fn is_credential(parameter: &Parameter) -> bool {
    parameter.required
        && parameter.place == ParameterPlace::Header
        && parameter.name.eq_ignore_ascii_case("authorization")
}

/// Headers that are set here: what the body is, and the credential. What is accepted may be said by a document.
pub(super) fn is_ours(parameter: &Parameter, auth: &Auth) -> bool {
    let name = parameter.name.to_lowercase();
    let fixed = ["content-type", "authorization", "cookie", "host", "content-length"];
    match parameter.place {
        ParameterPlace::Header => fixed.contains(&name.as_str()) || auth.header().is_some_and(|own| own == name),
        ParameterPlace::Query => auth.query() == Some(parameter.name.as_str()),
        _ => false,
    }
}
