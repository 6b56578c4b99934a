//! The words of a PDF: objects as they stand in a file, and operators as they stand in a page.

mod object;
mod text;

use lopdf::Object;

use crate::limits::Budget;
use satchel_model::error::Result;

/// Deepest objects in objects; what is deeper is dropped.
const MAX_DEPTH: usize = 48;

/// Reads words from bytes.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Values since the last operator.
    held: usize,
    /// Bytes that were looked at and not counted yet.
    looked: usize,
}

/// Most values before an operator; what is more is dropped.
const MAX_HELD: usize = 50_000;

/// A word of a page.
#[derive(Debug, PartialEq)]
pub(super) enum Word<'a> {
    /// A value an operator works on.
    Operand(Object),
    /// The operation.
    Operator(&'a [u8]),
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !is_delimiter(byte)
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at: at.min(bytes.len()), held: 0, looked: 0 }
    }

    /// The bytes that have not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.bytes.len());
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Passes over blanks and comments.
    pub(super) fn skip_space(&mut self) {
        let before = self.at;
        self.pass_space();
        self.looked_through(before, self.at < self.bytes.len());
    }

    /// Remembers that bytes were looked at one by one. What goes on to the end of the file costs more: it may well be
    /// meant to be looked at again and again.
    fn looked_through(&mut self, from: usize, ends: bool) {
        self.looked += (self.at - from) * if ends { 2 } else { 16 };
    }

    fn pass_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                let end = self.rest().iter().position(|b| matches!(b, b'\n' | b'\r'));
                self.skip(end.unwrap_or(self.rest().len()));
            } else if is_space(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn regular(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().position(|byte| !is_regular(*byte)).unwrap_or(rest.len());
        self.skip(length);
        self.looked += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Takes this keyword, if it stands next.
    pub(super) fn keyword(&mut self, word: &[u8]) -> bool {
        self.skip_space();
        let behind = self.rest().get(word.len()).copied();
        let found = self.rest().starts_with(word) && !behind.is_some_and(is_regular);
        if found {
            self.skip(word.len());
        }
        found
    }

    /// Takes an unsigned number, if one stands next.
    pub(super) fn number(&mut self) -> Option<u64> {
        self.skip_space();
        let before = self.at;
        let number = std::str::from_utf8(self.regular()).ok().and_then(|digits| digits.parse().ok());
        if number.is_none() {
            self.at = before;
        }
        number
    }

    /// The next object of a file, references included.
    pub(super) fn object(&mut self, budget: &mut Budget) -> Result<Option<Object>> {
        let object = self.value(MAX_DEPTH, true, budget)?;
        self.count(budget)?;
        Ok(object)
    }

    /// The next word of a page; none at the end.
    pub(super) fn word(&mut self, budget: &mut Budget) -> Result<Option<Word<'a>>> {
        loop {
            self.skip_space();
            let Some(byte) = self.peek() else { return Ok(None) };
            let begins_object = is_delimiter(byte) || byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.');
            if begins_object {
                let before = self.at;
                if let Some(object) = self.value(MAX_DEPTH, false, budget)? {
                    return Ok(Some(Word::Operand(object)));
                }
                self.at = self.at.max(before + 1);
                continue;
            }
            self.count(budget)?;
            self.held = 0;
            let word = self.regular();
            return Ok(Some(match word {
                b"true" => Word::Operand(Object::Boolean(true)),
                b"false" => Word::Operand(Object::Boolean(false)),
                b"null" => Word::Operand(Object::Null),
                word => Word::Operator(word),
            }));
        }
    }

    /// Counts what was looked at: what never ends must not be looked through again and again.
    fn count(&mut self, budget: &mut Budget) -> Result<()> {
        budget.search(std::mem::take(&mut self.looked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use lopdf::StringFormat;

    fn object(text: &[u8]) -> Option<Object> {
        Lexer::new(text, 0).object(&mut Budget::new(&Limits::default())).unwrap()
    }

    #[test]
    fn objects_are_read() {
        let text = b"<< /A#20b [1 -.5 (a\\(b\\051\\n(c)) <48 6> null] /R 12 0 R % why\n /D <</T true>> >>";
        let Some(Object::Dictionary(found)) = object(text) else { panic!() };
        let items = vec![
            Object::Integer(1),
            Object::Real(-0.5),
            Object::String(b"a(b)\n(c)".to_vec(), StringFormat::Literal),
            Object::String(b"H`".to_vec(), StringFormat::Hexadecimal),
            Object::Null,
        ];
        assert_eq!(found.get(b"A b").unwrap(), &Object::Array(items));
        assert_eq!(found.get(b"R").unwrap(), &Object::Reference((12, 0)));
        assert!(found.get(b"D").unwrap().as_dict().is_ok());
    }

    #[test]
    fn words_of_a_page_are_read() {
        let mut lexer = Lexer::new(b"1 0 0 rg(x)Tj\n] /F1 12 Tf", 0);
        let mut budget = Budget::new(&Limits::default());
        let mut words = Vec::new();
        while let Some(word) = lexer.word(&mut budget).unwrap() {
            words.push(match word {
                Word::Operator(name) => String::from_utf8_lossy(name).into_owned(),
                Word::Operand(_) => "_".to_owned(),
            });
        }
        assert_eq!(words, ["_", "_", "_", "rg", "_", "Tj", "_", "_", "Tf"]);
    }

    #[test]
    fn what_is_cut_off_or_bottomless_ends() {
        for text in [&b"<< /A [1 2"[..], b"[[[", b"<", b"(", b"/", b"<<", b"<< /A >>", b"[}]", b"<< 1 2 ) >>"] {
            let _ = object(text);
        }
        let Some(Object::Dictionary(mended)) = object(b"<< ] /A ] ) } /B 2 >>") else { panic!() };
        assert_eq!(mended.get(b"B").unwrap(), &Object::Integer(2));
        let Some(Object::Dictionary(mended)) = object(b"<< /A [1 2 /Length 3\nstream\nxyz") else { panic!() };
        assert_eq!(mended.len(), 1);
        assert_eq!(object(&b"[".repeat(100_000)), None);
        assert_eq!(object(&b"<</A".repeat(100_000)), None);
    }
}
