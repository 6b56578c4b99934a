//! Objects: numbers, references, arrays and dictionaries, repaired where they are broken.

use lopdf::{Dictionary, Object, StringFormat};

use super::{Lexer, MAX_HELD, is_delimiter};
use crate::limits::Budget;
use satchel_model::error::Result;

impl Lexer<'_> {
    pub(super) fn value(&mut self, depth: usize, references: bool, budget: &mut Budget) -> Result<Option<Object>> {
        self.skip_space();
        self.count(budget)?;
        if references {
            budget.object()?;
        } else {
            self.held += 1;
        }
        let Some(byte) = self.peek().filter(|_| self.held < MAX_HELD) else { return Ok(None) };
        Ok(match byte {
            b'/' => Some(Object::Name(self.name())),
            b'(' => Some(Object::String(self.literal(), StringFormat::Literal)),
            b'<' if self.rest().starts_with(b"<<") => self.dictionary(depth, references, budget)?,
            b'<' => Some(Object::String(self.hexadecimal(), StringFormat::Hexadecimal)),
            b'[' => self.array(depth, references, budget)?,
            b'0'..=b'9' | b'+' | b'-' | b'.' => {
                if references && let Some(id) = self.reference() {
                    return Ok(Some(Object::Reference(id)));
                }
                number(self.regular())
            }
            _ if is_delimiter(byte) => None,
            _ => match self.regular() {
                b"true" => Some(Object::Boolean(true)),
                b"false" => Some(Object::Boolean(false)),
                b"null" => Some(Object::Null),
                other => {
                    self.at -= other.len();
                    None
                }
            },
        })
    }

    /// `12 0 R`.
    fn reference(&mut self) -> Option<(u32, u16)> {
        let mut ahead = self.clone();
        let id = u32::try_from(ahead.number()?).ok()?;
        let generation = ahead.number();
        self.looked = ahead.looked;
        let generation = u16::try_from(generation?).ok()?;
        if !ahead.keyword(b"R") {
            return None;
        }
        self.at = ahead.at;
        Some((id, generation))
    }

    fn array(&mut self, depth: usize, references: bool, budget: &mut Budget) -> Result<Option<Object>> {
        self.skip(1);
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b']') => {
                    self.skip(1);
                    return Ok(Some(Object::Array(items)));
                }
                None => return Ok(None),
                Some(_) if depth == 0 => return Ok(None),
                Some(b'e' | b's') if self.is_end() => return Ok(Some(Object::Array(items))),
                Some(_) => match self.value(depth - 1, references, budget)? {
                    Some(item) => items.push(item),
                    // They stand behind something too deep, and are the array's own.
                    None if matches!(self.peek(), Some(b']' | b'/')) => {}
                    None => self.junk(),
                },
            }
        }
    }

    fn dictionary(&mut self, depth: usize, references: bool, budget: &mut Budget) -> Result<Option<Object>> {
        self.skip(2);
        let mut dictionary = Dictionary::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'>') => {
                    self.skip(2);
                    return Ok(Some(Object::Dictionary(dictionary)));
                }
                Some(b'/') if depth > 0 => {
                    let key = self.name();
                    match self.value(depth - 1, references, budget)? {
                        Some(value) => dictionary.set(key, value),
                        None => self.skip_space(),
                    }
                }
                None => return Ok(None),
                Some(_) if depth == 0 => return Ok(None),
                Some(b'e' | b's') if self.is_end() => return Ok(Some(Object::Dictionary(dictionary))),
                Some(_) => {
                    self.count(budget)?;
                    self.junk();
                }
            }
        }
    }

    /// Returns whether the object ends here although something in it is still open.
    fn is_end(&self) -> bool {
        [&b"endobj"[..], b"stream"].iter().any(|word| self.rest().starts_with(word))
    }

    /// Passes over what has no place here: at least a byte.
    fn junk(&mut self) {
        if self.regular().is_empty() {
            self.skip(1);
        }
    }
}

/// A number; what only looks like one is 0, as viewers take it.
fn number(word: &[u8]) -> Option<Object> {
    let text = std::str::from_utf8(word).ok()?;
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Object::Integer(whole));
    }
    let real = text.parse::<f32>().ok().filter(|real| real.is_finite());
    Some(real.map_or(Object::Integer(0), Object::Real))
}
