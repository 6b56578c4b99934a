//! Cuts what was read of a document into passages that can be found on their own: along headings, paragraphs, sentences
//! and rows, each with the exact place it has in the text.

use std::ops::Range;

use super::{
    extracted::{BlockKind, Extracted},
    layout::{Laid, Layout},
    pieces::pieces,
};
use satchel_model::{
    knowledge::NewChunk,
    text::{head, one_line},
};

/// Most tokens of a passage with all that is said before it: what a small model reads at once, less its own marks.
const WHOLE: usize = 248;
/// Most tokens of the passage itself.
const LARGEST: usize = 220;
/// Room a passage has whatever stands before it.
const LEAST: usize = 96;
/// A section with fewer tokens than this goes on into the next: alone it would say too little.
const SHORT: usize = 48;
/// Tokens of the end of a passage that the next begins with, in whole sentences.
const OVERLAP: usize = 32;
/// Most tokens of headings, and of a table's header.
const BEFORE: usize = 48;
/// A text of more bytes is no passage, whatever its words: its tokens are not counted, which takes a hundred times its
/// memory, but estimated.
pub(super) const FAR: usize = 64 * WHOLE;
/// Most bytes of a paragraph that are cut at once.
const STRETCH: usize = 32 << 10;
/// Bytes of a token, about.
const TOKEN: usize = 4;

/// Counts the tokens of a text.
pub type Tokens<'a> = &'a dyn Fn(&str) -> usize;

/// Cuts a document that may come in parts: headings and a table's header hold on from one part to the next.
pub struct Cutter<'a> {
    tokens: Tokens<'a>,
    /// Tokens of the document's own title.
    title: usize,
    /// Characters before this part.
    offset: u64,
    headings: Vec<(u8, String)>,
    header: Option<String>,
}

/// A part that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its beginning in the whole text, in characters.
    pub start: u64,
    /// Its text.
    pub text: String,
    /// Its passages.
    pub chunks: Vec<NewChunk>,
}

/// A piece that stays whole.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Unit {
    range: Range<usize>,
    kind: BlockKind,
    page: Option<u32>,
    tokens: usize,
}

/// A passage that still grows.
#[derive(Debug, Default)]
struct Growing {
    units: Vec<Unit>,
    tokens: usize,
    heading: String,
    level: u8,
    context: String,
}

fn count(tokens: Tokens<'_>, text: &str) -> usize {
    if text.len() > FAR { text.len() / TOKEN } else { tokens(text) }
}

impl<'a> Cutter<'a> {
    /// Cuts by these tokens; the title is said before each passage where the document has one of its own.
    pub fn new(title: Option<&str>, tokens: Tokens<'a>) -> Self {
        let title = title.map_or(0, tokens).min(BEFORE);
        Self { tokens, title, offset: 0, headings: Vec::new(), header: None }
    }

    /// Cuts the next part.
    pub fn take(&mut self, extracted: &Extracted) -> Part {
        let layout = Layout::new(extracted, self.offset > 0);
        let mut chunks = Vec::new();
        let mut growing = Growing::default();
        let mut silent: Option<Unit> = None;
        for laid in &layout.blocks {
            match laid.kind {
                BlockKind::Heading(level) => {
                    if growing.tokens >= SHORT || level < growing.level {
                        self.close(&mut growing, &layout, &mut chunks);
                    }
                    let deeper = self.headings.last().is_some_and(|(last, _)| level > *last);
                    if let Some(unit) = silent.take().filter(|_| !deeper) {
                        // A heading that nothing follows is said all the same.
                        self.grow(&mut growing, unit, &layout, &mut chunks);
                    }
                    self.enter(level, layout.slice(&laid.range));
                    let unit = self.unit(laid, &layout);
                    if growing.units.is_empty() {
                        silent = Some(unit);
                    } else {
                        self.grow(&mut growing, unit, &layout, &mut chunks);
                    }
                }
                kind => {
                    silent = None;
                    if growing.units.last().is_some_and(|unit| unit.page != laid.page) {
                        // A passage is cited with its page, so it stands on one.
                        self.close(&mut growing, &layout, &mut chunks);
                    }
                    self.border(kind, laid, &layout, &mut growing, &mut chunks);
                    for unit in self.units(laid, &layout) {
                        self.grow(&mut growing, unit, &layout, &mut chunks);
                    }
                }
            }
        }
        if let Some(unit) = silent {
            self.grow(&mut growing, unit, &layout, &mut chunks);
        }
        self.close(&mut growing, &layout, &mut chunks);
        let start = self.offset;
        self.offset += layout.chars();
        Part { start, text: layout.text, chunks }
    }

