//! The output of commands, and the questions they ask.

use std::io::{self, BufRead, IsTerminal, Write};

use serde_json::Value;

use super::run::Exit;
use satchel_model::{
    error::{Error, Result},
    secret::Secret,
    unseen::visible,
};

/// Standard output, as JSON or for a person.
pub(super) struct Screen {
    json: bool,
}

impl Screen {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints `value` as JSON where that was asked for, else what `text` makes of it.
    pub(super) fn show(&self, value: &Value, text: impl FnOnce(&Value) -> String) -> Result<()> {
        let text = if self.json { serde_json::to_string_pretty(value).map_err(Error::internal)? } else { text(value) };
        line(&mut io::stdout().lock(), &text)
    }

    /// Tells how far something is; beside the output, where that is JSON.
    pub(super) fn note(&self, text: &str) {
        // Nobody who reads it is no reason to stop.
        let _ = match self.json {
            true => line(&mut io::stderr().lock(), text),
            false => line(&mut io::stdout().lock(), text),
        };
    }

    /// Says something beside the output, a line each.
    pub(super) fn beside(&self, lines: &[String]) -> Result<()> {
        lines.iter().try_for_each(|text| line(&mut io::stderr().lock(), text))
    }

    /// Says what is wrong with the command line.
    pub(super) fn refuse(&self, error: &Error) -> Result<Exit> {
        line(&mut io::stderr().lock(), &format!("satchel: {error}"))?;
        Ok(Exit::Usage)
    }
}

fn line(out: &mut impl Write, text: &str) -> Result<()> {
    match writeln!(out, "{}", text.trim_end()) {
        // Whoever read the output has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(Error::internal),
    }
}

/// Rows as aligned columns under a head.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |n: usize| {
        let cells = rows.iter().filter_map(|row| row.get(n)).map(|cell| cell.chars().count());
        cells.chain(head.get(n).map(|h| h.len())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let render = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells.zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![render(&mut head.iter().copied())];
    lines.extend(rows.iter().map(|row| render(&mut row.iter().map(String::as_str))));
    lines.join("\n")
}

/// A field of a row as text; empty where it is missing.
pub(super) fn cell(row: &Value, field: &str) -> String {
    match row.get(field) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => {
            let name = |item: &Value| item.as_str().or_else(|| item.get("name")?.as_str()).map(str::to_owned);
            items.iter().filter_map(name).collect::<Vec<_>>().join(", ")
        }
        Some(other) => other.to_string(),
    }
}

/// A list answer as a table of these fields.
pub(super) fn listing(rows: &Value, fields: &[&str]) -> String {
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    let cells: Vec<Vec<String>> = rows.iter().map(|row| fields.iter().map(|f| cell(row, f)).collect()).collect();
    table(fields, &cells)
}

/// Asks yes or no; what a person decides about hides nothing. Without a terminal the answer is none.
pub(super) fn confirm(question: &str) -> Result<Option<bool>> {
    if !io::stdin().is_terminal() {
        return Ok(None);
    }
    prompt(&format!("{} [y/N] ", visible(question)))?;
    let answer = read_line()?;
    Ok(Some(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str())))
}

/// A password: typed unseen at a terminal, else the first line of standard input.
pub(super) fn password(question: &str) -> Result<Secret> {
    if !io::stdin().is_terminal() {
        return Ok(Secret::new(read_line()?.trim_end_matches(['\r', '\n'])));
    }
    prompt(&format!("{question}: "))?;
    let typed = unseen(read_line)?;
    prompt("\n")?;
    Ok(Secret::new(typed.trim_end_matches(['\r', '\n'])))
}

fn prompt(text: &str) -> Result<()> {
    let mut out = io::stderr().lock();
    write!(out, "{text}").and_then(|()| out.flush()).map_err(Error::internal)
}

fn read_line() -> Result<String> {
    let mut text = String::new();
    io::stdin().lock().read_line(&mut text).map_err(Error::internal)?;
    Ok(text)
}

/// Reads with the terminal's echo off, and puts it back whatever happens.
fn unseen(read: impl FnOnce() -> Result<String>) -> Result<String> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let stdin = io::stdin();
    let before = tcgetattr(&stdin).map_err(Error::internal)?;
    let mut quiet = before.clone();
    quiet.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &quiet).map_err(Error::internal)?;
    let text = read();
    tcsetattr(&stdin, OptionalActions::Flush, &before).map_err(Error::internal)?;
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_listing_aligns_its_columns() {
        let rows = json!([{"name": "a", "tags": ["x", "y"]}, {"name": "longer"}]);
        assert_eq!(listing(&rows, &["name", "tags"]), "name    tags\na       x, y\nlonger");
    }
}
