//! Words of a tag: names, choices, times, types, and lists of them.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Parsed, duration};
use crate::header::{Kind, Place, cursor::Cursor};
use satchel_model::caller::Permission;

/// Shortest time a call may ask for.
const MIN_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest time a call may ask for.
const MAX_TIMEOUT: Duration = Duration::from_secs(120);
/// Longest name: `script__` and it must fit a wire name.
const MAX_NAME: usize = 48;

pub(super) fn tool_name(cursor: &mut Cursor) -> Parsed<String> {
    let start = cursor.mark();
    let name = cursor.remainder();
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if starts_well && plain && name.len() <= MAX_NAME {
        return Ok(name);
    }
    let problem = cursor.error_at(start, format!("'{name}' cannot be a tool's name.")).long(name.chars().count());
    Err(problem.hint(format!("Use small letters, digits and _, beginning with a letter, {MAX_NAME} at most.")))
}

pub(super) fn choice<T: DeserializeOwned>(cursor: &mut Cursor, what: &str, known: &[&str]) -> Parsed<T> {
    let start = cursor.mark();
    let word = cursor.word().unwrap_or_default();
    serde_json::from_value(Value::String(word.clone())).map_err(|_| {
        let problem = cursor.error_at(start, format!("'{word}' is not a {what}.")).long(word.chars().count());
        problem.hint(format!("There are: {}.", known.join(", ")))
    })
}

pub(super) fn permission(cursor: &mut Cursor) -> Parsed<String> {
    let start = cursor.mark();
    let text = cursor.word().unwrap_or_default();
    match text.parse::<Permission>() {
        Ok(permission) if permission.as_str() != "*" => Ok(text),
        Ok(_) => Err(cursor.error_at(start, "'*' is not one permission.").hint("Name the one the caller needs.")),
        Err(error) => Err(cursor.error_at(start, error.message()).long(text.chars().count())),
    }
}

pub(super) fn timeout(cursor: &mut Cursor) -> Parsed<Duration> {
    let start = cursor.mark();
    let text = cursor.word().unwrap_or_default();
    let within = duration(&text).filter(|time| (MIN_TIMEOUT..=MAX_TIMEOUT).contains(time) && time.subsec_nanos() == 0);
    within.ok_or_else(|| {
        let problem = cursor.error_at(start, format!("'{text}' is not a time a call may take."));
        problem.long(text.chars().count()).hint(format!("Write whole seconds, 1s to {}s.", MAX_TIMEOUT.as_secs()))
    })
}

pub(super) fn identifier(cursor: &mut Cursor, what: &str) -> Parsed<String> {
    let start = cursor.mark();
    let name = cursor.word().unwrap_or_default();
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain && name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.len() <= MAX_NAME {
        return Ok(name);
    }
    let problem =
        cursor.error_at(start, format!("'{name}' cannot be the name of a {what}.")).long(name.chars().count());
    Err(problem.hint("Use letters, digits and _, beginning with a letter."))
}

pub(super) fn kind(cursor: &mut Cursor) -> Parsed<Kind> {
    let mut kind = if cursor.sees_text() {
        let mut values = vec![cursor.json::<String>("a text in quotes")?];
        while cursor.take("|") {
            values.push(cursor.json::<String>("a text in quotes")?);
        }
        Kind::OneOf(values)
    } else {
        let start = cursor.mark();
        let word = cursor.word().unwrap_or_default();
        Kind::from_word(&word).ok_or_else(|| {
            let problem = cursor.error_at(start, format!("'{word}' is not a type.")).long(word.chars().count());
            problem.hint(format!(
                "There are: {}, a list such as string[], or values such as \"a\" | \"b\".",
                Kind::WORDS.join(", ")
            ))
        })?
    };
    while cursor.take("[]") {
        kind = Kind::List(Box::new(kind));
    }
    Ok(kind)
}

pub(super) fn description(cursor: &mut Cursor, syntax: &str) -> Parsed<String> {
    if cursor.sees_text() {
        return cursor.json("a text in quotes");
    }
    Err(cursor.error("Here what it is should stand, in quotes.").hint(format!("Write {syntax}.")))
}

/// Words with commas between them; `each` says what is wrong with one.
pub(super) fn list(cursor: &mut Cursor, mut each: impl FnMut(String, Place) -> Result<(), String>) -> Parsed<()> {
    loop {
        let start = cursor.mark();
        let Some(word) = cursor.word() else { return Err(cursor.error("Here a name is missing.")) };
        let length = word.chars().count();
        each(word, cursor.place(start)).map_err(|message| cursor.error_at(start, message).long(length))?;
        if !cursor.take(",") {
            return Ok(());
        }
    }
}
