//! The words of a text as they are compared: lower case, without endings, without the words every text has.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};

/// Words that say nothing of what a text is about.
const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "been",
    "but",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "everything",
    "for",
    "from",
    "had",
    "has",
    "have",
    "he",
    "her",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "know",
    "let",
    "like",
    "me",
    "my",
    "of",
    "on",
    "or",
    "our",
    "please",
    "remember",
    "s",
    "she",
    "should",
    "so",
    "some",
    "t",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "up",
    "us",
    "user",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
];

/// The distinct words a text is about, in order of the alphabet.
pub fn topics(text: &str) -> BTreeSet<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let telling = split(text).into_iter().filter(|word| !STOP_WORDS.contains(&word.as_str()));
    telling.map(|word| stemmer.stem(&word).into_owned()).collect()
}

/// Every word of a text, in lower case and in order. Scripts without spaces give each pair of neighbours.
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        if run.chars().any(is_unspaced) {
            words.extend(pairs(run));
        } else {
            words.push(run.to_lowercase());
        }
    }
    words
}

/// Han, Kana, Hangul, Thai: written without spaces, or nearly so.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn pairs(run: &str) -> Vec<String> {
    let chars: Vec<char> = run.chars().collect();
    match chars.as_slice() {
        [one] => vec![one.to_string()],
        many => many.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        topics(text).into_iter().collect()
    }

    #[test]
    fn forms_of_a_word_are_one_word() {
        for group in [
            ["report", "reports", "reporting", "reported"],
            ["invoice", "invoices", "invoicing", "invoiced"],
            ["party", "parties", "party", "Party"],
            ["plan", "plans", "planning", "planned"],
            ["status", "status", "Status", "STATUS"],
        ] {
            let stems: BTreeSet<_> = group.iter().flat_map(|word| topics(word)).collect();
            assert_eq!(stems.len(), 1, "{group:?}: {stems:?}");
        }
    }

    #[test]
    fn words_that_say_nothing_are_left_out() {
        assert_eq!(of("What do you know about me?"), Vec::<String>::new());
        assert_eq!(of("The user prefers CSV"), ["csv", "prefer"]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_pairs() {
        assert_eq!(split("東京都"), ["東京", "京都"]);
        assert_eq!(split("Größe 7"), ["größe", "7"]);
    }
}
