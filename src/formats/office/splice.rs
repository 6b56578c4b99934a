//! Changes in the text of a part: pieces are replaced where they stand, and all between them stays as it is.

use std::ops::Range;

use quick_xml::{Reader, events::Event};

use super::xml;
use satchel_model::error::Result;

/// A piece of a part and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// The text with the edits made. Of edits that overlap only the first counts.
pub(crate) fn splice(text: &str, mut edits: Vec<Edit>) -> String {
    // Insertions at one place keep the order they were made in.
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        let Some(before) = text.get(at..edit.range.start) else { continue };
        out.push_str(before);
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Reads a part with the place of every piece.
pub(crate) struct Places<'a> {
    reader: Reader<&'a [u8]>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { reader: Reader::from_str(text) }
    }

    /// The next piece and its bytes in the text; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(Event<'a>, Range<usize>)>> {
        let start = self.position();
        let event = self.reader.read_event().map_err(xml::damaged)?;
        match event {
            Event::Eof => Ok(None),
            Event::DocType(_) => Err(xml::entities()),
            event => Ok(Some((event, start..self.position()))),
        }
    }

    fn position(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }
}

/// Text as it stands in XML. Characters XML cannot hold are left out.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_replaced_and_the_rest_stays() {
        let edit = |range: Range<usize>, text: &str| Edit { range, text: text.to_owned() };
        let edits = vec![edit(5..5, "+"), edit(0..1, "A"), edit(5..5, "-"), edit(2..4, "")];
        assert_eq!(splice("abcdef", edits), "Abe+-f");
        assert_eq!(splice("ä", vec![edit(1..2, "x")]), "ä");
    }

    #[test]
    fn what_xml_cannot_hold_is_left_out() {
        assert_eq!(escape("a<b>&\"\u{1}\u{ffff}\n"), "a&lt;b&gt;&amp;&quot;\n");
    }
}
