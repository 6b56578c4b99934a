//! JSON: reading, writing, and finding values in it.

use rhai::{Dynamic, Engine, Map};
use serde_json::Value;

use super::{
    Group, Helper, jq,
    list::helper,
    values::{Fallible, check_text, fail, from_json, quoted, to_json, to_json_text},
};

pub(super) const GROUP: Group = Group { name: "json", helpers: HELPERS, register };

/// Longest path, in bytes.
const MAX_PATH: usize = 1_000;

#[rustfmt::skip]
const HELPERS: &[Helper] = &[
    helper("parse_json(text) -> value", "Reads JSON; an error names the line and column. Whole numbers beyond 64 bits become floats.", r#"parse_json("[1, {\"a\": null}]")"#, r#"[1, {"a": null}]"#),
    helper("to_json(value) -> text", "Writes JSON in one line, the keys of maps sorted; functions and blobs are errors.", r##"to_json(#{b: [1.5, "x"], a: ()})"##, r##""{\"a\":null,\"b\":[1.5,\"x\"]}""##),
    helper("to_json_pretty(value) -> text", "Writes JSON in many lines, indented by two.", "to_json_pretty([1])", r#""[\n  1\n]""#),
    helper("json_type(value) -> text", "null, boolean, integer, number, string, array or object.", "json_type(1.5)", r#""number""#),
    helper("json_path(value, path) -> value", "The value at a.b[0].c or a[\"odd key\"] or a[-1]; () where there is none.", r#"json_path(#{a: [#{b: 1}, #{b: 2}]}, "a[-1].b")"#, "2"),
    helper("json_path(value, path, otherwise) -> value", "The same, with another value where there is none or it is null.", r#"json_path(#{a: ()}, "a", 7)"#, "7"),
    helper("json_pointer(value, pointer) -> value", "The value at a JSON Pointer (RFC 6901: ~1 is /, ~0 is ~); () where there is none.", r#"json_pointer(#{"a/b": [10, 20]}, "/a~1b/1")"#, "20"),
    helper("jq(filter, value) -> array", "All outputs of a jq filter, at most 10,000; clocks, environment and input are errors, and one without end ends the script.", r##"jq(".[] | select(.n > 1) | .name", [#{n: 1, name: "a"}, #{n: 2, name: "b"}])"##, r#"["b"]"#),
    helper("jq_first(filter, value) -> value", "The first output of a jq filter, or ().", r#"jq_first("map(.n) | add", [#{n: 1}, #{n: 2}])"#, "3"),
];

fn register(engine: &mut Engine) {
    engine
        .register_fn("parse_json", parse)
        .register_fn("to_json", |value: Dynamic| write(&value))
        // Rhai has one of its own for maps
        .register_fn("to_json", |map: &mut Map| write(&Dynamic::from(map.clone())))
        .register_fn("to_json_pretty", |value: Dynamic| {
            let text = serde_json::to_string_pretty(&to_json(&value)?).unwrap_or_default();
            check_text(text.len()).map(|()| text)
        })
        .register_fn("json_type", json_type)
        .register_fn("json_path", |value: Dynamic, path: &str| at_path(value, path))
        .register_fn("json_path", |value: Dynamic, path: &str, otherwise: Dynamic| -> Fallible<Dynamic> {
            let found = at_path(value, path)?;
            Ok(if found.is_unit() { otherwise } else { found })
        })
        .register_fn("json_pointer", at_pointer);
    jq::register(engine);
}

fn parse(text: &str) -> Fallible<Dynamic> {
    let value: Result<Value, _> = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    value.map_or_else(|why| fail(format!("{} is not JSON: {why}", quoted(text))), from_json)
}

fn write(value: &Dynamic) -> Fallible<String> {
    let text = to_json_text(value)?;
    check_text(text.len())?;
    Ok(text)
}

fn json_type(value: Dynamic) -> Fallible<&'static str> {
    Ok(match to_json(&value)? {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}

/// One step of a path.
enum Step {
    Key(String),
    Place(i64),
}

fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (step, after) = match inner.strip_prefix('"') {
                Some(key) => key.split_once("\"]").map(|(key, after)| (Step::Key(key.to_string()), after))?,
                None => {
                    let (place, after) = inner.split_once(']')?;
                    (Step::Place(place.trim().parse().ok()?), after)
                }
            };
            steps.push(step);
            rest = after;
            continue;
        }
        let inner = rest.strip_prefix('.').unwrap_or(rest);
        let end = inner.find(['.', '[']).unwrap_or(inner.len());
        let (key, after) = inner.split_at_checked(end)?;
        if key.is_empty() {
            return None;
        }
        steps.push(Step::Key(key.to_string()));
        rest = after;
    }
    Some(steps)
}

fn at_path(value: Dynamic, path: &str) -> Fallible<Dynamic> {
    let Some(steps) = steps(path).filter(|_| path.len() <= MAX_PATH) else {
        return fail(format!("{} is no path: a.b[0].c or a[\"odd key\"] is expected", quoted(path)));
    };
    let mut value = value;
    for step in steps {
        value = match step {
            Step::Key(key) => field(&value, &key),
            Step::Place(place) => element(&value, place),
        };
    }
    Ok(value)
}

fn field(value: &Dynamic, key: &str) -> Dynamic {
    value.as_map_ref().ok().and_then(|map| map.get(key).cloned()).unwrap_or(Dynamic::UNIT)
}

fn element(value: &Dynamic, place: i64) -> Dynamic {
    let Ok(array) = value.as_array_ref() else { return Dynamic::UNIT };
    let back = usize::try_from(place.unsigned_abs()).unwrap_or(usize::MAX);
    let place = if place < 0 { array.len().checked_sub(back) } else { Some(back) };
    place.and_then(|place| array.get(place).cloned()).unwrap_or(Dynamic::UNIT)
}

fn at_pointer(value: Dynamic, pointer: &str) -> Fallible<Dynamic> {
    if pointer.is_empty() {
        return Ok(value);
    }
    let Some(rest) = pointer.strip_prefix('/').filter(|_| pointer.len() <= MAX_PATH) else {
        return fail(format!("{} is no JSON Pointer: it begins with /, such as /a/0", quoted(pointer)));
    };
    let mut value = value;
    for token in rest.split('/') {
        let key = token.replace("~1", "/").replace("~0", "~");
        let whole = token == "0" || !token.starts_with('0');
        value = match token.parse::<u32>().ok().filter(|_| whole && value.is_array()) {
            Some(place) => element(&value, place.into()),
            None => field(&value, &key),
        };
    }
    Ok(value)
}
