//! The text of a document with the place of each block in it.

use std::ops::Range;

use super::extracted::{BlockKind, Extracted};

/// Bytes between two places whose character count is known.
const STRIDE: usize = 4_096;

/// A text and its blocks.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) text: String,
    pub(super) blocks: Vec<Laid>,
    /// Characters before every [`STRIDE`]th byte, or the first character's begin after it.
    marks: Vec<(usize, u64)>,
}

/// A block and its place, in bytes.
#[derive(Debug)]
pub(super) struct Laid {
    pub(super) range: Range<usize>,
    pub(super) kind: BlockKind,
    pub(super) page: Option<u32>,
    /// It is the first row of a table.
    pub(super) first_row: bool,
    /// It is the very first block of a part that goes on from another.
    pub(super) continues: bool,
}

impl Layout {
    /// Blocks as lines, an empty line where a block is not of a row or list with the one before.
    pub(super) fn new(extracted: &Extracted, continues: bool) -> Self {
        let mut text = String::new();
        let mut blocks = Vec::with_capacity(extracted.blocks.len());
        let mut before: Option<BlockKind> = None;
        if continues {
            text.push('\n');
        }
        for (number, block) in extracted.blocks.iter().enumerate() {
            if let Some(before) = before {
                let together = before == block.kind && matches!(before, BlockKind::TableRow | BlockKind::ListItem);
                text.push_str(if together { "\n" } else { "\n\n" });
            }
            let start = text.len();
            text.push_str(&block.text);
            blocks.push(Laid {
                range: start..text.len(),
                kind: block.kind,
                page: block.page,
                first_row: block.kind == BlockKind::TableRow && before != Some(BlockKind::TableRow),
                continues: continues && number == 0,
            });
            before = Some(block.kind);
        }
        let marks = marks(&text);
        Self { text, blocks, marks }
    }

    /// A part of the text.
    pub(super) fn slice(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// Returns the number of characters before a byte.
    pub(super) fn chars_before(&self, byte: usize) -> u64 {
        let mark = self.marks.partition_point(|(at, _)| *at <= byte).saturating_sub(1);
        let (at, count) = self.marks.get(mark).copied().unwrap_or_default();
        count + self.slice(&(at..byte)).chars().count() as u64
    }

    /// Returns the number of characters of the text.
    pub(super) fn chars(&self) -> u64 {
        self.chars_before(self.text.len())
    }
}

fn marks(text: &str) -> Vec<(usize, u64)> {
    let mut marks = vec![(0, 0)];
    let mut next = STRIDE;
    for (count, (at, _)) in text.char_indices().enumerate() {
        if at >= next {
            marks.push((at, count as u64));
            next = at + STRIDE;
        }
    }
    marks
}
