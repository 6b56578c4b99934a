//! The body of an answer as a value, by what it says it is: JSON, XML, CSV or text.

use ::csv::ReaderBuilder;
use serde_json::{Map, Value};

use super::{charset, xml};
use crate::model::error::Result;

/// What a body was read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Nothing at all.
    Empty,
    /// JSON.
    Json,
    /// XML, as JSON.
    Xml,
    /// Rows, as a list of objects under the names of the first row.
    Csv,
    /// Text.
    Text,
    /// Nothing that is text.
    Binary,
}

impl Form {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Json => "json",
            Self::Xml => "xml",
            Self::Csv => "csv",
            Self::Text => "text",
            Self::Binary => "binary",
        }
    }
}

/// Reads a body. What is not what it says it is, is text; what is not text, is binary with no value.
pub fn parse(bytes: &[u8], content_type: Option<&str>) -> (Form, Value) {
    if bytes.is_empty() {
        return (Form::Empty, Value::Null);
    }
    let (media, charset) = split(content_type.unwrap_or_default());
    if is_binary(&media, bytes) {
        return (Form::Binary, Value::Null);
    }
    let Ok((text, _)) = charset::decode(bytes, charset.as_deref()) else { return (Form::Binary, Value::Null) };
    let text = text.trim_start_matches('\u{feff}');
    let first = text.trim_start().chars().next();
    let says_nothing = media.is_empty() || media == "text/plain" || media == "application/octet-stream";
    if is_json(&media) || (says_nothing && matches!(first, Some('{' | '['))) {
        if let Ok(value) = serde_json::from_str(text) {
            return (Form::Json, value);
        }
        if let Some(lines) = json_lines(text) {
            return (Form::Json, lines);
        }
    }
    let is_xml = media.ends_with("/xml") || media.ends_with("+xml");
    if (is_xml || (says_nothing && text.trim_start().starts_with("<?xml")))
        && let Ok(value) = xml::to_json(text)
    {
        return (Form::Xml, value);
    }
    if matches!(media.as_str(), "text/csv" | "application/csv" | "text/tab-separated-values")
        && let Ok(value) = csv(text, media.ends_with("values"))
    {
        return (Form::Csv, value);
    }
    (Form::Text, Value::from(text))
}

fn is_json(media: &str) -> bool {
    media.ends_with("/json") || media.ends_with("+json") || media.ends_with("ndjson") || media.ends_with("jsonl")
}

fn json_lines(text: &str) -> Option<Value> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).ok()).collect::<Option<Vec<Value>>>().map(Value::Array)
}

/// The media type in lower case, and the charset it names.
fn split(content_type: &str) -> (String, Option<String>) {
    let mut parts = content_type.split(';').map(str::trim);
    let media = parts.next().unwrap_or_default().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_owned())
    });
    (media, charset)
}

fn is_binary(media: &str, bytes: &[u8]) -> bool {
    let kind = media.split('/').next().unwrap_or_default();
    let declared = matches!(kind, "image" | "audio" | "video" | "font") && !media.ends_with("+xml");
    declared
        || matches!(media, "application/pdf" | "application/zip")
        || bytes.iter().take(1_024).any(|byte| *byte == 0)
}

/// Rows under the names of the first one.
fn csv(text: &str, by_tabs: bool) -> Result<Value, ::csv::Error> {
    let first = text.lines().next().unwrap_or_default();
    let separator = match by_tabs {
        true => b'\t',
        false if first.matches(';').count() > first.matches(',').count() => b';',
        false => b',',
    };
    let mut reader = ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
    let names: Vec<String> = reader.headers()?.iter().map(|name| name.trim().to_owned()).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let cells = record?;
        let named = cells.iter().enumerate().map(|(n, cell)| {
            let name = names.get(n).filter(|name| !name.is_empty()).cloned();
            (name.unwrap_or_else(|| format!("column_{}", n + 1)), Value::from(cell))
        });
        rows.push(Value::Object(named.collect::<Map<_, _>>()));
    }
    Ok(Value::Array(rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_body_is_read_as_what_it_says_it_is() {
        let read = |body: &[u8], media: &str| parse(body, Some(media));
        assert_eq!(read(br#"{"a":1}"#, "application/json; charset=utf-8"), (Form::Json, json!({"a": 1})));
        assert_eq!(read(b"{}", "application/problem+json"), (Form::Json, json!({})));
        assert_eq!(read(b"<a>1</a>", "application/soap+xml"), (Form::Xml, json!({"a": "1"})));
        assert_eq!(read(b"n;v\nx;1\n", "text/csv"), (Form::Csv, json!([{"n": "x", "v": "1"}])));
        assert_eq!(read(b"{\"a\":1}\n{\"a\":2}\n", "application/x-ndjson"), (Form::Json, json!([{"a": 1}, {"a": 2}])));
        assert_eq!(read(b"Gr\xfc\xdfe", "text/plain; charset=iso-8859-1"), (Form::Text, json!("Grüße")));
        assert_eq!(read(b"", "application/json"), (Form::Empty, Value::Null));
    }

    #[test]
    fn what_lies_about_itself_is_text_and_what_is_no_text_is_binary() {
        assert_eq!(parse(b"oops", Some("application/json")), (Form::Text, json!("oops")));
        assert_eq!(parse(b"<a>", Some("text/xml")), (Form::Text, json!("<a>")));
        assert_eq!(parse(b"[1]", None), (Form::Json, json!([1])));
        assert_eq!(parse(b"\x89PNG\0\0", Some("image/png")), (Form::Binary, Value::Null));
        assert_eq!(parse(b"a\0b", None), (Form::Binary, Value::Null));
    }
}
