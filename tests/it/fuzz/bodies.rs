//! Bodies that are wrong in one place each, and some that are wrong all over.

use rand::{RngExt, rngs::StdRng};
use serde_json::{Map, Value, json};

use super::{
    document::Body,
    values::{self, Odd, plain, surely_wrong},
};

/// A body to be sent.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) what: String,
    pub(super) content_type: String,
    pub(super) bytes: Vec<u8>,
    /// The refusal, if it must be refused: what it must name.
    pub(super) refused: Option<String>,
}

fn sent(what: impl Into<String>, bytes: impl Into<Vec<u8>>, refused: Option<String>) -> Sent {
    let content_type = "application/json".to_owned();
    Sent { what: what.into(), content_type, bytes: bytes.into(), refused }
}

/// Every wrong body of an operation.
pub(super) fn of(body: &Body, random: &mut StdRng) -> Vec<Sent> {
    let Some(schema) = &body.schema else { return not_json(body) };
    let whole = plain(schema).to_string();
    let refused = || Some(String::new());
    let mut bodies = vec![
        sent("a body that is not UTF-8", [b"{\"a\": \"\xff\xfe\"}" as &[u8], b""].concat(), Some("UTF-8".to_owned())),
        sent("ten thousand levels", "{\"a\":".repeat(10_000), Some("deeper".to_owned())),
        sent("half a body", &whole.as_bytes()[..whole.len() - 1], refused()),
        sent("two bodies", format!("{whole} {whole}"), refused()),
        Sent { content_type: "text/plain".to_owned(), ..sent("another type", whole.clone(), refused()) },
        Sent { content_type: "application/x-www-form-urlencoded".to_owned(), ..sent("a form", "a=b", refused()) },
    ];
    if body.required {
        bodies.push(sent("an empty body", "", Some("empty".to_owned())));
    }
    bodies.extend(values::all().iter().map(|odd| {
        let wrong = surely_wrong(schema, odd);
        sent(format!("{} for the body", odd.what), odd.text.clone(), wrong.then(String::new))
    }));
    inside(schema, &mut Vec::new(), &mut |place, odd, wrong| {
        let what = format!("{} at {}", odd.what, place.join("."));
        let text = put(&plain(schema), place, &odd.text);
        // What is not JSON at all is refused by its line and column.
        let name = if odd.what == "no JSON" || odd.what.contains("levels") { "" } else { last(place) };
        bodies.push(sent(what, text, wrong.then(|| name.to_owned())));
    });
    bodies.extend((0..4).map(|n| sent(format!("random body {n}"), tangle(schema, random, 4).to_string(), None)));
    bodies
}

fn last<'a>(place: &[&'a str]) -> &'a str {
    place.last().copied().unwrap_or_default()
}

/// Visits every property, those of objects within too, and one that does not exist.
fn inside<'a>(schema: &'a Value, place: &mut Vec<&'a str>, visit: &mut impl FnMut(&[&str], &Odd, bool)) {
    let Some(properties) = schema["properties"].as_object() else { return };
    if schema["additionalProperties"] == false {
        let odd = &values::all()[4];
        place.push("an_unknown_one");
        visit(place, odd, true);
        place.pop();
    }
    let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    for (name, property) in properties {
        place.push(name);
        for odd in values::all().iter().filter(|odd| !odd.is_heavy() || is_text(property)) {
            // To leave something out and to say null is the same for what is optional.
            let wrong = surely_wrong(property, odd) && (odd.what != "null" || required(name));
            visit(place, odd, wrong);
        }
        inside(property, place, visit);
        place.pop();
    }
}

/// Large values are tried where they might be taken.
fn is_text(schema: &Value) -> bool {
    schema["type"] == "string" || schema["type"][0] == "string"
}

/// `base` with `text` in this place.
fn put(base: &Value, place: &[&str], text: &str) -> String {
    const MARK: &str = "the place of an odd value";
    let mut whole = base.clone();
    let mut at = &mut whole;
    for name in place {
        if !at.is_object() {
            *at = json!({});
        }
        at = at.as_object_mut().unwrap().entry((*name).to_owned()).or_insert(Value::Null);
    }
    *at = json!(MARK);
    whole.to_string().replace(&format!("\"{MARK}\""), text)
}

/// A value whose names are those of the schema and whose rest is chance.
fn tangle(schema: &Value, random: &mut StdRng, depth: usize) -> Value {
    let names: Vec<&str> =
        schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    match random.random_range(0..if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => json!(random.random::<bool>()),
        2 => json!(random.random::<i64>()),
        3 => json!(random.random::<f64>() * 1e18),
        4 => json!(text(random)),
        5 => (0..random.random_range(0..4)).map(|_| tangle(schema, random, depth - 1)).collect(),
        _ => {
            let mut map = Map::new();
            for _ in 0..random.random_range(0..6) {
                let name = match names.is_empty() || random.random_range(0..4) == 0 {
                    true => text(random),
                    false => names[random.random_range(0..names.len())].to_owned(),
                };
                let inner = schema["properties"].get(&name).unwrap_or(&Value::Null);
                map.insert(name, tangle(inner, random, depth - 1));
            }
            Value::Object(map)
        }
    }
}

fn text(random: &mut StdRng) -> String {
    let characters = ['a', '0', ' ', '"', '\\', '\0', '\u{202e}', 'é', '漢', '\u{1f600}', '%', '/', '.', '\n'];
    (0..random.random_range(0..12)).map(|_| characters[random.random_range(0..characters.len())]).collect()
}

/// For bodies that are no JSON: uploads without what an upload needs.
fn not_json(body: &Body) -> Vec<Sent> {
    let typed = |what: &str, content_type: &str, bytes: &[u8]| Sent {
        content_type: content_type.to_owned(),
        ..sent(what, bytes, Some(String::new()))
    };
    vec![
        typed("no boundary", &body.content_type, b"x"),
        typed("an empty upload", "multipart/form-data; boundary=b", b""),
        typed("an upload cut off", "multipart/form-data; boundary=b", b"--b\r\nContent-Disposition: form-data; na"),
        typed("bytes", "application/octet-stream", &[0xff; 64]),
        typed("broken JSON", "application/json", b"{"),
    ]
}
