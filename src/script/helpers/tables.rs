//! Tables in Markdown, of rows and back.

use rhai::{Array, Dynamic, Engine, Map};

use super::{
    Group, Helper,
    list::helper,
    values::{Fallible, check_array, fail, kind, push, scalar_text, to_json_text},
};

pub(super) const GROUP: Group = Group { name: "tables", helpers: HELPERS, register };

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("markdown_table(rows) -> text", "A Markdown table of maps, a column for every key in any of them (sorted); numbers stand right; | and line ends are escaped.", r#"markdown_table([#{a: 1, b: "x|y"}])"#, r#""| a | b |\n| ---: | --- |\n| 1 | x\\|y |\n""#),
    helper("markdown_table(rows, columns) -> text", "The same with these columns, in this order.", r#"markdown_table([#{a: 1, b: 2}], ["b"])"#, r#""| b |\n| ---: |\n| 2 |\n""#),
    helper("parse_markdown_table(text) -> array", "The rows of the first Markdown table in a text, as maps of texts; an error if there is none.", r#"parse_markdown_table("| a | b |\n|---|---|\n| 1 | x\\|y |")"#, r#"[{"a": "1", "b": "x|y"}]"#),
];

fn register(engine: &mut Engine) {
    engine
        .register_fn("markdown_table", |rows: Array| {
            let columns = columns_of(&rows)?;
            table(rows, columns)
        })
        .register_fn("markdown_table", |rows: Array, columns: Array| {
            table(rows, columns.iter().map(scalar_text).collect::<Fallible<_>>()?)
        })
        .register_fn("parse_markdown_table", parse);
}

/// Every key of any row, sorted.
pub(super) fn columns_of(rows: &Array) -> Fallible<Vec<String>> {
    let mut columns = std::collections::BTreeSet::new();
    for row in rows {
        let Ok(row) = row.as_map_ref() else {
            return fail(format!("an array of maps is expected; one of the rows is {}", kind(row)));
        };
        columns.extend(row.keys().map(ToString::to_string));
    }
    Ok(columns.into_iter().collect())
}

/// Returns the text of a cell: scalars as they are, the rest as JSON.
pub(super) fn cell(value: Option<&Dynamic>) -> Fallible<String> {
    let Some(value) = value else { return Ok(String::new()) };
    if value.is_array() || value.is_map() {
        return to_json_text(value);
    }
    scalar_text(value)
}

fn table(rows: Array, columns: Vec<String>) -> Fallible<String> {
    let mut text = String::new();
    if columns.is_empty() {
        return Ok(text);
    }
    let right = |column: &String| {
        let mut values = rows.iter().filter_map(|row| row.as_map_ref().ok()?.get(column.as_str()).cloned());
        let numbers = values.clone().any(|value| !value.is_unit());
        numbers && values.all(|value| value.is_unit() || value.is_int() || value.is_float())
    };
    line(&mut text, columns.iter().map(|column| Ok(column.clone())), escape)?;
    let rules = columns.iter().map(|column| Ok(if right(column) { "---:".to_string() } else { "---".to_string() }));
    line(&mut text, rules, str::to_owned)?;
    for row in &rows {
        let Ok(row) = row.as_map_ref() else {
            return fail(format!("an array of maps is expected; one of the rows is {}", kind(row)));
        };
        line(&mut text, columns.iter().map(|column| cell(row.get(column.as_str()))), escape)?;
    }
    Ok(text)
}

fn line(text: &mut String, cells: impl Iterator<Item = Fallible<String>>, show: fn(&str) -> String) -> Fallible<()> {
    for cell in cells {
        push(text, "| ")?;
        push(text, &show(&cell?))?;
        push(text, " ")?;
    }
    push(text, "|\n")
}

fn escape(cell: &str) -> String {
    cell.replace('\\', "\\\\").replace('|', "\\|").replace("\r\n", "<br>").replace(['\n', '\r'], "<br>")
}

fn parse(text: &str) -> Fallible<Array> {
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.windows(2).position(|pair| matches!(pair, [head, rule] if head.contains('|') && is_rule(rule)));
    let Some(head) = head else {
        return fail("no Markdown table: a line of names and a line such as | --- | --- | are expected");
    };
    let names = cells(lines.get(head).copied().unwrap_or_default());
    let mut rows = Array::new();
    for line in lines.iter().skip(head + 2).take_while(|line| line.contains('|')) {
        check_array(rows.len() + 1)?;
        let values = cells(line).into_iter().map(Some).chain(std::iter::repeat(None));
        let row: Map =
            names.iter().zip(values).map(|(name, value)| (name.into(), value.unwrap_or_default().into())).collect();
        rows.push(row.into());
    }
    Ok(rows)
}

fn is_rule(line: &str) -> bool {
    let dashes = |cell: &String| cell.trim_matches(':').chars().all(|c| c == '-') && cell.contains('-');
    line.contains('-') && cells(line).iter().all(dashes)
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
    for letter in inner.chars() {
        match (escaped, letter) {
            (false, '\\') => escaped = true,
            (false, '|') => cells.push(std::mem::take(&mut cell).trim().to_string()),
            (true, '|' | '\\') | (false, _) => {
                cell.push(letter);
                escaped = false;
            }
            (true, _) => {
                cell.extend(['\\', letter]);
                escaped = false;
            }
        }
    }
    if !cell.trim().is_empty() {
        cells.push(cell.trim().to_string());
    }
    cells
}
