//! Bodies with files. A caller gives a file by its path; the schema says which values are files, as OpenAPI does: by
//! `format: binary`.

use serde_json::{Map, Value, json};

use super::endpoint::{Parameter, ParameterPlace, is_json};
use crate::model::error::{Error, Result};

/// The media type of a form with files (RFC 7578).
pub const FORM: &str = "multipart/form-data";
/// The format of a value that is a file.
pub const BINARY: &str = "binary";
/// What a caller is told of a value that is a file.
const TOLD: &str = "Path of a file in the workspace.";

/// Whether a value with this schema is a file, or a list of files.
pub fn is_file(schema: &Value) -> bool {
    schema.get("format").and_then(Value::as_str) == Some(BINARY) || schema.get("items").is_some_and(is_file)
}

/// The media type of a body with this schema, where it is another than JSON.
pub fn media_type(schema: &Value) -> Option<&str> {
    schema.get("contentMediaType").and_then(Value::as_str)
}

impl Parameter {
    /// Whether it is a form with files, or a file.
    pub fn is_upload(&self) -> bool {
        self.place == ParameterPlace::Body && (is_file(&self.schema) || media_type(&self.schema).is_some_and(is_form))
    }

    /// Fails where it is a body of several parts that is no form: none is sent.
    pub fn demand_sendable(&self) -> Result<()> {
        let media = media_type(&self.schema).filter(|_| self.place == ParameterPlace::Body).unwrap_or_default();
        if is_form(media) || !media.to_ascii_lowercase().starts_with("multipart/") {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "Its body is {media}, which Satchel does not send: choose an operation that takes a form, JSON, text or a file."
        )))
    }

    /// The schema a caller sees: files are given by their path.
    pub(super) fn told(&self) -> Map<String, Value> {
        let mut schema = self.schema.clone();
        if self.is_upload() {
            if is_file(&schema) {
                tell(&mut schema);
            }
            let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
            fields.into_iter().flat_map(Map::values_mut).filter(|field| is_file(field)).for_each(tell);
        }
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }
}

/// Whether a body of this media type is a text, which a caller writes out; else it is a file.
pub fn is_text(media: &str) -> bool {
    let media = media.to_ascii_lowercase();
    let known = ["text/", "xml", "yaml", "urlencoded", "javascript", "graphql", "sparql", "sql", "json"];
    is_json(&media) || known.iter().any(|word| media.contains(word))
}

/// Whether a body of this media type is a form with files.
pub fn is_form(media: &str) -> bool {
    media.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(FORM)
}

fn tell(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else { return };
    let said = map.get("description").and_then(Value::as_str).unwrap_or_default();
    let told = if said.is_empty() { TOLD.to_owned() } else { format!("{} {TOLD}", said.trim_end()) };
    map.insert("description".to_owned(), json!(told));
}
