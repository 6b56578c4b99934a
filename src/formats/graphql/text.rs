//! The texts and comments of a document, told apart from the words between them.

use std::{borrow::Cow, collections::HashMap};

use super::wrong;
use satchel_model::error::Result;

/// A piece of a document.
enum Piece<'a> {
    /// Words.
    Words(&'a str),
    /// A text with its quotes.
    Text(&'a str),
    /// A comment.
    Comment(&'a str),
}

/// The document without what is written in texts, each of which has a number instead.
pub(super) struct Texts<'a> {
    numbered: String,
    /// Each text that is written differently, with its quotes.
    all: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    /// # Errors
    /// A text that has no end.
    pub(super) fn new(document: &'a str) -> Result<Self> {
        let (mut numbers, mut all, mut numbered) = (HashMap::new(), Vec::new(), String::new());
        for piece in pieces(document)? {
            match piece {
                Piece::Words(words) => numbered.push_str(words),
                Piece::Comment(comment) => numbered.extend(comment.chars().map(blank)),
                Piece::Text(text) => {
                    let number = *numbers.entry(text).or_insert(all.len());
                    if number == all.len() {
                        all.push(text);
                    }
                    numbered.push_str(&format!("\"{number}\""));
                }
            }
        }
        Ok(Self { numbered, all })
    }

    pub(super) fn numbered(&self) -> &str {
        &self.numbered
    }

    /// The text that has a number, as it is written.
    pub(super) fn written(&self, number: &str) -> Option<&'a str> {
        self.all.get(number.parse::<usize>().ok()?).copied()
    }
}

/// The document with empty texts and no comments; places stay.
///
/// # Errors
/// A text that has no end.
pub(super) fn bare(document: &str) -> Result<Cow<'_, str>> {
    if !document.contains(['"', '#']) {
        return Ok(document.into());
    }
    let mut bare = String::new();
    for piece in pieces(document)? {
        match piece {
            Piece::Words(words) => bare.push_str(words),
            Piece::Comment(comment) => bare.extend(comment.chars().map(blank)),
            Piece::Text(text) => {
                bare.push_str("\"\"");
                bare.extend(text.chars().skip(2).map(blank));
            }
        }
    }
    Ok(bare.into())
}

fn blank(c: char) -> char {
    if matches!(c, '\n' | '\r') { c } else { ' ' }
}

/// The document in pieces. What describes an operation or a fragment (September 2025) is as a comment.
fn pieces(document: &str) -> Result<Vec<Piece<'_>>> {
    let (mut pieces, mut rest, mut depth) = (Vec::new(), document, 0_usize);
    // Whether a definition may begin here.
    let mut is_between = true;
    while let Some((before, from)) = rest.find(['"', '#']).and_then(|at| rest.split_at_checked(at)) {
        follow(before, &mut depth, &mut is_between);
        pieces.push(Piece::Words(before));
        let is_text = from.starts_with('"');
        let length = if is_text { text(from)? } else { from.find(['\n', '\r']).unwrap_or(from.len()) };
        let (piece, after) = from.split_at_checked(length).ok_or_else(|| wrong("it cannot be cut there"))?;
        pieces.push(match (is_text, is_between && describes(after)) {
            (true, false) => Piece::Text(piece),
            _ => Piece::Comment(piece),
        });
        // A definition has one description.
        is_between &= !is_text;
        rest = after;
    }
    pieces.push(Piece::Words(rest));
    Ok(pieces)
}

/// Follows how deep in brackets the words lead, and whether they end where a definition may begin.
fn follow(words: &str, depth: &mut usize, is_between: &mut bool) {
    for c in words.chars() {
        match c {
            '{' | '(' | '[' => *depth += 1,
            '}' | ')' | ']' => *depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_blank = c.is_ascii_whitespace() || matches!(c, ',' | '\u{feff}');
        *is_between = (is_blank && *is_between) || (c == '}' && *depth == 0);
    }
}

/// Whether what follows a text is a definition that it may describe.
fn describes(after: &str) -> bool {
    let next = after.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
    ["query", "mutation", "subscription", "fragment"].iter().any(|word| {
        next.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })
}

/// The length of a text with its quotes.
fn text(rest: &str) -> Result<usize> {
    let unfinished = || wrong("a text has no end");
    if let Some(block) = rest.strip_prefix("\"\"\"") {
        let mut from = 0;
        loop {
            let end = from + block.get(from..).and_then(|rest| rest.find("\"\"\"")).ok_or_else(unfinished)?;
            if !block.get(..end).unwrap_or_default().ends_with('\\') {
                return Ok(end + 6);
            }
            from = end + 3;
        }
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' | '\r' => return Err(unfinished()),
            '"' if !escaped => return Ok(at + 1),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    Err(unfinished())
}
