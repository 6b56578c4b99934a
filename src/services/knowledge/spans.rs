//! The exact places of a question's words in a passage.

use std::collections::BTreeSet;

use satchel_model::words;

/// A part of a text, in characters.
pub(super) type Span = (usize, usize);

/// The places of every word of `text` that says the same as one of `terms`, in order; neighbours with only blanks or
/// signs between them are one place.
pub(super) fn matches(text: &str, terms: &BTreeSet<String>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for word in split(text) {
        if words::topics(&word.text).is_disjoint(terms) {
            continue;
        }
        match spans.last_mut() {
            Some(last) if word.follows == Some(last.1) => last.1 = word.end,
            _ => spans.push((word.start, word.end)),
        }
    }
    spans
}

/// At most about `most` characters of a text around its first place, whole words, with `…` where something is left out.
pub(super) fn snippet(text: &str, spans: &[Span], most: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= most {
        return text.to_owned();
    }
    let first = spans.first().map_or(0, |(start, _)| *start);
    let mut from = first.saturating_sub(most / 3).min(chars.len() - most);
    let mut to = from + most;
    let blank = |at: &usize| chars.get(*at).is_some_and(|c| c.is_whitespace());
    if from > 0 {
        from = (from..first.max(from)).find(blank).map_or(from, |at| at + 1);
    }
    if to < chars.len() {
        to = (from..to).rev().take(40).find(blank).unwrap_or(to);
    }
    let shown: String = chars.get(from..to).unwrap_or_default().iter().collect();
    let (before, after) = (if from > 0 { "…" } else { "" }, if to < chars.len() { "…" } else { "" });
    format!("{before}{}{after}", shown.trim())
}

struct Word {
    text: String,
    start: usize,
    end: usize,
    /// The end of the word before, if nothing but a blank is between.
    follows: Option<usize>,
}

/// Runs of letters and digits, with their places.
fn split(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut open: Option<Word> = None;
    let mut gap = String::new();
    let mut before = None;
    for (at, c) in text.chars().enumerate() {
        if c.is_alphanumeric() {
            let follows = before.filter(|_| gap == " ");
            let word = open.get_or_insert_with(|| Word { text: String::new(), start: at, end: at, follows });
            word.text.push(c);
            word.end = at + 1;
        } else {
            if let Some(word) = open.take() {
                before = Some(word.end);
                found.push(word);
                gap.clear();
            }
            gap.push(c);
        }
    }
    found.extend(open);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, question: &str) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        let spans = matches(text, &words::topics(question));
        spans.into_iter().map(|(start, end)| chars[start..end].iter().collect()).collect()
    }

    #[test]
    fn a_snippet_shows_what_was_found() {
        let text = format!("{} heron {}", "water ".repeat(100), "reeds ".repeat(100));
        let snippet = snippet(&text, &matches(&text, &words::topics("heron")), 60);
        assert!(snippet.contains("heron") && snippet.chars().count() <= 62, "{snippet}");
        assert!(snippet.starts_with("…water") && snippet.ends_with("reeds…"), "{snippet}");
        assert_eq!(super::snippet("short", &[], 60), "short");
    }

    #[test]
    fn words_are_found_in_every_form_and_place() {
        let text = "Übermäßig 𝄞 failed transfers: the transfer, once failed, is retried.";
        assert_eq!(found(text, "retry a failed transfer"), ["failed transfers", "transfer", "failed", "retried"]);
        assert_eq!(found(text, "the of"), Vec::<String>::new());
        assert_eq!(found("東京都の天気", "東京"), ["東京都の天気"]);
    }
}
