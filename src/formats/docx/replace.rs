//! Finds a text in the paragraphs of a part, however many runs it is split over, and says what to change.

use std::ops::Range;

use quick_xml::events::Event;

use super::write::pieces;
use crate::{
    extracted::{is_blank, tidy},
    office::{
        splice::{Edit, Places, escape},
        xml::{local, resolve},
    },
};
use satchel_model::error::Result;

/// A piece of a paragraph's text.
#[derive(Debug)]
struct Piece {
    text: String,
    /// The whole element.
    element: Range<usize>,
    /// Its name with prefix; `None` if the element stands for a character, as a tab does.
    name: Option<String>,
}

/// A paragraph while it is read.
#[derive(Debug, Default)]
struct Paragraph {
    pieces: Vec<Piece>,
    /// A copy for programs that do not know the original: changed with it, and not counted.
    copy: bool,
}

/// A text to replace, and its replacement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) blanks: Blanks,
}

/// The way blanks and tabs of the document are compared with those of the text that is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blanks {
    /// As they stand.
    Exact,
    /// As reading shows them: one for many, tabs and fixed blanks too.
    AsRead,
}

/// The edits that replace what is wanted, and how often it was found.
pub(super) fn edits(part: &str, wanted: Wanted<'_>) -> Result<(Vec<Edit>, usize)> {
    let (mut edits, mut count) = (Vec::new(), 0);
    let mut open: Vec<Paragraph> = Vec::new();
    let (mut text, mut copies, mut settings) = (None::<Piece>, 0_usize, 0_usize);
    let mut places = Places::new(part);
    while let Some((event, range)) = places.next()? {
        match event {
            Event::Start(element) => match local(&element) {
                "p" => open.push(Paragraph { copy: copies > 0, ..Paragraph::default() }),
                "Fallback" => copies += 1,
                "pPr" => settings += 1,
                "t" => {
                    let name = Some(element.name().into_inner().to_owned());
                    text = Some(Piece { text: String::new(), element: range, name });
                }
                _ => {}
            },
            Event::Empty(element) => {
                let stands_for = match local(&element) {
                    // A paragraph's settings have places for tabs, which are none.
                    _ if settings > 0 => continue,
                    "tab" => "\t",
                    "br" | "cr" => "\n",
                    "noBreakHyphen" => "-",
                    _ => continue,
                };
                let piece = Piece { text: stands_for.to_owned(), element: range, name: None };
                if let Some(paragraph) = open.last_mut() {
                    paragraph.pieces.push(piece);
                }
            }
            Event::Text(content) => {
                text.iter_mut().for_each(|piece| piece.text.push_str(&content.xml10_content()));
            }
            Event::CData(content) => {
                text.iter_mut().for_each(|piece| piece.text.push_str(&content.xml10_content()));
            }
            Event::GeneralRef(reference) => {
                let c = resolve(&reference)?;
                text.iter_mut().for_each(|piece| piece.text.push(c));
            }
            Event::End(end) => match end.local_name().into_inner() {
                "t" => {
                    if let (Some(mut piece), Some(paragraph)) = (text.take(), open.last_mut()) {
                        piece.element.end = range.end;
                        paragraph.pieces.push(piece);
                    }
                }
                "Fallback" => copies = copies.saturating_sub(1),
                "pPr" => settings = settings.saturating_sub(1),
                "p" => {
                    let Some(paragraph) = open.pop() else { continue };
                    let found = paragraph.replace(wanted, &mut edits);
                    count += if paragraph.copy { 0 } else { found };
                }
                _ => {}
            },
            _ => {}
        }
    }
    Ok((edits, count))
}

impl Wanted<'_> {
    /// Returns its places in a paragraph.
    fn found(self, whole: &str) -> Vec<Range<usize>> {
        if self.blanks == Blanks::Exact {
            return whole.match_indices(self.old).map(|(at, text)| at..at + text.len()).collect();
        }
        let old = tidy(self.old);
        if old.is_empty() {
            return Vec::new();
        }
        let (shown, places) = as_read(whole);
        let place = |at: usize| places.get(at).cloned().unwrap_or_default();
        shown.match_indices(&old).map(|(at, text)| place(at).start..place(at + text.len() - 1).end).collect()
    }
}

/// A paragraph as reading shows it, and for each byte of that the place of its character in the paragraph.
fn as_read(whole: &str) -> (String, Vec<Range<usize>>) {
    let (mut shown, mut places, mut blank) = (String::new(), Vec::new(), None);
    for (at, c) in whole.char_indices() {
        if is_blank(c) {
            blank.get_or_insert(at);
            continue;
        }
        if let Some(from) = blank.take().filter(|_| c != '\n' && !shown.is_empty() && !shown.ends_with('\n')) {
            shown.push(' ');
            places.push(from..at);
        }
        shown.push(c);
        places.extend(std::iter::repeat_n(at..at + c.len_utf8(), c.len_utf8()));
    }
    (shown, places)
}

impl Paragraph {
    fn replace(&self, wanted: Wanted<'_>, edits: &mut Vec<Edit>) -> usize {
        let whole: String = self.pieces.iter().map(|piece| piece.text.as_str()).collect();
        let found = wanted.found(&whole);
        if found.is_empty() {
            return 0;
        }
        let mut start = 0;
        for piece in &self.pieces {
            let place = start..start + piece.text.len();
            start = place.end;
            // They are in order: of many finds in many pieces each piece looks at its own only.
            let first = found.partition_point(|find| find.end <= place.start);
            let last = found.partition_point(|find| find.start < place.end);
            if let Some(within @ [_, ..]) = found.get(first..last) {
                edits.push(Edit { range: piece.element.clone(), text: piece.rewritten(&place, within, wanted.new) });
            }
        }
        found.len()
    }
}

