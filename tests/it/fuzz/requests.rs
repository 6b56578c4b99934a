//! Every wrong request of an operation: its path, its query and its body, each wrong in turn.

use rand::rngs::StdRng;
use serde_json::Value;

use super::{
    bodies,
    document::{Body, Operation},
    values::plain,
};
use crate::support::http::Request;

/// A request, and what must come of it.
pub(super) struct Wrong {
    pub(super) what: String,
    pub(super) request: Request,
    /// The text the refusal must name; `None` if the request may be right.
    pub(super) refused: Option<String>,
}

/// The segments no path parameter can be.
const SEGMENTS: &[(&str, &str)] = &[
    ("a null character", "%00"),
    ("the directory above", ".."),
    ("the directory above, encoded", "%2e%2e"),
    ("a slash, encoded", "a%2Fb"),
    ("bytes that are not UTF-8", "%ff%fe"),
    ("half an escape", "%4"),
    ("what turns text around", "%E2%80%AE"),
    ("a quote", "'%20OR%20'1'='1"),
    ("a negative number", "-1"),
    ("a number beyond 64 bits", "99999999999999999999"),
    ("the least number", "-9223372036854775808"),
    ("the greatest number", "9223372036854775807"),
];
/// The texts that are put into query parameters.
const PARAMETERS: &[(&str, &str)] = &[
    ("nothing", ""),
    ("a null character", "a%00b"),
    ("bytes that are not UTF-8", "%ff%fe"),
    ("half an escape", "%4"),
    ("what turns text around", "%E2%80%AE"),
    ("a quote", "'%20OR%20'1'='1"),
    ("a negative number", "-1"),
    ("a fraction", "1.5"),
    ("a number beyond 64 bits", "99999999999999999999"),
    ("the least number", "-9223372036854775808"),
    ("the greatest number", "9223372036854775807"),
    ("commas", ",,,"),
];
/// The length of a parameter that is too long.
const LONG: usize = 8_000;

/// All of them; `fill` gives each path parameter's right value.
pub(super) fn of(operation: &Operation, fill: &impl Fn(&str, &str) -> String, random: &mut StdRng) -> Vec<Wrong> {
    let path = filled(operation, fill, None);
    let mut wrong = paths(operation, fill);
    wrong.extend(queries(operation, &path));
    if let Some(body) = &operation.body {
        wrong.extend(bodies::of(body, random).into_iter().map(|sent| Wrong {
            what: sent.what,
            request: Request::new(&operation.method, &path).raw(&sent.content_type, sent.bytes),
            refused: sent.refused,
        }));
    }
    wrong
}

fn paths(operation: &Operation, fill: &impl Fn(&str, &str) -> String) -> Vec<Wrong> {
    let long = "x".repeat(LONG);
    let parameters = operation.path.split('/').filter(|part| part.starts_with('{'));
    parameters
        .flat_map(|parameter| {
            let odd = SEGMENTS.iter().copied().chain([("something very long", long.as_str())]);
            odd.map(|(what, segment)| Wrong {
                what: format!("{what} for {parameter}"),
                request: whole(operation, &filled(operation, fill, Some((parameter, segment)))),
                refused: Some(String::new()),
            })
            .collect::<Vec<_>>()
        })
        .collect()
}

/// The name of a query parameter that no route takes.
pub(super) const UNKNOWN: &str = "an_unknown_one";

fn queries(operation: &Operation, path: &str) -> Vec<Wrong> {
    let mut wrong = vec![Wrong {
        what: "an unknown parameter".to_owned(),
        request: whole(operation, &format!("{path}?{UNKNOWN}=1")),
        refused: Some(UNKNOWN.to_owned()),
    }];
    let long = "x".repeat(LONG);
    for (name, schema) in &operation.query {
        let is_number = schema["type"] == "integer" || schema["type"][0] == "integer";
        for (what, value) in PARAMETERS.iter().copied().chain([("something very long", long.as_str())]) {
            let number = value.parse::<i64>().is_ok();
            wrong.push(Wrong {
                what: format!("{what} for {name}"),
                request: whole(operation, &format!("{path}?{name}={value}")),
                refused: (is_number && !number).then(|| name.clone()),
            });
        }
        wrong.push(Wrong {
            what: format!("{name} twice"),
            request: whole(operation, &format!("{path}?{name}=1&{name}=2")),
            refused: Some(name.clone()),
        });
    }
    wrong
}

/// A request that is right but for its path.
fn whole(operation: &Operation, path: &str) -> Request {
    let request = Request::new(&operation.method, path);
    match &operation.body {
        Some(Body { schema: Some(schema), .. }) => request.json(&plain(schema)),
        Some(_) => request.json(&Value::Null),
        None => request,
    }
}

/// The path with its parameters, one of them odd.
fn filled(operation: &Operation, fill: &impl Fn(&str, &str) -> String, odd: Option<(&str, &str)>) -> String {
    let parts = operation.path.split('/').map(|part| match odd {
        Some((name, value)) if part == name => value.to_owned(),
        _ if part.starts_with('{') => fill(&operation.path, part),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}
