//! Markdown: headings, paragraphs, lists, code and tables, without the marks.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{
    charset,
    extracted::{BlockKind, Draft, Table},
    text,
};
use satchel_model::error::Result;

/// Most marks a text may have to be read as Markdown: each takes a hundred bytes while it is read.
const MAX_MARKS: usize = 400_000;

pub(super) fn read(bytes: &[u8], draft: &mut Draft) -> Result<()> {
    let (text, encoding) = charset::decode(bytes, None)?;
    draft.note("encoding", encoding);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    if is_readable(&text) {
        return blocks(&text, options, draft);
    }
    draft.note("note", "The text has too many marks to be Markdown a person wrote: it was read as plain text.");
    text::paragraphs(&text, draft)
}

/// Returns whether a text has no more marks than are read.
pub(super) fn is_readable(text: &str) -> bool {
    let is_mark = |byte: &u8| b"[]*_`<>|!&\\~\n".contains(byte);
    text.bytes().filter(is_mark).nth(MAX_MARKS).is_none()
}

/// Adds the blocks of a text in Markdown; its first heading is the title where there is none.
pub(super) fn blocks(text: &str, options: Options, draft: &mut Draft) -> Result<()> {
    let mut reader = Reader { text: String::new(), kind: BlockKind::Paragraph, items: 0, head: false, table: None };
    for event in Parser::new_ext(text, options) {
        reader.take(event, draft)?;
    }
    reader.end(draft)?;
    let first =
        draft.done.blocks.iter().find(|block| block.kind == BlockKind::Heading(1)).map(|block| block.text.clone());
    draft.title(&first.unwrap_or_default());
    Ok(())
}

struct Reader {
    text: String,
    kind: BlockKind,
    /// Depth of list items.
    items: usize,
    /// Within the document's own metadata.
    head: bool,
    table: Option<Table>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, draft: &mut Draft) -> Result<()> {
        match event {
            Event::Start(tag) => self.open(&tag, draft),
            Event::End(tag) => self.close(tag, draft),
            Event::Text(text) if self.head => {
                front_matter(&text, draft);
                Ok(())
            }
            Event::Text(text) | Event::Code(text) => {
                self.text.push_str(&text);
                Ok(())
            }
            Event::SoftBreak | Event::HardBreak => {
                self.text.push('\n');
                Ok(())
            }
            // A cell of a table has no other line breaks.
            Event::InlineHtml(tag) if tag.starts_with("<br") => {
                self.text.truncate(self.text.trim_end_matches(' ').len());
                self.text.push('\n');
                Ok(())
            }
            Event::TaskListMarker(done) => {
                self.text.push_str(if done { "[x] " } else { "[ ] " });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, tag: &Tag<'_>, draft: &mut Draft) -> Result<()> {
        match tag {
            Tag::MetadataBlock(_) => self.head = true,
            Tag::Table(_) => {
                self.end(draft)?;
                self.table = Some(Table::default());
            }
            Tag::TableRow | Tag::TableHead => {
                self.table.iter_mut().for_each(|table| table.rows.push(Vec::new()));
            }
            Tag::Item => {
                self.end(draft)?;
                self.items += 1;
                self.kind = BlockKind::ListItem;
            }
            Tag::Heading { level, .. } => {
                self.end(draft)?;
                self.kind = BlockKind::Heading(number(*level));
            }
            Tag::CodeBlock(_) => {
                self.end(draft)?;
                self.kind = BlockKind::Code;
            }
            Tag::Paragraph if self.items == 0 => self.end(draft)?,
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, tag: TagEnd, draft: &mut Draft) -> Result<()> {
        match tag {
            TagEnd::MetadataBlock(_) => self.head = false,
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.text).trim().to_owned();
                let row = self.table.as_mut().and_then(|table| table.rows.last_mut());
                row.into_iter().for_each(|row| row.push(cell.clone()));
            }
            TagEnd::Table => {
                if let Some(mut table) = self.table.take() {
                    // A table without headings needs a row for them.
                    if table.rows.first().is_some_and(|head| head.iter().all(String::is_empty)) {
                        table.rows.remove(0);
                    }
                    draft.table(table)?;
                }
            }
            TagEnd::Item => {
                self.end(draft)?;
                self.items = self.items.saturating_sub(1);
            }
            TagEnd::Paragraph if self.items > 0 => self.text.push('\n'),
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::CodeBlock => self.end(draft)?,
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, draft: &mut Draft) -> Result<()> {
        let text = std::mem::take(&mut self.text);
        draft.block(self.kind, &text, None)?;
        self.kind = if self.items > 0 { BlockKind::ListItem } else { BlockKind::Paragraph };
        Ok(())
    }
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// `key: value` lines at the head of a file.
fn front_matter(text: &str, draft: &mut Draft) {
    for (key, value) in text.lines().take(100).filter_map(|line| line.split_once(':')) {
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim().trim_matches(['"', '\'']));
        let plain = !key.is_empty() && key.len() < 40 && key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
        match key.as_str() {
            "title" => draft.title(value),
            _ if plain => draft.note(&key, value),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{extracted::Kind, limits::Limits},
        *,
    };

    #[test]
    fn what_only_looks_like_markdown_is_plain_text() {
        let mut draft = Draft::new(Kind::Markdown, &Limits::default());
        read("[a](<b ".repeat(150_000).as_bytes(), &mut draft).unwrap();
        assert!(draft.done.text().starts_with("[a](<b [a](<b"));
        assert!(draft.done.metadata.get("note").is_some());
    }

    #[test]
    fn structure_comes_out_without_its_marks() {
        let text = "---\ntitle: \"Guide\"\nauthor: Ada\n---\n# One *more*\n\nA `b`\nc.\n\n- x\n- y\n  - z\n\n```rust\nfn f() {\n}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        let mut draft = Draft::new(Kind::Markdown, &Limits::default());
        read(text.as_bytes(), &mut draft).unwrap();
        let blocks: Vec<(BlockKind, &str)> = draft.done.blocks.iter().map(|b| (b.kind, b.text.as_str())).collect();
        use BlockKind::{Code, Heading, ListItem, Paragraph, TableRow};
        let wanted = [
            (Heading(1), "One more"),
            (Paragraph, "A b\nc."),
            (ListItem, "x"),
            (ListItem, "y"),
            (ListItem, "z"),
            (Code, "fn f() {\n}"),
            (TableRow, "a\tb"),
            (TableRow, "1\t2"),
        ];
        assert_eq!(blocks, wanted);
        assert_eq!((draft.done.title.as_deref(), &draft.done.metadata["author"]), (Some("Guide"), &"Ada".into()));
        assert_eq!(draft.done.tables[0].rows, [["a", "b"], ["1", "2"]]);
    }
}
