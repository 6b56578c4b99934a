//! Bodies with files. A caller gives a file by its path; the schema says which values are files, as OpenAPI does: by
//! `format: binary`.

use serde_json::{Map, Value, json};

use super::endpoint::{Parameter, ParameterPlace, is_json};
use crate::error::{Error, Result};

/// The media type of a form with files (RFC 7578).
pub const FORM: &str = "multipart/form-data";
/// The format of a value that is a file.
pub const BINARY: &str = "binary";
/// The media types of texts beside `text/*` and JSON, with or without `x-`, or behind a `+`.
const TEXTS: &[&str] = &[
    "xml",
    "yaml",
    "toml",
    "www-form-urlencoded",
    "javascript",
    "ecmascript",
    "graphql",
    "sql",
    "sparql-query",
    "sparql-update",
    "jwt",
    "jose",
    "ndjson",
    "jsonl",
    "json-seq",
    "sh",
];
/// The description of a value that is a file, for a caller.
const TOLD: &str = "Path of a file in the workspace.";

/// Returns whether a value with this schema is a file, or a list of files.
pub fn is_file(schema: &Value) -> bool {
    schema.get("format").and_then(Value::as_str) == Some(BINARY) || schema.get("items").is_some_and(is_file)
}

/// The media type of a body with this schema, where it is another than JSON.
pub fn media_type(schema: &Value) -> Option<&str> {
    schema.get("contentMediaType").and_then(Value::as_str)
}

impl Parameter {
    /// Returns whether it is a form with files, or a file.
    pub fn is_upload(&self) -> bool {
        self.place == ParameterPlace::Body && (is_file(&self.schema) || media_type(&self.schema).is_some_and(is_form))
    }

    /// Checks that it can be sent.
    ///
    /// # Errors
    ///
    /// If it is a body of several parts that is no form: none is sent.
    pub fn require_sendable(&self) -> Result<()> {
        let media = media_type(&self.schema).filter(|_| self.place == ParameterPlace::Body).unwrap_or_default();
        if is_form(media) || !media.to_ascii_lowercase().starts_with("multipart/") {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "Its body is {media}, which Satchel does not send: choose an operation that takes a form, JSON, text or a file."
        )))
    }

    /// Says in the schema a caller sees which values are files, and that their paths are given.
    pub(super) fn tell_files(&self, schema: &mut Map<String, Value>) {
        if !self.is_upload() {
            return;
        }
        if is_file(&self.schema) {
            tell(schema);
        }
        let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
        let files = fields.into_iter().flat_map(Map::values_mut).filter(|field| is_file(field));
        files.filter_map(Value::as_object_mut).for_each(tell);
    }
}

/// Returns whether a body of this media type is a text, which a caller writes out; else it is a file.
pub fn is_text(media: &str) -> bool {
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (kind, what) = media.split_once('/').unwrap_or((&media, ""));
    let what = what.rsplit('+').next().unwrap_or_default();
    kind == "text" || is_json(&media) || TEXTS.contains(&what.strip_prefix("x-").unwrap_or(what))
}

/// Returns whether a body of this media type is a form with files.
pub fn is_form(media: &str) -> bool {
    media.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(FORM)
}

fn tell(schema: &mut Map<String, Value>) {
    let said = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let told = if said.is_empty() { TOLD.to_owned() } else { format!("{} {TOLD}", said.trim_end()) };
    schema.insert("description".to_owned(), json!(told));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_of_an_office_is_a_file_though_its_type_speaks_of_xml() {
        for text in [
            "text/csv",
            "application/xml",
            "application/atom+xml; charset=utf-8",
            "application/x-yaml",
            "application/x-ndjson",
        ] {
            assert!(is_text(text), "{text}");
        }
        for file in [
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.sqlite3",
            "application/octet-stream",
            "image/*",
            "",
        ] {
            assert!(!is_text(file), "{file}");
        }
    }
}
