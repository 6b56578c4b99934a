//! The words of a page or a character map: operators, and what they work on.

use hayro_syntax::{
    object::{Null, Number, Object},
    // Hidden in its documentation. The library's own iterator ends at a bracket out of place and at 33 operands, of which
    // a character map has hundreds.
    reader::{Reader, ReaderExt},
};

/// Most operands of an operator; what is more is dropped.
const MAX_OPERANDS: usize = 50_000;

/// Most brackets that are not closed: each is looked for to the end.
const MAX_OPEN: usize = 8;

/// Reads words from bytes.
pub(super) struct Words<'a> {
    reader: Reader<'a>,
    open: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { reader: Reader::new(bytes), open: 0 }
    }

    /// The bytes that have not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.reader.data.get(self.reader.offset()..).unwrap_or_default()
    }

    /// Passes over bytes.
    pub(super) fn skip(&mut self, count: usize) {
        self.reader.jump(self.reader.offset().saturating_add(count).min(self.reader.len()));
    }

    /// Returns the next operator, with its operands in `operands`; `None` at the end.
    pub(super) fn next(&mut self, operands: &mut Vec<Object<'a>>) -> Option<&'a [u8]> {
        operands.clear();
        loop {
            self.reader.skip_white_spaces_and_comments();
            let first = self.reader.peek_byte()?;
            let operand = match first {
                b'/' | b'(' | b'<' | b'[' | b'+' | b'-' | b'.' | b'0'..=b'9' => self.reader.read_without_context(),
                _ => None,
            };
            let operand = match operand {
                Some(operand) => operand,
                None => match self.regular() {
                    b"" => {
                        if matches!(first, b'(' | b'<' | b'[') {
                            self.open += 1;
                            if self.open > MAX_OPEN {
                                return None;
                            }
                        }
                        self.skip(1);
                        continue;
                    }
                    b"true" => Object::Boolean(true),
                    b"false" => Object::Boolean(false),
                    b"null" => Object::Null(Null),
                    word if first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.') => number(word),
                    operator => return Some(operator),
                },
            };
            if operands.len() < MAX_OPERANDS {
                operands.push(operand);
            }
        }
    }

    fn regular(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().position(|byte| !is_regular(*byte)).unwrap_or(rest.len());
        self.skip(length);
        rest.get(..length).unwrap_or_default()
    }
}

/// A number that is written as none should be. What only looks like one is 0, as viewers take it.
fn number<'a>(word: &[u8]) -> Object<'a> {
    let number = str::from_utf8(word).ok().and_then(|word| word.parse().ok()).filter(|number: &f32| number.is_finite());
    Object::Number(number.map_or(Number::ZERO, Number::from_f32))
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// Returns the first place of `wanted`.
pub(super) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operators(program: &[u8]) -> Vec<(String, usize)> {
        let (mut words, mut operands, mut found) = (Words::new(program), Vec::new(), Vec::new());
        while let Some(operator) = words.next(&mut operands) {
            found.push((String::from_utf8_lossy(operator).into_owned(), operands.len()));
        }
        found
    }

    #[test]
    fn words_of_a_page_are_read() {
        let program = b"1 0 .5 rg(x)Tj% why\n] /F1 12x Tf [(a) -5 <48>] TJ true << /A 1 >> BDC";
        let wanted = [("rg", 3), ("Tj", 1), ("Tf", 2), ("TJ", 1), ("BDC", 2)];
        assert_eq!(operators(program), wanted.map(|(name, count)| (name.to_owned(), count)));
        let many = [&b"1 ".repeat(200)[..], b"scn"].concat();
        assert_eq!(operators(&many), [("scn".to_owned(), 200)]);
    }

    #[test]
    fn what_is_cut_off_or_bottomless_ends() {
        for program in [&b"<< /A [1 2"[..], b"<", b"(", b"/", b"<<", b"<< /A >>", b"[}]", b"<< 1 2 ) >>", b"(q"] {
            operators(program);
        }
        for open in [&b"["[..], b"(", b"<</A"] {
            assert_eq!(operators(&open.repeat(100_000)), []);
        }
    }
}
