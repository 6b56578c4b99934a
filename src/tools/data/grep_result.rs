//! `grep_result`: what matches a regular expression, line by line or element by element.

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::source;
use satchel_engine::{context::Context, sanitise, tool::Tool};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    spec::Category,
};

/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 4_000;
/// Most memory a compiled pattern may take, in bytes.
const MAX_COMPILED: usize = 4 << 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The text or JSON array string to search through, or the handle of a long result (`result:…`).
    #[schemars(extend("contentMediaType" = "application/json"))]
    data: String,
    /// Regular expression pattern to match, e.g. `FAILED` or `(?i)error|timeout`.
    pattern: String,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "grep_result",
        Category::Data,
        "Keeps what matches a regular expression: each element of a JSON array (tested as its JSON text), else each line \
         of a text; of a long result that is an object, each line as it was shown. Returns the matches and their count.",
        "A result is long and only the lines or records with a word or pattern in them matter, for instance the failed \
         ones of many transactions, or the errors in a log.",
        run,
    )
    .giving(&[("count", "integer"), ("matches", "array")])
    .example(
        "Lines of a text",
        json!({"data": "ok 1\nFAILED 2\nok 3\nFAILED 4", "pattern": "^FAILED"}),
        json!({"matches": ["FAILED 2", "FAILED 4"], "count": 2}),
    )
    .example(
        "Elements of a JSON array",
        json!({"data": r#"[{"id": 1, "status": "FAILED"}, {"id": 2, "status": "OK"}]"#, "pattern": "FAILED"}),
        json!({"matches": [{"id": 1, "status": "FAILED"}], "count": 1}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let pattern = compile(&args.pattern)?;
    let kept = source::is_handle(&args.data);
    let matches = source::read(&cx, args.data, args.pattern.len(), move |text| {
        let shown = if kept { shown(text) } else { None };
        Ok(grep(shown.as_deref().unwrap_or(text), &pattern))
    })
    .await?;
    Ok(Output::json(json!({"count": matches.len(), "matches": matches})))
}

/// Compiles a pattern within limits: matching is linear in the text, whatever the pattern.
fn compile(pattern: &str) -> Result<Regex> {
    if pattern.len() > MAX_PATTERN {
        return Err(Error::invalid(format!("The pattern is longer than {MAX_PATTERN} bytes.")));
    }
    let built =
        RegexBuilder::new(pattern).size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).nest_limit(100).build();
    built.map_err(|e| match e {
        // Its text has the pattern on a line and a caret under the wrong place.
        regex::Error::Syntax(text) => Error::invalid(format!("The pattern is no regular expression. {text}")),
        regex::Error::CompiledTooBig(_) => {
            Error::invalid("The pattern is too large once its repetitions are written out: make them smaller.")
        }
        other => Error::invalid(format!("The pattern cannot be used: {other}.")),
    })
}

/// The lines a model was shown of a result that is an object: it is kept as JSON on a single line.
fn shown(text: &str) -> Option<String> {
    if !text.starts_with('{') || text.contains('\n') {
        return None;
    }
    serde_json::from_str(text).ok().map(|object: Value| sanitise::plain_lines(&object))
}

fn grep(text: &str, pattern: &Regex) -> Vec<Value> {
    // What does not begin like an array is not parsed: a log may have many megabytes.
    let array = text.trim_start().starts_with('[').then(|| source::json(text).ok()).flatten();
    match array {
        Some(Value::Array(elements)) => elements.into_iter().filter(|element| is_match(element, pattern)).collect(),
        _ => text.lines().filter(|line| pattern.is_match(line)).map(Value::from).collect(),
    }
}

/// An element matches by its JSON text; a string also by what it says, so that `^` and `$` mean its ends.
fn is_match(element: &Value, pattern: &Regex) -> bool {
    element.as_str().is_some_and(|text| pattern.is_match(text)) || pattern.is_match(&element.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str, pattern: &str) -> Vec<Value> {
        grep(text, &compile(pattern).unwrap())
    }

    #[test]
    fn an_array_is_searched_by_element_and_anything_else_by_line() {
        assert_eq!(found(r#"["b", {"a": "b"}, 7]"#, "^b$"), [json!("b")]);
        assert_eq!(found("[1, 2\n[3", "2"), [json!("[1, 2")]);
        assert_eq!(found(r#"{"a": 1}"#, "a"), [json!(r#"{"a": 1}"#)]);
        assert_eq!(found("one\r\ntwo", "one$"), [json!("one")]);
        assert_eq!(found("", ".*"), Vec::<Value>::new());
    }

    #[test]
    fn an_object_that_was_kept_is_searched_by_the_lines_that_were_shown() {
        let rows: Vec<Value> = (0..500).map(|n| json!({"name": format!("customer {n}"), "say": "hi {n}"})).collect();
        let kept = json!({"result": {"status": 200, "body": rows}}).to_string();
        let lines = shown(&kept).unwrap();
        assert_eq!(found(&lines, "customer 499"), [json!("      name: customer 499")]);
        assert_eq!(found(&lines, r"^\s+say: hi \{n\}$").len(), 500);
        assert_eq!(shown("[1]"), None);
        assert_eq!(shown("{\n  \"a\": 1\n}"), None);
        assert_eq!(shown("{not json"), None);
    }

    #[test]
    fn a_wrong_pattern_is_shown_with_its_place() {
        let error = compile("(abc").unwrap_err();
        assert!(error.message().contains("(abc\n    ^") && error.message().contains("unclosed group"), "{error}");
        assert!(compile(r"(\w{500}){500}").unwrap_err().message().contains("too large"));
        assert!(compile(&"(".repeat(5_000)).unwrap_err().message().contains("longer"));
    }

    #[test]
    fn a_pattern_made_to_explode_is_linear() {
        assert_eq!(found(&"a".repeat(50_000), "(a+)+$|(a|aa)*b"), [json!("a".repeat(50_000))]);
    }

    proptest! {
        #[test]
        fn lines_with_a_word_are_those_that_contain_it(lines in prop::collection::vec("[a-c ]{0,6}", 0..20), word in "[a-c]{1,2}") {
            let text = lines.join("\n");
            let wanted: Vec<Value> = text.lines().filter(|line| line.contains(&word)).map(Value::from).collect();
            prop_assert_eq!(found(&text, &word), wanted);
        }
    }
}
