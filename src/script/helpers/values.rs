//! Values between a script and JSON, and the checks every helper begins with: nothing is built before its size is known.

use rhai::{Array, Dynamic, EvalAltResult, Map};
use serde_json::{Number, Value};

use crate::script::limits::{MAX_ARRAY, MAX_STRING};

/// What a helper gives.
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

/// Refuses a text that would be longer than scripts may have.
pub(super) fn check_text(bytes: usize) -> Fallible<()> {
    if bytes > MAX_STRING {
        return fail(format!("the text would be {bytes} bytes long; at most {MAX_STRING} are allowed"));
    }
    Ok(())
}

/// Refuses an array that would be longer than scripts may have.
pub(super) fn check_array(elements: usize) -> Fallible<()> {
    if elements > MAX_ARRAY {
        return fail(format!("the array would have {elements} elements; at most {MAX_ARRAY} are allowed"));
    }
    Ok(())
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

/// What a value is, in a word.
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

/// What a text shows of a scalar: texts without quotes; an error for arrays, maps and functions.
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
/// One line that says what cannot be JSON.
pub fn to_json(value: &Dynamic) -> Fallible<Value> {
    write(value, 0, &mut 0)
}

fn write(value: &Dynamic, depth: usize, weight: &mut usize) -> Fallible<Value> {
    if depth > MAX_NESTING {
        return fail(format!("the value is nested deeper than {MAX_NESTING}"));
    }
    weigh(weight, 8)?;
    if value.is_unit() {
        return Ok(Value::Null);
    }
    if let Ok(truth) = value.as_bool() {
        return Ok(Value::Bool(truth));
    }
    if let Ok(integer) = value.as_int() {
        return Ok(integer.into());
    }
    if let Ok(float) = value.as_float() {
        let number = Number::from_f64(float);
        return number.map_or_else(|| fail(format!("JSON has no number {float}")), |n| Ok(Value::Number(n)));
    }
    if let Ok(letter) = value.as_char() {
        return Ok(letter.to_string().into());
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        weigh(weight, text.len())?;
        return Ok(text.as_str().into());
    }
    if let Ok(array) = value.as_array_ref() {
        return array.iter().map(|item| write(item, depth + 1, weight)).collect();
    }
    if let Ok(map) = value.as_map_ref() {
        let mut object = serde_json::Map::with_capacity(map.len());
        for (key, item) in map.iter() {
            weigh(weight, key.len())?;
            object.insert(key.to_string(), write(item, depth + 1, weight)?);
        }
        return Ok(Value::Object(object));
    }
    match value.type_name() {
        kind if kind.contains("u8") || kind == "blob" => fail("a blob cannot be JSON: write it with base64_encode"),
        kind if kind.contains("ange") => fail("a range cannot be JSON: collect it into an array first"),
        _ => fail(format!("{} cannot be JSON", kind(value))),
    }
}

fn weigh(weight: &mut usize, more: usize) -> Fallible<()> {
    *weight = weight.saturating_add(more);
    if *weight > MAX_WEIGHT {
        return fail(format!("the value is larger than {} MB as JSON", MAX_WEIGHT >> 20));
    }
    Ok(())
}

/// JSON as a value: whole numbers beyond 64 bits become floats.
///
/// # Errors
/// Arrays, texts and nesting beyond what scripts may have.
pub fn from_json(value: Value) -> Fallible<Dynamic> {
    Ok(match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(truth) => truth.into(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().unwrap_or(f64::NAN).into(),
        },
        Value::String(text) => {
            check_text(text.len())?;
            text.into()
        }
        Value::Array(items) => {
            check_array(items.len())?;
            items.into_iter().map(from_json).collect::<Fallible<Array>>()?.into()
        }
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, item)| Ok((key.into(), from_json(item)?)));
            fields.collect::<Fallible<Map>>()?.into()
        }
    })
}
