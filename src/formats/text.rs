//! Plain text: paragraphs between empty lines.

use super::{
    charset,
    extracted::{BlockKind, Draft},
};
use satchel_model::error::Result;

pub(super) fn read(bytes: &[u8], draft: &mut Draft) -> Result<()> {
    let (text, encoding) = charset::decode(bytes, None)?;
    draft.note("encoding", encoding);
    draft.note("lines", text.lines().count());
    paragraphs(&text, draft)
}

/// Adds the paragraphs of a text as blocks.
pub(super) fn paragraphs(text: &str, draft: &mut Draft) -> Result<()> {
    let mut paragraph = String::new();
    for line in text.lines() {
        if line.trim().is_empty() || line.starts_with('\u{c}') {
            draft.block(BlockKind::Paragraph, &paragraph, None)?;
            paragraph.clear();
        }
        paragraph.push_str(line);
        paragraph.push('\n');
    }
    draft.block(BlockKind::Paragraph, &paragraph, None)
}
