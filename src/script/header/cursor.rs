//! The text of one tag, over as many lines as it takes, with the place of every character.

use serde::de::DeserializeOwned;

use super::Place;
use satchel_model::script::Diagnostic;

/// Reads a tag's text from left to right.
pub(super) struct Cursor {
    text: String,
    /// Line and column of each byte of `text`, and of its end.
    places: Vec<Place>,
    at: usize,
}

impl Cursor {
    /// At the start of an empty text that ends at this place.
    pub(super) fn new(line: usize, column: usize) -> Self {
        Self { text: String::new(), places: vec![(line, column)], at: 0 }
    }

    /// Adds what stands from this place on.
    pub(super) fn extend(&mut self, text: &str, line: usize, column: usize) {
        self.places.pop();
        if !self.text.is_empty() {
            self.text.push(' ');
            self.places.push((line, column));
        }
        let mut end = column;
        for (n, c) in text.chars().enumerate() {
            self.text.push(c);
            self.places.extend(std::iter::repeat_n((line, column + n), c.len_utf8()));
            end = column + n + 1;
        }
        self.places.push((line, end));
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Returns whether nothing is left.
    pub(super) fn is_done(&mut self) -> bool {
        self.skip_space();
        self.rest().is_empty()
    }

    /// An error at the next thing.
    pub(super) fn error(&mut self, message: impl Into<String>) -> Diagnostic {
        self.skip_space();
        let length = self.rest().chars().take_while(|c| !c.is_whitespace()).count();
        self.error_at(self.at, message).long(length)
    }

    /// An error at a place remembered from [`Self::mark`].
    pub(super) fn error_at(&self, at: usize, message: impl Into<String>) -> Diagnostic {
        let (line, column) = self.place(at);
        Diagnostic::error(line, column, message)
    }

    /// Line and column of a place remembered from [`Self::mark`].
    pub(super) fn place(&self, at: usize) -> Place {
        self.places.get(at).or(self.places.last()).copied().unwrap_or((1, 1))
    }

    /// Goes back to a place remembered from [`Self::mark`].
    pub(super) fn back(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns where the next thing begins.
    pub(super) fn mark(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    /// All that is left, as it stands.
    pub(super) fn remainder(&mut self) -> String {
        self.skip_space();
        let rest = self.rest().trim_end().to_owned();
        self.at = self.text.len();
        rest
    }

    /// The next word: letters, digits and the marks names are made of.
    pub(super) fn word(&mut self) -> Option<String> {
        self.skip_space();
        let length =
            self.rest().find(|c: char| !(c.is_alphanumeric() || "_-.:*".contains(c))).unwrap_or(self.rest().len());
        let word = self.rest().get(..length).filter(|word| !word.is_empty())?.to_owned();
        self.at += length;
        Some(word)
    }

    /// Takes this mark where it comes next.
    pub(super) fn take(&mut self, mark: &str) -> bool {
        self.skip_space();
        let comes = self.rest().starts_with(mark);
        if comes {
            self.at += mark.len();
        }
        comes
    }

    /// Returns whether a text in quotes comes next.
    pub(super) fn sees_text(&mut self) -> bool {
        self.skip_space();
        self.rest().starts_with('"')
    }

    /// The JSON value that comes next.
    pub(super) fn json<T: DeserializeOwned>(&mut self, what: &str) -> Result<T, Diagnostic> {
        self.skip_space();
        let start = self.at;
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<T>();
        let next = values.next();
        let length = values.byte_offset();
        match next {
            Some(Ok(value)) => {
                self.at += length;
                Ok(value)
            }
            Some(Err(error)) if !error.is_eof() => {
                // One line of ours, so the column is the byte.
                let at = start + error.column().saturating_sub(1);
                let reason = error.to_string();
                let reason = reason.split(" at line ").next().unwrap_or_default();
                Err(self.error_at(at, format!("This is not {what}: {reason}.")))
            }
            _ => Err(self.error_at(start, format!("Here {what} is missing, or its end."))),
        }
    }
}