    fn enter(&mut self, level: u8, text: &str) {
        self.headings.retain(|(above, _)| *above < level);
        let line = head(&one_line(text), 200).to_owned();
        self.headings.push((level, line));
    }

    /// The headings above, the innermost always, outer ones as far as they fit.
    fn path(&self) -> String {
        let mut path = String::new();
        for (_, heading) in self.headings.iter().rev() {
            let longer = if path.is_empty() { heading.clone() } else { format!("{heading} › {path}") };
            if !path.is_empty() && count(self.tokens, &longer) > BEFORE {
                break;
            }
            path = longer;
        }
        path
    }

    /// A table stands alone, and begins with its header.
    #[expect(clippy::too_many_arguments, reason = "what a block is, and what is being written")]
    fn border(
        &mut self,
        kind: BlockKind,
        laid: &Laid,
        layout: &Layout,
        growing: &mut Growing,
        chunks: &mut Vec<NewChunk>,
    ) {
        let row = kind == BlockKind::TableRow;
        let within = growing.units.last().is_some_and(|unit| unit.kind == BlockKind::TableRow);
        if row != within && !growing.units.is_empty() {
            self.close(growing, layout, chunks);
        }
        if !row {
            self.header = None;
        } else if laid.first_row && !(laid.continues && self.header.is_some()) {
            let text = layout.slice(&laid.range);
            self.header = (is_header(text) && count(self.tokens, text) <= BEFORE).then(|| text.to_owned());
        }
    }

    /// The pieces of a block: itself where it fits.
    fn units(&self, laid: &Laid, layout: &Layout) -> Vec<Unit> {
        let whole = self.unit(laid, layout);
        let size = self.room(&self.path(), self.header.as_deref().unwrap_or_default());
        if whole.tokens <= size {
            return vec![whole];
        }
        let text = layout.slice(&laid.range);
        let overlap = if matches!(laid.kind, BlockKind::Code | BlockKind::TableRow) { 0 } else { OVERLAP };
        let mut units = Vec::new();
        for (before, stretch) in stretches(text) {
            let pieces = pieces(stretch, (size, overlap), &|text| count(self.tokens, text));
            let start = laid.range.start + before;
            units.extend(pieces.into_iter().map(|piece| {
                let range = start + piece.start..start + piece.end;
                Unit { range, tokens: size, kind: laid.kind, page: laid.page }
            }));
        }
        units
    }

    fn unit(&self, laid: &Laid, layout: &Layout) -> Unit {
        let tokens = count(self.tokens, layout.slice(&laid.range));
        Unit { range: laid.range.clone(), kind: laid.kind, page: laid.page, tokens }
    }

    fn room(&self, heading: &str, context: &str) -> usize {
        let before = self.title + count(self.tokens, heading) + count(self.tokens, context);
        WHOLE.saturating_sub(before).clamp(LEAST, LARGEST)
    }

    fn grow(&mut self, growing: &mut Growing, unit: Unit, layout: &Layout, chunks: &mut Vec<NewChunk>) {
        let room = self.room(&growing.heading, &growing.context);
        let full = !growing.units.is_empty() && growing.tokens + unit.tokens > room;
        let mut carried = None;
        if full {
            carried = growing.units.last().and_then(|last| self.carried(last, &unit, layout));
            self.close(growing, layout, chunks);
        }
        if growing.units.is_empty() {
            growing.heading = self.path();
            growing.level = self.headings.last().map_or(0, |(level, _)| *level);
            let row = layout.slice(&unit.range);
            let header = self.header.as_deref().filter(|header| unit.kind == BlockKind::TableRow && *header != row);
            growing.context = header.unwrap_or_default().to_owned();
            growing.tokens = 0;
            growing.units.extend(carried);
            growing.tokens = growing.units.iter().map(|unit| unit.tokens).sum();
        }
        growing.tokens += unit.tokens;
        growing.units.push(unit);
    }

