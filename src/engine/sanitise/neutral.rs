//! Neutral text: action-like patterns are broken by an invisible character, and whole again in arguments.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use satchel_model::json::map_strings;

/// A word joiner: invisible, and enough to break a pattern without changing what a person or a model reads.
pub(super) const BREAK: char = '\u{2060}';

/// Patterns that a model could take for its own actions: a call, a brace that opens one, `ACTION:`, our markers.
static ACTION_LIKE: LazyLock<Result<Regex, regex::Error>> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)\{{|[\p{{L}}\p{{N}}_]\(|\baction\s*:|{MARKER}")));

/// Our markers alone.
static MARKERS: LazyLock<Result<Regex, regex::Error>> = LazyLock::new(|| Regex::new(&format!("(?i){MARKER}")));

/// A marker between which text stands that a model is given.
const MARKER: &str = r"\[\s*/?\s*(?:tool|attachment|memories|knowledge|earlier|skills?|workspace)\b";

/// Breaks action-like patterns with an invisible character; [`restore`] takes it out again.
pub fn neutralise(text: &str) -> String {
    let mut neutral = String::with_capacity(text.len());
    push_neutral(text, &mut neutral);
    neutral
}

/// Breaks what reads as one of our markers, and nothing else.
pub fn without_markers(text: &str) -> String {
    let mut broken = String::with_capacity(text.len());
    push_broken(text, &MARKERS, &mut broken);
    broken
}

pub(super) fn push_neutral(text: &str, out: &mut String) {
    push_broken(text, &ACTION_LIKE, out);
}

fn push_broken(text: &str, pattern: &LazyLock<Result<Regex, regex::Error>>, out: &mut String) {
    // Each pattern has one of these: most texts are done with here.
    if !text.contains(['{', '(', ':', '[']) {
        return out.push_str(text);
    }
    let Ok(pattern) = pattern.as_ref() else { return };
    let mut done = 0;
    for found in pattern.find_iter(text) {
        let end = found.start() + found.as_str().chars().next().map_or(0, char::len_utf8);
        out.push_str(text.get(done..end).unwrap_or_default());
        out.push(BREAK);
        done = end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
}

/// Arguments a model wrote from what it read, without the invisible breaks: what it quotes is exact again.
pub fn restore(arguments: Value) -> Value {
    map_strings(arguments, &|text: &str| text.replace(BREAK, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn restoring_gives_back_what_was_neutralised(text in "[a-zA-Z{}():\\[\\]/ \n]{0,120}") {
            prop_assert_eq!(restore(json!(neutralise(&text))), json!(text));
        }
    }
}
