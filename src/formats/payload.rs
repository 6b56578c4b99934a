//! The body of an answer as a value, by what it says it is: JSON, XML, CSV or text.

use std::{borrow::Cow, collections::HashMap};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{charset, csv::Rows, json::VALUES, xml};
use satchel_model::json::holds_more_values;

/// Memory the rows of a body may take: each holds its names again.
const TEXT: usize = 24 << 20;
/// Memory of a cell beside its text and its name.
const CELL: usize = 96;

/// The format a body was read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// Reads a body. What is not what it says it is, is text, and so are rows of more columns or cells and JSON of more values
/// than are read; what is not text, is binary with no value.
pub fn parse(bytes: &[u8], content_type: Option<&str>) -> (Form, Value) {
    if bytes.is_empty() {
        return (Form::Empty, Value::Null);
    }
    let (media, charset) = split(content_type.unwrap_or_default());
    let Some(text) = decode(bytes, &media, charset) else { return (Form::Binary, Value::Null) };
    let text = text.trim_start_matches('\u{feff}');
    let first = text.trim_start().chars().next();
    let says_nothing = media.is_empty() || media == "text/plain" || media == "application/octet-stream";
    if (is_json(&media) || (says_nothing && matches!(first, Some('{' | '[')))) && !holds_more_values(text, VALUES) {
        if let Ok(value) = serde_json::from_str(text) {
            return (Form::Json, value);
        }
        if let Some(lines) = json_lines(text) {
            return (Form::Json, lines);
        }
    }
    if (is_xml(&media) || (says_nothing && text.trim_start().starts_with("<?xml")))
        && let Ok(value) = xml::to_json(text)
    {
        return (Form::Xml, value);
    }
    if is_rows(&media)
        && let Some(value) = csv(text, media.ends_with("values"))
    {
        return (Form::Csv, value);
    }
    (Form::Text, Value::from(text))
}

/// Reads a body as text, whatever it says it is.
pub fn text(bytes: &[u8], content_type: Option<&str>) -> (Form, Value) {
    let (media, charset) = split(content_type.unwrap_or_default());
    match decode(bytes, &media, charset) {
        Some(text) => (Form::Text, Value::from(text.trim_start_matches('\u{feff}'))),
        None => (Form::Binary, Value::Null),
    }
}

/// Returns whether a body is XML or rows, to be read by more than a decoder or a parser of JSON.
pub fn is_xml_or_rows(bytes: &[u8], content_type: Option<&str>) -> bool {
    let (media, _) = split(content_type.unwrap_or_default());
    is_xml(&media) || is_rows(&media) || bytes.trim_ascii_start().starts_with(b"<?xml")
}

/// Its text; `None` if it is binary.
fn decode<'a>(bytes: &'a [u8], media: &str, charset: Option<String>) -> Option<Cow<'a, str>> {
    let charset = charset.or_else(|| charset::of_xml(bytes));
    if is_binary((media, charset.as_deref()), bytes) {
        return None;
    }
    charset::decode(bytes, charset.as_deref()).ok().map(|(text, _)| text)
}

fn is_xml(media: &str) -> bool {
    media.ends_with("/xml") || media.ends_with("+xml")
}

fn is_rows(media: &str) -> bool {
    matches!(media, "text/csv" | "application/csv" | "text/tab-separated-values")
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

fn is_binary((media, charset): (&str, Option<&str>), bytes: &[u8]) -> bool {
    let kind = media.split('/').next().unwrap_or_default();
    let declared = matches!(kind, "image" | "audio" | "video" | "font") && !media.ends_with("+xml");
    // Half of the bytes of UTF-16 are often zeros.
    let is_wide = || {
        let says_so = charset.is_some_and(|charset| charset.to_ascii_lowercase().starts_with("utf-16"));
        says_so || bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
    };
    declared
        || matches!(media, "application/pdf" | "application/zip")
        || (bytes.iter().take(1_024).any(|byte| *byte == 0) && !is_wide())
}

/// Rows under the names of the first one; `None` if they are more than are read.
fn csv(text: &str, by_tabs: bool) -> Option<Value> {
    let first = text.lines().next().unwrap_or_default();
    let separator = match by_tabs {
        true => b'\t',
        false if first.matches(';').count() > first.matches(',').count() => b';',
        false => b',',
    };
    let (mut reader, mut names) = (Rows::new(text, separator), Names::default());
    reader.read().ok()?.into_iter().flatten().for_each(|name| names.add(name.trim()));
    let (mut left, mut rows) = (TEXT, Vec::new());
    while let Some(cells) = reader.read().ok()? {
        while names.all.len() < cells.len() {
            names.add("");
        }
        let named = || names.all.iter().zip(cells);
        left = left.checked_sub(named().map(|(name, cell)| name.len() + cell.len() + CELL).sum())?;
        let row = named().map(|(name, cell)| (name.clone(), Value::from(cell)));
        rows.push(Value::Object(row.collect::<Map<_, _>>()));
    }
    Some(Value::Array(rows))
}

/// The names of columns: each is another.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    /// Each with the number that the next of its name gets.
    taken: HashMap<String, usize>,
}