    /// The last sentences of running text, to begin the next passage with.
    fn carried(&self, last: &Unit, next: &Unit, layout: &Layout) -> Option<Unit> {
        let running = |kind| matches!(kind, BlockKind::Paragraph | BlockKind::ListItem);
        // Pieces of one block overlap already.
        if !running(last.kind) || !running(next.kind) || next.range.start < last.range.end || next.tokens > LEAST {
            return None;
        }
        let text = layout.slice(&last.range);
        let mut kept = None;
        for at in sentences(text).into_iter().rev() {
            let tail = text.get(at..).unwrap_or_default();
            let tokens = count(self.tokens, tail);
            if tokens > OVERLAP {
                break;
            }
            kept = Some(Unit { range: last.range.start + at..last.range.end, tokens, ..last.clone() });
        }
        kept
    }

    fn close(&self, growing: &mut Growing, layout: &Layout, chunks: &mut Vec<NewChunk>) {
        let done = std::mem::take(growing);
        let (Some(first), Some(last)) = (done.units.first(), done.units.last()) else { return };
        let range = first.range.start..last.range.end;
        let text = layout.slice(&range).to_owned();
        chunks.push(NewChunk {
            start: self.offset + layout.chars_before(range.start),
            end: self.offset + layout.chars_before(range.end),
            heading: done.heading,
            context: done.context,
            page: first.page,
            text,
        });
    }
}

/// A text in pieces that are cut one by one, with where each begins: a splitter looks at every way to cut the whole of
/// what it is given.
fn stretches(text: &str) -> Vec<(usize, &str)> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let near = rest.get(..rest.floor_char_boundary(STRETCH)).unwrap_or(rest);
        let border = |mark: &str| near.rfind(mark).map(|at| at + mark.len());
        let whole = || border("\n\n").or_else(|| border("\n")).or_else(|| border(". ")).or_else(|| border(" "));
        let end = if near.len() == rest.len() { near.len() } else { whole().unwrap_or(near.len()) };
        all.push((at, rest.get(..end).unwrap_or(rest)));
        at += end;
    }
    all
}

/// Returns where the sentences of a text begin, but for the first.
fn sentences(text: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut ended = false;
    let mut blank = false;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            blank = true;
            ended |= c == '\n';
        } else if matches!(c, '.' | '!' | '?' | '…') {
            (ended, blank) = (true, false);
        } else if matches!(c, '。' | '！' | '？') {
            (ended, blank) = (true, true);
        } else if matches!(c, '"' | '”' | '’' | '»' | ')' | ']') && ended && !blank {
            // What closes after the full stop belongs to the sentence before.
        } else {
            if ended && blank && at > 0 {
                starts.push(at);
            }
            (ended, blank) = (false, false);
        }
    }
    starts
}

/// A row of names: no cell of it is a number.
fn is_header(row: &str) -> bool {
    let number = |cell: &str| {
        let plain = |c: char| c.is_ascii_digit() || ".,-+%$€£ ".contains(c);
        cell.chars().any(|c| c.is_ascii_digit()) && cell.chars().all(plain)
    };
    let mut cells = row.split('\t').map(str::trim).filter(|cell| !cell.is_empty()).peekable();
    cells.peek().is_some() && cells.all(|cell| !number(cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_after_what_closes_the_last() {
        let text = "It rained. \"Twice?\" he asked (so.) Then 3.5 mm fell.\nNew line";
        let found: Vec<&str> = sentences(text).into_iter().map(|at| &text[at..at + 4]).collect();
        assert_eq!(found, ["\"Twi", "he a", "Then", "New "]);
        assert_eq!(sentences("雨。雪！"), [6]);
    }

    #[test]
    fn a_header_holds_no_numbers() {
        assert!(is_header("Name\tPrice in 2024"));
        assert!(!is_header("Tea\t2,50 €"));
        assert!(!is_header(" \t "));
    }
}
