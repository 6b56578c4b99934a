//! Source code and configuration: pieces that end where a new thing begins at the left margin.

use super::{
    charset,
    extracted::{BlockKind, Draft},
};
use satchel_model::error::Result;

/// Lines after which a piece ends at the next empty line, wherever that is.
const LONG: usize = 60;

pub(super) fn read(bytes: &[u8], name: &str, draft: &mut Draft) -> Result<()> {
    let (text, encoding) = charset::decode(bytes, None)?;
    draft.note("encoding", encoding);
    draft.note("lines", text.lines().count());
    if let Some((_, ending)) = name.rsplit_once('.') {
        draft.note("language", ending.to_ascii_lowercase());
    }
    let (mut piece, mut lines, mut empty) = (String::new(), 0, false);
    for line in text.lines() {
        let margin = !line.starts_with([' ', '\t', '}', ')', ']']);
        if empty && !line.trim().is_empty() && (margin || lines > LONG) {
            draft.block(BlockKind::Code, &piece, None)?;
            piece.clear();
            lines = 0;
        }
        empty = line.trim().is_empty();
        piece.push_str(line);
        piece.push('\n');
        lines += 1;
    }
    draft.block(BlockKind::Code, &piece, None)
}
