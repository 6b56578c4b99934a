//! JSON: one block for each record, every value with the path to it.

use serde_json::Value;

use super::{
    charset,
    extracted::{BlockKind, Draft, Table},
};
use satchel_model::{
    error::{Error, Result},
    json::holds_more_values,
};

/// Most values of a text: parsed, each takes many times its bytes.
pub(super) const VALUES: usize = 250_000;

/// Bytes of a block after which the next value begins a new one.
const FULL: usize = 1_500;

pub(super) fn read(bytes: &[u8], draft: &mut Draft) -> Result<()> {
    let (text, encoding) = charset::decode(bytes, None)?;
    draft.note("encoding", encoding);
    let text = text.trim_start_matches('\u{feff}');
    if holds_more_values(text, VALUES) {
        return Err(Error::invalid(format!(
            "The file holds more than {VALUES} values, and at most so many are read at once. Split it."
        )));
    }
    let value = match serde_json::from_str::<Value>(text) {
        Ok(value) => value,
        Err(e) => lines(text).ok_or_else(|| Error::invalid(format!("The file is not valid JSON: {e}.")))?,
    };
    if let Some(Value::String(title)) = value.get("title").or_else(|| value.get("name")) {
        draft.title(title);
    }
    if let Some(table) = table(&value) {
        draft.keep(text.len())?;
        draft.done.tables.push(table);
    }
    match &value {
        Value::Array(records) => {
            draft.note("records", records.len());
            records.iter().try_for_each(|record| block(record, draft))
        }
        other => block(other, draft),
    }
}

/// JSON in lines, where every line is a value.
fn lines(text: &str) -> Option<Value> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .by_ref()
        .map(|line| serde_json::from_str(line).ok())
        .collect::<Option<Vec<Value>>>()
        .filter(|all| all.len() > 1)
        .map(Value::Array)
}

fn block(value: &Value, draft: &mut Draft) -> Result<()> {
    let mut out = String::new();
    flatten(value, &mut String::new(), &mut out, draft)?;
    draft.block(BlockKind::Paragraph, &out, None)
}

/// One line for each leaf: `path: value`. The parser has bounded the depth.
fn flatten(value: &Value, path: &mut String, out: &mut String, draft: &mut Draft) -> Result<()> {
    let before = path.len();
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if before > 0 {
                    path.push('.');
                }
                path.push_str(key);
                flatten(value, path, out, draft)?;
                path.truncate(before);
            }
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            for item in items {
                flatten(item, path, out, draft)?;
            }
        }
        Value::Array(items) => {
            let joined: Vec<String> = items.iter().map(plain).collect();
            line(path, &joined.join(", "), out);
        }
        leaf => line(path, &plain(leaf), out),
    }
    if out.len() > FULL {
        draft.block(BlockKind::Paragraph, out, None)?;
        out.clear();
    }
    Ok(())
}

fn line(path: &str, value: &str, out: &mut String) {
    if !path.is_empty() {
        out.push_str(path);
        out.push_str(": ");
    }
    out.push_str(value);
    out.push('\n');
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An array of flat objects with the same keys is a table.
fn table(value: &Value) -> Option<Table> {
    let records = value.as_array().filter(|records| records.len() > 1)?;
    let head: Vec<&String> = records.first()?.as_object()?.keys().collect();
    let row = |record: &Value| {
        let map = record.as_object().filter(|map| map.len() == head.len())?;
        let cell = |key: &&String| map.get(*key).filter(|value| !value.is_object() && !value.is_array()).map(plain);
        head.iter().map(cell).collect::<Option<Vec<String>>>()
    };
    let body = records.iter().map(row).collect::<Option<Vec<_>>>()?;
    let head = head.into_iter().cloned().collect();
    Some(Table { rows: std::iter::once(head).chain(body).collect(), ..Table::default() })
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            extracted::{Extracted, Kind},
            limits::Limits,
        },
        *,
    };

    fn extracted(text: &str) -> Result<Extracted> {
        let mut draft = Draft::new(Kind::Json, &Limits::default());
        read(text.as_bytes(), &mut draft).map(|()| draft.done)
    }

    #[test]
    fn every_value_keeps_the_path_to_it() {
        let read = extracted(r#"{"name": "Ada", "address": {"city": "Ulm"}, "tags": ["a", "b"], "kids": [{"n": 1}]}"#);
        assert_eq!(read.unwrap().text(), "name: Ada\naddress.city: Ulm\ntags: a, b\nkids.n: 1");
    }

    #[test]
    fn records_are_blocks_and_flat_ones_a_table() {
        let read = extracted("{\"id\": 1, \"v\": \"x\"}\n{\"id\": 2, \"v\": null}\n").unwrap();
        assert_eq!(read.blocks.len(), 2);
        assert_eq!(read.tables[0].rows, [["id", "v"], ["1", "x"], ["2", "null"]]);
    }

    #[test]
    fn values_are_counted_before_they_are_parsed() {
        let few = format!("{{\"a\": \"{}\", \"b\": [{}]}}\n", "[,{\\\"".repeat(100_000), "\n".repeat(300_000));
        assert!(extracted(&few).is_ok());
        for many in [format!("[{}0]", "0,".repeat(VALUES)), "{}\n".repeat(VALUES / 2 + 2), "[".repeat(VALUES + 1)] {
            assert!(extracted(&many).unwrap_err().message().contains("250000 values"));
        }
    }

    #[test]
    fn broken_and_bottomless_json_is_refused() {
        assert!(extracted("{\"a\": 1,\n oops}").unwrap_err().message().contains("line 2"));
        assert!(extracted(&"[".repeat(100_000)).unwrap_err().message().contains("recursion limit"));
    }
}
