//! Character maps: which bytes are one code, which text and which glyph a code stands for.

use std::collections::HashMap;

use hayro_syntax::object::Object;

use super::words::Words;

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
    pub(super) fn parse(data: &[u8]) -> Self {
        let (mut map, mut operands, mut words) = (Self::default(), Vec::new(), Words::new(data));
        while let Some(operator) = words.next(&mut operands) {
            map.take(operator, &operands);
        }
        map.text_spans.sort_by_key(|(span, _)| span.low);
        map.glyph_spans.sort_by_key(|(span, _)| span.low);
        map
    }

    fn take(&mut self, operator: &[u8], operands: &[Object<'_>]) {
        let (pairs, triples) = (operands.chunks_exact(2), operands.chunks_exact(3));
        match operator {
            b"endcodespacerange" => self.spaces.extend(pairs.filter_map(|pair| span(pair.first()?, pair.get(1)?))),
            b"endbfchar" => self.texts.extend(pairs.filter_map(|pair| {
                let [Object::String(from), Object::String(text)] = pair else { return None };
                Some((number(from), characters(&units(text))))
            })),
            b"endbfrange" => triples.for_each(|triple| self.text_span(triple)),
            b"endcidrange" => self.glyph_spans.extend(triples.filter_map(|triple| {
                let [low, high, Object::Number(glyph)] = triple else { return None };
                Some((span(low, high)?, u32::try_from(glyph.as_i64()).ok()?))
            })),
            b"endcidchar" => self.glyph_spans.extend(pairs.filter_map(|pair| {
                let [from, Object::Number(glyph)] = pair else { return None };
                Some((span(from, from)?, u32::try_from(glyph.as_i64()).ok()?))
            })),
            _ => {}
        }
    }

    fn text_span(&mut self, triple: &[Object<'_>]) {
        let [low, high, text] = triple else { return };
        let Some(span) = span(low, high) else { return };
        match text {
            Object::String(text) => self.text_spans.push((span, units(text))),
            Object::Array(texts) => {
                self.texts.extend((span.low..=span.high).zip(texts.iter::<Object<'_>>()).filter_map(|(code, text)| {
                    match text {
                        Object::String(text) => Some((code, characters(&units(&text)))),
                        _ => None,
                    }
                }))
            }
            _ => {}
        }
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

fn span(low: &Object<'_>, high: &Object<'_>) -> Option<Span> {
    let (Object::String(low), Object::String(high)) = (low, high) else { return None };
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

    #[test]
    fn codes_lead_to_text_and_glyphs() {
        let data = b"1 begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange
            2 beginbfchar <01> <00480069> <8001> <D83DDE00> endbfchar
            2 beginbfrange <10> <12> <0041> <20> <21> [<0058> <00660066>] endbfrange
            1 begincidrange <8000> <80ff> 100 endcidrange";
        let map = CMap::parse(data);
        assert_eq!((map.code(&[0x41, 0x42]), map.code(&[0x80, 1, 2])), ((0x41, 1), (0x8001, 2)));
        let texts = [1, 0x8001, 0x12, 0x13, 0x21].map(|code| map.text(code));
        let wanted = [Some("Hi"), Some("😀"), Some("C"), None, Some("ff")];
        assert_eq!(texts, wanted.map(|text| text.map(str::to_owned)));
        assert_eq!((map.glyph(0x8005), map.glyph(5)), (Some(105), None));
    }

    #[test]
    fn a_range_of_everything_costs_nothing() {
        let data = b"1 beginbfrange <00000000> <ffffffff> <0041> endbfrange".repeat(1000);
        let map = CMap::parse(&data);
        assert_eq!(map.text(1).as_deref(), Some("B"));
    }
}
