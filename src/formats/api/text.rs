//! Texts of documents, cut to what a model needs.

use serde_json::Value;

/// Longest description kept.
const LONGEST: usize = 800;

/// A text, or a number as YAML reads a version.
pub(super) fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A text on few lines, cut at the end of a sentence where that is near. Of a long text only the beginning is read.
pub(super) fn tidy(text: &str) -> String {
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.extend(word.chars().take(LONGEST + 1));
        if words.len() > 4 * (LONGEST + 1) {
            break;
        }
    }
    cut(&words, LONGEST)
}

/// At most so many characters, marked where some are missing.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => {
            let head = text.get(..end).unwrap_or_default();
            let sentence = head.rfind(". ").filter(|at| *at > end / 2);
            match sentence {
                Some(at) => head.get(..=at).unwrap_or_default().to_owned(),
                None => format!("{}…", head.trim_end()),
            }
        }
    }
}

/// The first sentence.
pub(super) fn first_sentence(text: &str) -> String {
    let tidy = tidy(text);
    let end = tidy.find(". ").map_or(tidy.len(), |at| at + 1);
    cut(tidy.get(..end).unwrap_or_default(), 200)
}
