//! Values between a script and JSON, and the checks every helper begins with: nothing is built before its size is known.

use std::cell::Cell;

use rhai::{Array, Dynamic, EvalAltResult};
use serde::{
    Deserialize,
    ser::{self, Serialize, SerializeMap, Serializer},
};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use crate::{
    given::Given,
    limits::{MAX_ARRAY, MAX_STRING},
};

/// The result of a helper.
pub type Fallible<T> = Result<T, Box<EvalAltResult>>;

/// Deepest nesting of a value as JSON.
pub(super) const MAX_NESTING: usize = 64;
/// Longest value as JSON, in bytes, roughly: shared text counts each time it is written.
const MAX_WEIGHT: usize = 4 << 20;

/// An error with a message for the script's author.
pub(super) fn fail<T>(message: impl Into<String>) -> Fallible<T> {
    Err(message.into().into())
}

/// A text that is quoted in an error: its beginning.
pub(super) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short:?}…") } else { format!("{short:?}") }
}

/// Checks that a text of this length is one scripts may have.
///
/// # Errors
///
/// If it is not, with what is wrong with it.
pub(crate) fn text_fits(bytes: usize) -> Result<(), String> {
    if bytes > MAX_STRING {
        return Err(format!("the text would be {bytes} bytes long; at most {MAX_STRING} are allowed"));
    }
    Ok(())
}

/// The same of an array.
pub(crate) fn array_fits(elements: usize) -> Result<(), String> {
    if elements > MAX_ARRAY {
        return Err(format!("the array would have {elements} elements; at most {MAX_ARRAY} are allowed"));
    }
    Ok(())
}

/// Refuses a text that would be longer than scripts may have.
pub(super) fn check_text(bytes: usize) -> Fallible<()> {
    Ok(text_fits(bytes)?)
}

/// Refuses an array that would be longer than scripts may have.
pub(super) fn check_array(elements: usize) -> Fallible<()> {
    Ok(array_fits(elements)?)
}

/// Adds to a text as long as it may grow.
pub(super) fn push(text: &mut String, more: &str) -> Fallible<()> {
    check_text(text.len().saturating_add(more.len()))?;
    text.push_str(more);
    Ok(())
}

/// Collects what fits in an array.
pub(super) fn collect<T: Into<Dynamic>>(items: impl Iterator<Item = T>) -> Fallible<Array> {
    let mut array = Array::new();
    for item in items {
        check_array(array.len() + 1)?;
        array.push(item.into());
    }
    Ok(array)
}

/// A number, integer or not.
pub(super) fn number(value: &Dynamic) -> Fallible<f64> {
    if let Ok(integer) = value.as_int() {
        return Ok(integer as f64);
    }
    value.as_float().or_else(|_| fail(format!("a number is expected, not {}", kind(value))))
}

/// Returns the kind of a value, in a word.
pub(super) fn kind(value: &Dynamic) -> String {
    match value.type_name() {
        "()" => "nothing ()".into(),
        "i64" => "an integer".into(),
        "f64" | "float" => "a float".into(),
        "string" => "a text".into(),
        "array" => "an array".into(),
        "map" => "a map".into(),
        "Fn" => "a function".into(),
        other => other.rsplit("::").next().unwrap_or(other).to_string(),
    }
}

/// Returns the text of a scalar: texts without quotes.
///
/// # Errors
///
/// If it is an array, a map or a function.
pub(super) fn scalar_text(value: &Dynamic) -> Fallible<String> {
    if let Ok(text) = value.as_immutable_string_ref() {
        return Ok(text.to_string());
    }
    if value.is_unit() {
        return Ok(String::new());
    }
    if value.is_array() || value.is_map() || value.is_fnptr() || value.is_blob() {
        return fail(format!("a text or a number is expected, not {}; to_json makes a text of it", kind(value)));
    }
    Ok(value.to_string())
}

/// A value as JSON. Functions, blobs and numbers JSON does not know are errors, and so is what is too deep or too large.
///
/// # Errors
///
/// One line that says what cannot be JSON.
pub fn to_json(value: &Dynamic) -> Fallible<Value> {
    written(value, |json| serde_json::to_value(json))
}