impl Piece {
    /// The element's text without what was found in it, and with `new` where a find begins. `place` is where it stands in the
    /// paragraph.
    fn rewritten(&self, place: &Range<usize>, found: &[Range<usize>], new: &str) -> String {
        let (mut text, mut at) = (String::new(), place.start);
        let within = |range: Range<usize>| {
            self.text
                .get(range.start.saturating_sub(place.start)..range.end.saturating_sub(place.start))
                .unwrap_or_default()
        };
        for find in found {
            text.push_str(within(at..find.start.max(at)));
            if find.start >= place.start {
                text.push_str(new);
            }
            at = find.end.min(place.end);
        }
        text.push_str(within(at..place.end));
        match &self.name {
            Some(name) if !text.contains(['\n', '\t']) => {
                format!(r#"<{name} xml:space="preserve">{}</{name}>"#, escape(&text))
            }
            Some(name) => pieces(name.strip_suffix('t').unwrap_or("w:"), &text),
            None => pieces("w:", &text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::office::splice::splice;

    fn replaced_as(part: &str, wanted: Wanted<'_>) -> (String, usize) {
        let (edits, count) = edits(part, wanted).unwrap();
        (splice(part, edits), count)
    }

    fn replaced(part: &str, old: &str, new: &str) -> (String, usize) {
        replaced_as(part, Wanted { old, new, blanks: Blanks::Exact })
    }

    #[test]
    fn a_text_quoted_as_it_was_read_is_found_with_its_blanks() {
        let part =
            "<w:p><w:r><w:t>\u{a0}Name:</w:t><w:tab/><w:tab/></w:r><w:r><w:t>Ann  Lee,\u{a0}Bern</w:t></w:r></w:p>";
        let wanted = |old| Wanted { old, new: "Name: Bob", blanks: Blanks::AsRead };
        let (text, count) = replaced_as(part, wanted("Name: Ann Lee, Bern"));
        assert_eq!(
            (count, text.matches("Name: Bob").count(), text.contains("Ann"), text.contains("tab")),
            (1, 1, false, false)
        );
        assert!(text.contains("\u{a0}Name: Bob<"), "{text}");
        assert_eq!(replaced_as(part, wanted(" \t ")).1, 0);
        assert_eq!(replaced_as(part, wanted("Name:Ann")).1, 0);
    }

    #[test]
    fn places_for_tabs_in_a_paragraphs_settings_are_no_text() {
        let part = r#"<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr><w:r><w:tab/><w:t>Sum</w:t></w:r></w:p>"#;
        let (text, count) = replaced(part, "\tSum", "Total");
        assert_eq!(count, 1);
        assert!(text.contains(r#"<w:tab w:val="left" w:pos="720"/>"#) && text.contains("Total</w:t>"), "{text}");
    }

    #[test]
    fn a_text_split_over_runs_is_replaced_and_formats_stay() {
        let part = r#"<w:p><w:r><w:t>Dear Mr </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Sm</w:t></w:r><w:proofErr/><w:r><w:t xml:space="preserve">ith, hello</w:t></w:r></w:p>"#;
        let wanted = r#"<w:p><w:r><w:t>Dear Mr </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">Jones</w:t></w:r><w:proofErr/><w:r><w:t xml:space="preserve">, hello</w:t></w:r></w:p>"#;
        assert_eq!(replaced(part, "Smith", "Jones"), (wanted.to_owned(), 1));
    }

    #[test]
    fn several_finds_in_one_run_and_references_are_handled() {
        let part = "<w:p><w:r><w:t>a &amp; a &lt;a</w:t></w:r></w:p>";
        let wanted = r#"<w:p><w:r><w:t xml:space="preserve">b&amp;c &amp; b&amp;c &lt;b&amp;c</w:t></w:r></w:p>"#;
        assert_eq!(replaced(part, "a", "b&c"), (wanted.to_owned(), 3));
    }

    #[test]
    fn paragraphs_are_apart_and_boxes_within_them_too() {
        let part = "<w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r></w:p>";
        assert_eq!(replaced(part, "ab", "x"), (part.to_owned(), 0));
        let part = "<w:p><w:r><w:t>o</w:t><w:p><w:r><w:t>inner</w:t></w:r></w:p><w:t>k</w:t></w:r></w:p>";
        assert_eq!(replaced(part, "ok", "x").1, 1);
        let part =
            "<mc:Choice><w:p><w:t>old</w:t></w:p></mc:Choice><mc:Fallback><w:p><w:t>old</w:t></w:p></mc:Fallback>";
        let (text, count) = replaced(part, "old", "new");
        assert_eq!((text.matches("new").count(), count), (2, 1));
    }

    #[test]
    fn breaks_and_tabs_are_text_like_any_other() {
        let part = "<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r></w:p>";
        let (text, count) = replaced(part, "a\nb", "x\ty");
        assert_eq!(count, 1);
        assert!(
            text.contains(r#"<w:t xml:space="preserve">x</w:t><w:tab/><w:t xml:space="preserve">y</w:t>"#),
            "{text}"
        );
        assert!(!text.contains("br/"), "{text}");
    }
}
