//! Character maps: which bytes are one code, which text and which glyph a code stands for.

use std::collections::HashMap;

use lopdf::Object;

use super::lexer::{Lexer, Word};
use crate::limits::Budget;
use satchel_model::error::Result;

/// Codes from one to another, both of a length in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    length: usize,
    low: u32,
    high: u32,
}

/// A character map.
#[derive(Debug, Default)]
pub(super) struct CMap {
    spaces: Vec<Span>,
    texts: HashMap<u32, String>,
    text_spans: Vec<(Span, Vec<u16>)>,
    glyph_spans: Vec<(Span, u32)>,
}

/// Longest text of one code, in UTF-16 units.
const MAX_TEXT: usize = 64;

impl CMap {
    pub(super) fn parse(data: &[u8], budget: &mut Budget) -> Result<Self> {
        let (mut map, mut operands, mut lexer) = (Self::default(), Vec::new(), Lexer::new(data, 0));
        while let Some(word) = lexer.word(budget)? {
            match word {
                Word::Operand(operand) => operands.push(operand),
                Word::Operator(operator) => {
                    map.take(operator, &operands, budget)?;
                    operands.clear();
                }
            }
        }
        map.text_spans.sort_by_key(|(span, _)| span.low);
        map.glyph_spans.sort_by_key(|(span, _)| span.low);
        Ok(map)
    }

    fn take(&mut self, operator: &[u8], operands: &[Object], budget: &mut Budget) -> Result<()> {
        let code = |object: &Object| object.as_str().ok().map(number);
        match operator {
            b"endcodespacerange" => {
                for pair in operands.chunks_exact(2) {
                    budget.object()?;
                    if let [low, high] = pair
                        && let Some(span) = span(low, high)
                    {
                        self.spaces.push(span);
                    }
                }
            }
            b"endbfchar" => {
                for pair in operands.chunks_exact(2) {
                    budget.object()?;
                    if let [from, Object::String(text, _)] = pair
                        && let Some(from) = code(from)
                    {
                        self.texts.insert(from, characters(&units(text)));
                    }
                }
            }
            b"endbfrange" => operands.chunks_exact(3).try_for_each(|triple| self.text_span(triple, budget))?,
            b"endcidrange" => {
                for triple in operands.chunks_exact(3) {
                    budget.object()?;
                    if let [low, high, Object::Integer(glyph)] = triple
                        && let (Some(span), Ok(glyph)) = (span(low, high), u32::try_from(*glyph))
                    {
                        self.glyph_spans.push((span, glyph));
                    }
                }
            }
            b"endcidchar" => {
                for pair in operands.chunks_exact(2) {
                    budget.object()?;
                    if let [from, Object::Integer(glyph)] = pair
                        && let (Some(span), Ok(glyph)) = (span(from, from), u32::try_from(*glyph))
                    {
                        self.glyph_spans.push((span, glyph));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn text_span(&mut self, triple: &[Object], budget: &mut Budget) -> Result<()> {
        budget.object()?;
        let [low, high, text] = triple else { return Ok(()) };
        let Some(span) = span(low, high) else { return Ok(()) };
        match text {
            Object::String(text, _) => self.text_spans.push((span, units(text))),
            Object::Array(texts) => {
                for (code, text) in (span.low..=span.high).zip(texts) {
                    budget.object()?;
                    self.texts.insert(code, characters(&units(text.as_str().unwrap_or_default())));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns whether it says which bytes are one code.
    pub(super) fn has_spaces(&self) -> bool {
        !self.spaces.is_empty()
    }

    /// The first code of some bytes, and its length.
    pub(super) fn code(&self, bytes: &[u8]) -> (u32, usize) {
        for length in 1..=4.min(bytes.len()) {
            let code = number(bytes.get(..length).unwrap_or_default());
            let fits = |span: &Span| span.length == length && (span.low..=span.high).contains(&code);
            if self.spaces.iter().take(64).any(fits) {
                return (code, length);
            }
        }
        let shortest = self.spaces.iter().map(|span| span.length).min().unwrap_or(1).min(bytes.len()).max(1);
        (number(bytes.get(..shortest).unwrap_or_default()), shortest)
    }

    /// The text a code stands for.
    pub(super) fn text(&self, code: u32) -> Option<String> {
        if let Some(text) = self.texts.get(&code) {
            return Some(text.clone());
        }
        let (span, first) = within(&self.text_spans, code)?;
        let mut units = first.clone();
        let last = units.last_mut()?;
        *last = last.wrapping_add(u16::try_from(code - span.low).ok()?);
        Some(characters(&units))
    }

    /// The glyph a code stands for.
    pub(super) fn glyph(&self, code: u32) -> Option<u32> {
        let (span, first) = within(&self.glyph_spans, code)?;
        first.checked_add(code - span.low)
    }
}

/// The span a code lies in; spans are sorted by where they begin.
fn within<T>(spans: &[(Span, T)], code: u32) -> Option<&(Span, T)> {
    let after = spans.partition_point(|(span, _)| span.low <= code);
    let before = spans.get(..after)?;
    // Overlapping spans are rare, and a few are enough.
    before.iter().rev().take(8).find(|(span, _)| span.high >= code)
}

fn span(low: &Object, high: &Object) -> Option<Span> {
    let (low, high) = (low.as_str().ok()?, high.as_str().ok()?);
    (!low.is_empty() && low.len() <= 4).then(|| Span { length: low.len(), low: number(low), high: number(high) })
}

/// Bytes as a number, the highest first.
pub(super) fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |sum, byte| (sum << 8) | u32::from(*byte))
}

fn units(bytes: &[u8]) -> Vec<u16> {
    if let [only] = bytes {
        return vec![u16::from(*only)];
    }
    let pairs = bytes.chunks_exact(2).take(MAX_TEXT);
    pairs.map(|pair| pair.iter().fold(0, |sum, byte| (sum << 8) | u16::from(*byte))).collect()
}

fn characters(units: &[u16]) -> String {
    char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or('\u{fffd}')).filter(|c| *c != '\0').collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn codes_lead_to_text_and_glyphs() {
        let data = b"1 begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange
            2 beginbfchar <01> <00480069> <8001> <D83DDE00> endbfchar
            2 beginbfrange <10> <12> <0041> <20> <21> [<0058> <00660066>] endbfrange
            1 begincidrange <8000> <80ff> 100 endcidrange";
        let map = CMap::parse(data, &mut Budget::new(&Limits::default())).unwrap();
        assert_eq!((map.code(&[0x41, 0x42]), map.code(&[0x80, 1, 2])), ((0x41, 1), (0x8001, 2)));
        let texts = [1, 0x8001, 0x12, 0x13, 0x21].map(|code| map.text(code));
        let wanted = [Some("Hi"), Some("😀"), Some("C"), None, Some("ff")];
        assert_eq!(texts, wanted.map(|text| text.map(str::to_owned)));
        assert_eq!((map.glyph(0x8005), map.glyph(5)), (Some(105), None));
    }

    #[test]
    fn a_range_of_everything_costs_nothing() {
        let data = b"1 beginbfrange <00000000> <ffffffff> <0041> endbfrange".repeat(1000);
        let map = CMap::parse(&data, &mut Budget::new(&Limits::default())).unwrap();
        assert_eq!(map.text(1).as_deref(), Some("B"));
    }
}
