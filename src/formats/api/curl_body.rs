//! The body of a curl command: JSON, the fields of a form, a file, or a text.

use serde_json::{Map, Value, json};

use super::{curl_command::Command, example::Examples};
use crate::media::ANYTHING;
use satchel_model::catalog::{
    endpoint::{Parameter, ParameterPlace, is_json},
    style::Style,
    upload,
};

const FORM: &str = "application/x-www-form-urlencoded";

/// A field of a form; a file has no value.
pub(super) type Field = (String, Option<String>);

/// Returns whether the body is a file as it is, and no text.
pub(super) fn sends_file(command: &Command) -> bool {
    command.upload || (command.file && media(command).is_some_and(|media| !upload::is_text(&media)))
}

/// Returns what is to be known of the body, in words.
pub(super) fn warnings(command: &Command) -> Vec<String> {
    let is_unread = command.file && !sends_file(command);
    let is_lost = boundary(command).is_some_and(|boundary| parts(&command.data.concat(), &boundary).is_empty());
    let said = [
        (is_unread, "It reads its body from a file: describe the body yourself."),
        (is_lost, "Its body is a form with files that cannot be read: describe its fields yourself."),
    ];
    said.iter().filter(|(holds, _)| *holds).map(|(_, words)| (*words).to_owned()).collect()
}

/// The body as a parameter, where there is one.
pub(super) fn parameter(command: &Command, examples: &mut Examples) -> Option<Parameter> {
    let media = media(command);
    let schema = if !command.form.is_empty() {
        form_with_files(&command.form, examples)
    } else if sends_file(command) {
        json!({"type": "string", "format": upload::BINARY, "contentMediaType": media.as_deref().unwrap_or(ANYTHING)})
    } else if command.in_query || (command.data.is_empty() && !command.file) {
        return None;
    } else if let Some(boundary) = boundary(command) {
        form_with_files(&parts(&command.data.concat(), &boundary), examples)
    } else if command.data.is_empty() {
        match media.as_deref() {
            Some(media) if media.contains("json") => json!({}),
            media => json!({"type": "string", "contentMediaType": media.unwrap_or(FORM)}),
        }
    } else {
        of_data(&command.data.join(if command.json { "" } else { "&" }), media.as_deref(), examples)
    };
    Some(Parameter {
        name: "body".to_owned(),
        place: ParameterPlace::Body,
        style: Style::Plain,
        members: Default::default(),
        required: true,
        description: String::new(),
        schema,
    })
}

/// Returns the media type the body is said to have.
fn media(command: &Command) -> Option<String> {
    let media = command.headers.iter().find(|header| header.lower() == "content-type");
    media.map(|header| header.value.to_lowercase())
}

fn of_data(text: &str, media: Option<&str>, examples: &mut Examples) -> Value {
    match (serde_json::from_str::<Value>(text), media) {
        (Ok(value @ (Value::Object(_) | Value::Array(_))), media) => {
            let mut schema = examples.of_value("", &value);
            let plain = media.map(|media| media.split(';').next().unwrap_or_default().trim());
            let own = plain.filter(|media| is_json(media) && *media != "application/json");
            if let (Some(media), Some(map)) = (own, schema.as_object_mut()) {
                map.insert("contentMediaType".to_owned(), json!(media));
            }
            schema
        }
        (_, Some(media)) if !media.contains("form") => json!({"type": "string", "contentMediaType": media}),
        // No fields: the whole is a value.
        _ if !text.contains('=') => json!({"type": "string", "contentMediaType": media.unwrap_or(FORM)}),
        _ => {
            let fields = url::form_urlencoded::parse(text.as_bytes());
            let fields: Vec<Field> =
                fields.map(|(name, value)| (name.into_owned(), Some(value.into_owned()))).collect();
            form(&fields, examples, FORM)
        }
    }
}

fn form_with_files(fields: &[Field], examples: &mut Examples) -> Value {
    form(fields, examples, upload::FORM)
}

fn form(fields: &[Field], examples: &mut Examples, media: &str) -> Value {
    let mut properties = Map::new();
    for (name, value) in fields {
        if properties.contains_key(name) {
            continue;
        }
        let one = match value {
            None => json!({"type": "string", "format": upload::BINARY}),
            Some(text) if text.is_empty() => json!({"type": "string"}),
            Some(text) => examples.text(name, text),
        };
        let times = fields.iter().filter(|(other, _)| other == name).count();
        properties.insert(name.clone(), listed(one, name, times));
    }
    json!({"type": "object", "properties": properties, "contentMediaType": media})
}

/// The schema of what is said so many times under one name: several make a list, as does a name with `[]`.
pub(super) fn listed(one: Value, name: &str, times: usize) -> Value {
    if times < 2 && !name.ends_with("[]") { one } else { json!({"type": "array", "items": one}) }
}

/// Returns the line that parts the fields of a body that a browser wrote out as a form with files (RFC 7578).
fn boundary(command: &Command) -> Option<String> {
    let header = command.headers.iter().find(|header| header.lower() == "content-type")?;
    let is_form = header.value.to_ascii_lowercase().starts_with(upload::FORM) && !command.data.is_empty();
    let boundary = header.value.split(';').find_map(|part| part.trim().strip_prefix("boundary="));
    is_form.then(|| boundary.unwrap_or_default().trim_matches('"').to_owned())
}

/// The fields of such a body. A file is one whatever is left of its content.
fn parts(body: &str, boundary: &str) -> Vec<Field> {
    let body = body.replace("\r\n", "\n");
    // Without a boundary in the header, the first line tells it.
    let first = body.lines().next().unwrap_or_default();
    let mark = if boundary.is_empty() { first.to_owned() } else { format!("--{boundary}") };
    if !mark.starts_with("--") || mark.len() < 3 {
        return Vec::new();
    }
    body.split(&mark).filter_map(part).collect()
}

fn part(text: &str) -> Option<Field> {
    let (head, content) = text.trim_start_matches('\n').split_once("\n\n")?;
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with("content-disposition:"))?;
    let word = |key: &str| {
        let quoted = line.split_once(&format!(" {key}=\"")).and_then(|(_, rest)| rest.split_once('"'));
        quoted.map(|(value, _)| value.to_owned())
    };
    let is_file = line.contains(" filename=") || line.contains(" filename*=");
    let content = content.strip_suffix('\n').unwrap_or(content);
    Some((word("name")?, (!is_file).then(|| content.to_owned())))
}
