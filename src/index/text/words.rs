//! The words of a text as they are indexed: identifiers split, in lower case, without endings, without the words that
//! every text has.

use std::ops::Range;

use rust_stemmers::{Algorithm, Stemmer};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use satchel_model::words::{begins_word, is_stop_word, is_unspaced};

/// Longer runs of letters are data, not words: they are cut.
const LONGEST: usize = 64;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its place, in bytes.
    pub at: Range<usize>,
    /// As it is indexed.
    pub stem: String,
}

/// The words of a text that say something, in order.
pub fn words(text: &str) -> Vec<Word> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut words = Vec::new();
    for at in pieces(text) {
        let word = text.get(at.clone()).unwrap_or_default().to_lowercase();
        if !is_stop_word(&word) {
            let stem = if word.is_ascii() { stemmer.stem(&word).into_owned() } else { word };
            words.push(Word { at, stem });
        }
    }
    words
}

/// Runs of letters and digits, cut again where an identifier changes its case; scripts without spaces give each pair of
/// neighbours.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut run: Vec<(usize, char)> = Vec::new();
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_alphanumeric() && run.len() < LONGEST {
            run.push((at, c));
            continue;
        }
        cut(&run, at, &mut pieces);
        run.clear();
        if c.is_alphanumeric() {
            run.push((at, c));
        }
    }
    pieces
}

/// Cuts one run, which ends at `end`.
fn cut(run: &[(usize, char)], end: usize, pieces: &mut Vec<Range<usize>>) {
    let Some((first, _)) = run.first() else { return };
    let ends = run.iter().skip(1).map(|(at, _)| *at).chain([end]);
    if run.iter().any(|(_, c)| is_unspaced(*c)) {
        let after_next = run.iter().skip(2).map(|(at, _)| *at).chain([end]);
        let pairs = run.iter().zip(after_next).map(|((at, _), end)| *at..end);
        pieces.extend(pairs.take(run.len().saturating_sub(1).max(1)));
        return;
    }
    let mut begun = *first;
    for (index, (pair, at)) in run.windows(2).zip(ends).enumerate() {
        let [(_, before), (_, c)] = pair else { continue };
        if begins_word(*before, *c, run.get(index + 2).map(|(_, after)| *after)) {
            pieces.push(begun..at);
            begun = at;
        }
    }
    pieces.push(begun..end);
}

/// Gives Tantivy the words of [`words`].
#[derive(Clone)]
pub(super) struct Split;

/// The words of one text.
pub(super) struct Stream {
    words: std::vec::IntoIter<Word>,
    token: Token,
}

impl Tokenizer for Split {
    type TokenStream<'a> = Stream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream {
        Stream { words: words(text).into_iter(), token: Token::default() }
    }
}

impl TokenStream for Stream {
    fn advance(&mut self) -> bool {
        let Some(word) = self.words.next() else { return false };
        let position = self.token.position.wrapping_add(1);
        self.token =
            Token { offset_from: word.at.start, offset_to: word.at.end, position, text: word.stem, position_length: 1 };
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stems(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.stem).collect()
    }

    #[test]
    fn identifiers_are_split() {
        assert_eq!(
            stems("getUserName HTTPServer2 fs_read /api/tools.find x::y-z"),
            ["get", "user", "name", "http", "server2", "fs", "read", "api", "tool", "find", "x", "y", "z"]
        );
        assert_eq!(
            stems("OAuth2Token e5Mistral sha256 S3API"),
            ["o", "auth2", "token", "e5", "mistral", "sha256", "s3", "api"]
        );
    }

    #[test]
    fn words_are_stemmed_and_those_that_say_nothing_left_out() {
        assert_eq!(stems("The invoices were being paid"), ["invoic", "paid"]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_pairs() {
        assert_eq!(stems("東京都 Größe"), ["東京", "京都", "größe"]);
        assert_eq!(stems("京"), ["京"]);
    }

    #[test]
    fn a_word_says_where_it_stands() {
        let text = "Ünder the fooBars";
        let found: Vec<&str> = words(text).iter().map(|word| &text[word.at.clone()]).collect();
        assert_eq!(found, ["Ünder", "foo", "Bars"]);
    }

    proptest! {
        #[test]
        fn any_text_is_cut_at_characters_and_in_order(text in "\\PC{0,200}") {
            let found = words(&text);
            for word in &found {
                prop_assert!(text.get(word.at.clone()).is_some_and(|piece| !piece.is_empty()));
            }
            prop_assert!(found.windows(2).all(|pair| pair[0].at.start < pair[1].at.start));
        }
    }
}
