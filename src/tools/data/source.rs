//! The data that the data tools work on: text given as it is, or by the handle of a long result of this conversation.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};
use serde_json::Value;

use satchel_engine::{context::Context, validate::word};
use satchel_model::{
    error::{Error, Result},
    json::holds_more_values,
};
use satchel_services::results;
use satchel_store::results::handle_id;

/// A text that is longer, with what else is given, is worked on beside the async threads: the work may be as much as each of
/// the one for each of the other.
const LONG: usize = 4 * 1024;
/// Most values that are parsed at once: each takes many times its text in memory.
const MAX_VALUES: usize = 1_000_000;
/// Longest name of a field, in bytes.
const MAX_FIELD: usize = 1_000;

/// Does `work` on the text of `data`, given as it is or as `result:<id>`, with other arguments of so many bytes; off the
/// async threads where it is long.
pub(super) async fn read<T, F>(cx: &Context, data: String, others: usize, work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce(&str) -> Result<T> + Send + 'static,
{
    let text = if is_handle(&data) { results::whole(cx, &data).await? } else { data };
    if text.len().saturating_add(others) < LONG {
        return work(&text);
    }
    cx.work(move || work(&text)).await
}

/// Returns whether `data` is the handle of a long result.
pub(super) fn is_handle(data: &str) -> bool {
    handle_id(data).is_some()
}

/// As [`read`], for tools that work on the rows of a JSON array.
pub(super) async fn read_rows<T, F>(cx: &Context, data: String, others: usize, work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce(Vec<Value>) -> Result<T> + Send + 'static,
{
    read(cx, data, others, |text| work(rows(text)?)).await
}

/// Checks the length of a field's name: it is looked for in every row.
///
/// # Errors
///
/// If it is too long.
pub(super) fn ensure_name(field: &str) -> Result<()> {
    match field.len() <= MAX_FIELD {
        true => Ok(()),
        false => Err(Error::invalid(format!("A field's name may have {MAX_FIELD} bytes."))),
    }
}

/// Whole numbers of fewer digits fit into 64 bits.
const LONG_RUN: usize = 19;
/// Texts, which are passed over, and whole numbers that may be too long for 64 bits.
static LONG_NUMBERS: LazyLock<Result<Regex, regex::Error>> =
    LazyLock::new(|| Regex::new(r#""(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*"#));

/// Parses JSON; the error says where it stops being JSON. Whole numbers that do not fit into 64 bits become texts: as
/// numbers they would lose digits.
pub(super) fn json(text: &str) -> Result<Value> {
    let value = json_as_it_is(text)?;
    match with_long_numbers_as_texts(text) {
        Cow::Borrowed(_) => Ok(value),
        Cow::Owned(text) => json_as_it_is(&text),
    }
}

/// As [`json`], every number a number.
pub(super) fn json_as_it_is(text: &str) -> Result<Value> {
    // Programs of one vendor begin every file with a mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if holds_more_values(text, MAX_VALUES) {
        return Err(Error::invalid(format!(
            "'data' holds more than {MAX_VALUES} values, and at most so many are read at once."
        )));
    }
    serde_json::from_str(text).map_err(|e| Error::invalid(format!("'data' is not JSON: {e}.")))
}

/// Returns whether [`json`] makes a text of some number in it.
pub(super) fn has_long_numbers(text: &str) -> bool {
    matches!(with_long_numbers_as_texts(text), Cow::Owned(_))
}

/// Returns JSON, with its whole numbers beyond 64 bits between quotes; borrowed where there are none.
fn with_long_numbers_as_texts(text: &str) -> Cow<'_, str> {
    // Seldom is there any, and this is quick to see.
    let runs = text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() >= LONG_RUN);
    let (true, Ok(tokens)) = (runs, LONG_NUMBERS.as_ref()) else { return Cow::Borrowed(text) };
    let is_long = |token: &str| {
        let digits = token.strip_prefix('-').unwrap_or(token);
        digits.len() >= LONG_RUN
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && token.parse::<i64>().is_err()
            && token.parse::<u64>().is_err()
    };
    if !tokens.find_iter(text).any(|token| is_long(token.as_str())) {
        return Cow::Borrowed(text);
    }
    tokens.replace_all(text, |token: &Captures<'_>| {
        let token = token.get(0).map_or("", |token| token.as_str());
        if is_long(token) { format!("\"{token}\"") } else { token.to_owned() }
    })
}

/// The rows of a JSON array; the error says what `text` is instead and how to get at an array inside.
fn rows(text: &str) -> Result<Vec<Value>> {
    match json(text)? {
        Value::Array(rows) => Ok(rows),
        Value::Object(map) => {
            let arrays: Vec<&str> = map.iter().filter(|(_, v)| v.is_array()).map(|(k, _)| k.as_str()).take(5).collect();
            let hint = match arrays.as_slice() {
                [] => String::new(),
                names => format!(" Take the array out first, with parse_json and a path: {}.", names.join(", ")),
            };
            Err(Error::invalid(format!("'data' must be a JSON array, not object.{hint}")))
        }
        other => Err(Error::invalid(format!("'data' must be a JSON array, not {}.", word(&other)))),
    }
}

/// A field of a row: by its name, else by dots into nested objects. `None` if the row does not have it.
pub(super) fn field<'a>(row: &'a Value, name: &str) -> Option<&'a Value> {
    let map = row.as_object()?;
    map.get(name).or_else(|| {
        let (first, rest) = name.split_once('.')?;
        field(map.get(first)?, rest)
    })
}

/// A value as text: a string itself, everything else its JSON.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_is_found_by_its_name_before_its_dots() {
        let row = json!({"a.b": 1, "a": {"b": 2, "c": {"d": 3}}});
        assert_eq!(field(&row, "a.b"), Some(&json!(1)));
        assert_eq!(field(&row, "a.c.d"), Some(&json!(3)));
        assert_eq!(field(&row, "a.x"), None);
        assert_eq!(field(&json!([1]), "0"), None);
    }

    #[test]
    fn whole_numbers_beyond_64_bits_keep_their_digits_as_texts() {
        let text = r#"{"12345678901234567890123": [12345678901234567890123, -9223372036854775809, "a\" 99999999999999999999"]}"#;
        let wanted = json!({"12345678901234567890123": ["12345678901234567890123", "-9223372036854775809", "a\" 99999999999999999999"]});
        assert_eq!(json(text).unwrap(), wanted);
        assert!(has_long_numbers(text));
        let fitting =
            "[18446744073709551615, -9223372036854775808, 1234567890123456789.5, 1e30, 0.12345678901234567890]";
        assert!(!has_long_numbers(fitting));
        assert_eq!(json(fitting).unwrap()[0], json!(u64::MAX));
        assert!(json("[12345678901234567890123,").unwrap_err().message().contains("line 1 column 25"));
    }

    #[test]
    fn what_is_no_array_is_named_with_the_way_to_one() {
        let error = rows(r#"{"total": 2, "items": []}"#).unwrap_err();
        assert_eq!(
            error.message(),
            "'data' must be a JSON array, not object. Take the array out first, with parse_json and a path: items."
        );
        assert_eq!(rows("7").unwrap_err().message(), "'data' must be a JSON array, not number.");
        assert!(rows("[1,").unwrap_err().message().contains("line 1 column 3"));
        assert_eq!(rows("\u{feff}[1]").unwrap(), [json!(1)]);
    }
}
