//! The words of a text as they are compared: lower case, without endings, without the words every text has.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};

/// Words that say nothing of what a text is about; in order of the alphabet, as the lists below.
#[rustfmt::skip]
pub const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in",
    "into", "is", "it", "its", "just", "me", "my", "of", "on", "or", "our", "s", "she", "should", "so", "some",
    "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "up",
    "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];
/// Words that say nothing more where somebody talks.
#[rustfmt::skip]
const OF_TALK: &[&str] = &[
    "anything", "d", "everything", "im", "know", "let", "like", "ll", "m", "please", "re", "tell", "us", "ve",
];
/// Words that say nothing more where a text is read: with the others they are about half of it.
#[rustfmt::skip]
pub const OF_TEXTS: &[&str] = &[
    "above", "after", "again", "against", "because", "before", "being", "below", "between", "both", "doing",
    "down", "during", "each", "few", "further", "having", "here", "hers", "him", "itself", "more", "most", "no",
    "nor", "not", "now", "off", "once", "only", "other", "ours", "out", "over", "own", "same", "such", "theirs",
    "through", "too", "under", "until", "very", "while", "whom", "yours",
];
/// Words that say nothing more where somebody asks for what they need.
#[rustfmt::skip]
const OF_NEEDS: &[&str] = &[
    "able", "additionally", "after", "appreciate", "assist", "currently", "finally", "find", "first", "get",
    "give", "good", "great", "hello", "help", "here", "hey", "hi", "kindly", "lastly", "looking", "need",
    "next", "now", "once", "provide", "really", "show", "thank", "thanks", "today", "tool", "trying", "use",
    "using", "want",
];
/// Words that say nothing more where a text is about a person and what is kept of them.
const OF_MEMORY: &[&str] = &["remember", "user"];

/// A word as it is written, and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// In lower case.
    pub word: String,
    /// Without its ending.
    pub stem: String,
}

/// The telling words of a need or of a tool in order, identifiers taken apart: `readFile`, `read_file` and `read-file` are two
/// words each.
pub fn terms(text: &str) -> Vec<Term> {
    let stemmer = Stemmer::create(Algorithm::English);
    let telling = split(&apart(text)).into_iter().filter(|word| !is_one_of(&[STOP_WORDS, OF_TALK, OF_NEEDS], word));
    telling.map(|word| Term { stem: stemmer.stem(&word).into_owned(), word }).collect()
}

/// The distinct words a text is about, in order of the alphabet.
pub fn topics(text: &str) -> BTreeSet<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let telling = split(text).into_iter().filter(|word| !is_one_of(&[STOP_WORDS, OF_TALK, OF_MEMORY], word));
    telling.map(|word| stemmer.stem(&word).into_owned()).collect()
}

/// The distinct words that [`topics`] compares, as they are written and in their order.
pub fn telling(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let telling = split(text).into_iter().filter(|word| !is_one_of(&[STOP_WORDS, OF_TALK, OF_MEMORY], word));
    telling.filter(|word| seen.insert(word.clone())).collect()
}

/// Returns whether a word, in lower case, says nothing of what a text to be found is about.
pub fn is_stop_word(word: &str) -> bool {
    is_one_of(&[STOP_WORDS, OF_TEXTS], word)
}

fn is_one_of(lists: &[&[&str]], word: &str) -> bool {
    lists.iter().any(|list| list.binary_search(&word).is_ok())
}

/// An identifier as words: a space at each change of case, and for each of `_`, `-`, `.`, `/` and `:`.
pub fn apart(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut spaced = String::with_capacity(text.len() + 8);
    for (n, c) in chars.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|n| chars.get(n));
        if before.is_some_and(|before| begins_word(*before, *c, chars.get(n + 1).copied())) {
            spaced.push(' ');
        }
        spaced.push(if matches!(c, '_' | '-' | '.' | '/' | ':') { ' ' } else { *c });
    }
    spaced
}

/// Returns whether a character of an identifier begins a word: `readFile` has two, and so has `XMLFile`. Digits stay
/// with the letters before them.
pub fn begins_word(before: char, c: char, after: Option<char>) -> bool {
    let small = |c: char| c.is_lowercase() || c.is_ascii_digit();
    c.is_uppercase() && (small(before) || (before.is_uppercase() && after.is_some_and(char::is_lowercase)))
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
pub fn is_unspaced(c: char) -> bool {
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

    fn telling(text: &str) -> Vec<String> {
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
    fn identifiers_are_taken_apart() {
        let stems = |text: &str| terms(text).into_iter().map(|term| term.stem).collect::<Vec<_>>();
        assert_eq!(stems("callRestEndpoint fs-read the FILES"), ["call", "rest", "endpoint", "fs", "read", "file"]);
        assert_eq!(stems("parseXMLFile uber.ride v2Search"), ["pars", "xml", "file", "uber", "ride", "v2", "search"]);
        assert_eq!(terms("Users").first(), Some(&Term { word: "users".into(), stem: "user".into() }));
    }

    #[test]
    fn the_stop_words_stand_in_order_and_once() {
        let lists = [STOP_WORDS, OF_TALK, OF_TEXTS, OF_NEEDS, OF_MEMORY];
        assert!(lists.iter().all(|list| list.is_sorted_by(|a, b| a < b)));
    }

    #[test]
    fn words_that_say_nothing_are_left_out() {
        assert_eq!(telling("What do you know about me?"), Vec::<String>::new());
        assert_eq!(telling("The user prefers CSV"), ["csv", "prefer"]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_pairs() {
        assert_eq!(split("東京都"), ["東京", "京都"]);
        assert_eq!(split("Größe 7"), ["größe", "7"]);
    }
}