/// The same, where an error begins with what the value was for.
///
/// # Errors
///
/// As [`to_json`].
pub fn json_of(purpose: &str, value: &Dynamic) -> Fallible<Value> {
    let json = serde_json::to_value(Json { value, depth: 0, weight: &Cell::new(0) });
    json.map_err(|error| format!("{purpose}: {error}").into())
}

/// The same as text, in one line.
///
/// # Errors
///
/// As [`to_json`].
pub(super) fn to_json_text(value: &Dynamic) -> Fallible<String> {
    written(value, |json| serde_json::to_string(json))
}

/// The same as text that goes into other JSON as it is.
///
/// # Errors
///
/// As [`to_json`].
pub fn to_raw_json(value: &Dynamic) -> Fallible<Box<RawValue>> {
    written(value, |json| to_raw_value(json))
}

fn written<T>(value: &Dynamic, write: impl FnOnce(&Json<'_>) -> serde_json::Result<T>) -> Fallible<T> {
    write(&Json { value, depth: 0, weight: &Cell::new(0) }).map_err(|error| error.to_string().into())
}

/// A part of a value that is written as JSON.
struct Json<'a> {
    value: &'a Dynamic,
    depth: usize,
    /// Of all that is written, so far.
    weight: &'a Cell<usize>,
}

impl Json<'_> {
    fn inner<'b>(&'b self, value: &'b Dynamic) -> Json<'b> {
        Json { value, depth: self.depth + 1, weight: self.weight }
    }

    fn weigh<E: ser::Error>(&self, more: usize) -> Result<(), E> {
        let weight = self.weight.get().saturating_add(more);
        self.weight.set(weight);
        if weight <= MAX_WEIGHT {
            return Ok(());
        }
        Err(E::custom(format!("the value is larger than {} MB as JSON", MAX_WEIGHT >> 20)))
    }

    /// Returns what it is, where JSON has no such thing.
    fn unknown(&self) -> String {
        match self.value.type_name() {
            kind if kind.contains("u8") || kind == "blob" => {
                "a blob cannot be JSON: write it with base64_encode".to_owned()
            }
            kind if kind.contains("ange") => "a range cannot be JSON: collect it into an array first".to_owned(),
            _ => format!("{} cannot be JSON", kind(self.value)),
        }
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.depth > MAX_NESTING {
            return Err(ser::Error::custom(format!("the value is nested deeper than {MAX_NESTING}")));
        }
        self.weigh(8)?;
        let value = self.value;
        if value.is_unit() {
            return serializer.serialize_unit();
        }
        if let Ok(truth) = value.as_bool() {
            return serializer.serialize_bool(truth);
        }
        if let Ok(integer) = value.as_int() {
            return serializer.serialize_i64(integer);
        }
        if let Ok(float) = value.as_float() {
            if !float.is_finite() {
                return Err(ser::Error::custom(format!("JSON has no number {float}")));
            }
            return serializer.serialize_f64(float);
        }
        if let Ok(letter) = value.as_char() {
            return serializer.serialize_char(letter);
        }
        if let Ok(text) = value.as_immutable_string_ref() {
            self.weigh(text.len())?;
            return serializer.serialize_str(&text);
        }
        if let Ok(array) = value.as_array_ref() {
            return serializer.collect_seq(array.iter().map(|item| self.inner(item)));
        }
        if let Ok(map) = value.as_map_ref() {
            let mut object = serializer.serialize_map(Some(map.len()))?;
            for (key, item) in map.iter() {
                self.weigh(key.len())?;
                object.serialize_entry(key.as_str(), &self.inner(item))?;
            }
            return object.end();
        }
        Err(ser::Error::custom(self.unknown()))
    }
}

/// JSON as a value: whole numbers beyond 64 bits become floats.
///
/// # Errors
///
/// Arrays and texts beyond what scripts may have.
pub fn from_json(value: Value) -> Fallible<Dynamic> {
    Given::deserialize(value).map(|Given(value)| value).map_err(|error| error.to_string().into())
}
