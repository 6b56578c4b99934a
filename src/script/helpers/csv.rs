//! Comma-separated values, quoted as RFC 4180 has it.

use csv::{ReaderBuilder, StringRecord, WriterBuilder};
use rhai::{Array, Dynamic, Engine, Map};

use super::{
    Group, Helper,
    list::helper,
    tables::{cell, columns_of},
    values::{Fallible, check_array, check_text, fail, kind, quoted, scalar_text},
};

pub(super) const GROUP: Group = Group { name: "csv", helpers: HELPERS, register };

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("parse_csv(text) -> array", "Maps of texts, keyed by the first line; a row of another length is an error that names its line. Empty names become column_2, repeated ones name_2.", r#"parse_csv("id,name\n1,\"Doe, Ann\"\n")"#, r#"[{"id": "1", "name": "Doe, Ann"}]"#),
    helper("parse_csv(text, delimiter) -> array", "The same with another delimiter, one ASCII character such as ; or \\t.", r#"parse_csv("a;b\n1;2", ";")"#, r#"[{"a": "1", "b": "2"}]"#),
    helper("csv_rows(text, delimiter) -> array", "Rows as arrays, of any length, the first one too.", r#"csv_rows("a,b\n1", ",")"#, r#"[["a", "b"], ["1"]]"#),
    helper("csv_columns(text, delimiter) -> array", "The names of the columns, in their order.", r#"csv_columns("b,a\n1,2", ",")"#, r#"["b", "a"]"#),
    helper("to_csv(rows) -> text", "A line of names and one for every map, a column for every key in any of them (sorted), quoted where needed.", r#"to_csv([#{a: 1, b: "x, y"}])"#, r#""a,b\n1,\"x, y\"\n""#),
    helper("to_csv(rows, columns) -> text", "The same with these columns, in this order.", r#"to_csv([#{a: 1, b: 2}], ["b", "a"])"#, r#""b,a\n2,1\n""#),
    helper("to_csv(rows, columns, delimiter) -> text", "The same with another delimiter.", r#"to_csv([#{a: 1, b: 2}], ["a", "b"], ";")"#, r#""a;b\n1;2\n""#),
];

fn register(engine: &mut Engine) {
    engine
        .register_fn("parse_csv", |text: &str| parse(text, ","))
        .register_fn("parse_csv", parse)
        .register_fn("csv_rows", |text: &str| rows(text, ","))
        .register_fn("csv_rows", rows)
        .register_fn("csv_columns", |text: &str| columns(text, ","))
        .register_fn("csv_columns", columns)
        .register_fn("to_csv", |rows: Array| {
            let columns = columns_of(&rows)?;
            write(rows, columns, ",")
        })
        .register_fn("to_csv", |rows: Array, columns: Array| write(rows, names(&columns)?, ","))
        .register_fn("to_csv", |rows: Array, columns: Array, delimiter: &str| write(rows, names(&columns)?, delimiter));
}

fn names(columns: &Array) -> Fallible<Vec<String>> {
    columns.iter().map(scalar_text).collect()
}

fn delimiter(text: &str) -> Fallible<u8> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => fail(format!("a delimiter is one ASCII character such as \",\" or \";\", not {}", quoted(text))),
    }
}

/// Values of a row after which its record is not used again: it keeps the room it took.
const WIDE: usize = 1_000;

/// Takes the records one after the other, with the lines they begin in. There is one record for all: a copy of one takes
/// room for as many values as the widest had.
fn records(text: &str, by: &str, mut take: impl FnMut(u64, &StringRecord) -> Fallible<()>) -> Fallible<()> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter(by)?).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let (mut record, mut values) = (StringRecord::new(), 0_usize);
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(_) => return fail("the text cannot be read as CSV"),
        }
        values = values.saturating_add(record.len());
        check_array(values)?;
        take(record.position().map_or(0, csv::Position::line), &record)?;
        if record.len() > WIDE {
            record = StringRecord::new();
        }
    }
}

fn rows(text: &str, by: &str) -> Fallible<Array> {
    let mut rows = Array::new();
    records(text, by, |_, record| {
        let row: Array = record.iter().map(|value| value.to_string().into()).collect();
        rows.push(row.into());
        Ok(())
    })?;
    Ok(rows)
}

fn head(record: &StringRecord) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (place, name) in record.iter().enumerate() {
        let name = name.trim();
        let plain = if name.is_empty() { format!("column_{}", place + 1) } else { name.to_string() };
        let mut unique = plain.clone();
        let mut again = 2;
        while names.contains(&unique) {
            unique = format!("{plain}_{again}");
            again += 1;
        }
        names.push(unique);
    }
    names
}

fn columns(text: &str, by: &str) -> Fallible<Array> {
    let mut names: Option<Vec<String>> = None;
    records(text, by, |_, record| {
        if names.is_none() {
            names = Some(head_of(record)?);
        }
        Ok(())
    })?;
    Ok(names.unwrap_or_default().into_iter().map(Into::into).collect())
}

fn head_of(record: &StringRecord) -> Fallible<Vec<String>> {
    if record.len() > 1_000 {
        return fail(format!("{} columns; at most 1,000 can be named", record.len()));
    }
    Ok(head(record))
}

fn parse(text: &str, by: &str) -> Fallible<Array> {
    let (mut head, mut rows): (Option<Vec<String>>, _) = (None, Array::new());
    records(text, by, |line, record| {
        let Some(names) = &head else {
            head = Some(head_of(record)?);
            return Ok(());
        };
        if record.len() != names.len() {
            return fail(format!(
                "line {line} has {} values, but there are {} columns: is the delimiter {by:?}, are quotes closed?",
                record.len(),
                names.len()
            ));
        }
        let row: Map =
            names.iter().zip(record).map(|(name, value)| (name.into(), Dynamic::from(value.to_string()))).collect();
        rows.push(row.into());
        Ok(())
    })?;
    Ok(rows)
}

fn write(rows: Array, columns: Vec<String>, by: &str) -> Fallible<String> {
    let mut writer = WriterBuilder::new().delimiter(delimiter(by)?).from_writer(Vec::new());
    let mut size = 0_usize;
    let mut put = |values: Vec<String>| {
        size = values.iter().map(|value| value.len() + 1).sum::<usize>().saturating_add(size);
        check_text(size)?;
        writer.write_record(&values).or_else(|_| fail("the row cannot be written"))
    };
    if !columns.is_empty() {
        put(columns.clone())?;
        for row in &rows {
            let Ok(row) = row.as_map_ref() else {
                return fail(format!("an array of maps is expected; one of the rows is {}", kind(row)));
            };
            put(columns.iter().map(|column| cell(row.get(column.as_str()))).collect::<Fallible<_>>()?)?;
        }
    }
    let text = writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.map_or_else(|| fail("the rows cannot be written"), Ok)?;
    check_text(text.len())?;
    Ok(text)
}
