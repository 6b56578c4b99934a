//! The lines of a script that hold tags: those of the header, and those that came too late.

use crate::header::{Place, cursor::Cursor, tags};
use satchel_model::script::Diagnostic;

/// The tags of the comment lines before the first line of code.
pub(super) fn tags_of(source: &str) -> Vec<(String, Place, Cursor)> {
    let mut found: Vec<(String, Place, Cursor)> = Vec::new();
    for (n, line) in source.lines().enumerate() {
        let number = n + 1;
        let indented = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        let Some(comment) = trimmed.strip_prefix("//") else { break };
        let text = comment.trim_start();
        let column = |text: &str| line.chars().count() - text.chars().count() - trailing(line) + 1;
        if let Some(tag) = text.strip_prefix('@') {
            let length = tag.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(tag.len());
            let (name, rest) = tag.split_at(length);
            let rest = rest.trim_start();
            let mut cursor = Cursor::new(number, column(rest));
            cursor.extend(rest, number, column(rest));
            found.push((name.to_owned(), (number, column(text)), cursor));
        } else if comment.starts_with("   ")
            && indented == 0
            && !text.is_empty()
            && let Some((_, _, cursor)) = found.last_mut()
        {
            cursor.extend(text, number, column(text));
        }
    }
    found
}

/// Warnings of what looks like a tag and stands below the header.
pub(super) fn late(source: &str) -> Vec<Diagnostic> {
    let body = source.lines().enumerate().skip_while(|(_, line)| is_header(line));
    let tags = body.filter_map(|(n, line)| {
        let text = line.trim().strip_prefix("//")?.trim_start();
        let word = text.strip_prefix('@')?.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
        let tag = tags::find(word)?;
        let column = line.chars().count() - text.chars().count() - trailing(line) + 1;
        let message = format!("'@{word}' says nothing here: the header ends where the script begins.");
        let problem = Diagnostic::warning(n + 1, column, message).long(tag.name.len() + 1);
        Some(problem.hint("Put it above the first line of the script."))
    });
    tags.collect()
}

fn is_header(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with("//")
}

fn trailing(line: &str) -> usize {
    line.chars().count() - line.trim_end().chars().count()
}