impl Names {
    /// One that is there already is numbered: `name`, `name_2`; none is `column_` and its number.
    fn add(&mut self, name: &str) {
        let base = if name.is_empty() { format!("column_{}", self.all.len() + 1) } else { name.to_owned() };
        let mut number = self.taken.get(&base).copied().unwrap_or(1);
        let mut own = base.clone();
        while number > 1 && self.taken.contains_key(&own) {
            own = format!("{base}_{number}");
            number += 1;
        }
        self.taken.insert(base, number.max(2));
        self.taken.entry(own.clone()).or_insert(2);
        self.all.push(own);
    }
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
    fn columns_of_one_name_are_numbered_and_none_is_lost() {
        let read = parse(b"id,name,name,,name_2\n1,a,b,c,d,e\n2,f\n", Some("text/csv"));
        let first = json!({"id": "1", "name": "a", "name_2": "b", "column_4": "c", "name_2_2": "d", "column_6": "e"});
        assert_eq!(read, (Form::Csv, json!([first, {"id": "2", "name": "f"}])));
    }

    #[test]
    fn a_wide_row_costs_the_rows_after_it_nothing_and_too_wide_a_one_leaves_the_body_text() {
        let rows = |wide: usize| format!("x\n{}\n{}", ",".repeat(wide), "a\n".repeat(120_000));
        let (form, value) = parse(rows(10_000).as_bytes(), Some("text/csv"));
        assert_eq!((form, value.as_array().map(Vec::len)), (Form::Csv, Some(120_001)));
        assert_eq!(value[1], json!({"x": "a"}));
        let too_wide = rows(200_000);
        assert_eq!(parse(too_wide.as_bytes(), Some("text/csv")), (Form::Text, json!(too_wide)));
        let names = format!("{}\n1\n", ",".repeat(20_000));
        assert_eq!(parse(names.as_bytes(), Some("text/csv")).0, Form::Text);
        // Each row repeats the long name.
        let repeated = format!("{}\n{}", "n".repeat(1_000), "1\n".repeat(200_000));
        assert_eq!(parse(repeated.as_bytes(), Some("text/csv")).0, Form::Text);
    }

    #[test]
    fn json_of_more_values_than_are_read_is_text() {
        let zeros = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        assert_eq!(parse(zeros(250_000).as_bytes(), Some("application/json")).0, Form::Json);
        let many = zeros(250_001);
        assert_eq!(parse(many.as_bytes(), Some("application/json")), (Form::Text, json!(many)));
        let lines = "0\n".repeat(300_000);
        assert_eq!(parse(lines.as_bytes(), Some("application/x-ndjson")).0, Form::Text);
    }

    #[test]
    fn encodings_are_those_the_head_or_the_document_names() {
        let xml = "<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><a>日本</a>";
        let bytes = encoding_rs::SHIFT_JIS.encode(xml).0;
        assert_eq!(parse(&bytes, Some("application/xml")), (Form::Xml, json!({"a": "日本"})));
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        for (media, body, form, value) in [
            ("application/json; charset=utf-16le", r#"{"a":"日本"}"#, Form::Json, json!({"a": "日本"})),
            ("text/xml; charset=utf-16", "<a>1</a>", Form::Xml, json!({"a": "1"})),
            ("text/csv; charset=UTF-16", "a,b\n1,2\n", Form::Csv, json!([{"a": "1", "b": "2"}])),
        ] {
            assert_eq!(parse(&wide(body), Some(media)), (form, value), "{media}");
        }
        let marked = [&[0xff, 0xfe][..], &wide("<a>1</a>")].concat();
        assert_eq!(parse(&marked, Some("text/xml")), (Form::Xml, json!({"a": "1"})));
        assert_eq!(parse(&[0xff, 0xfe, 0, 0, 1, 0], Some("application/octet-stream")).0, Form::Binary);
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
