//! The result of reading a document: its text in blocks, its tables, what it says about itself.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::limits::{Limits, too_much_text};
use satchel_model::error::Result;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = DocumentKind)]
pub enum Kind {
    /// Portable Document Format.
    Pdf,
    /// A text of Word or LibreOffice.
    Docx,
    /// A workbook of Excel or LibreOffice.
    Xlsx,
    /// Slides of PowerPoint or LibreOffice.
    Pptx,
    /// A web page.
    Html,
    /// Markdown.
    Markdown,
    /// Rows of values, separated by a comma, semicolon, bar or tab.
    Csv,
    /// JSON, or JSON in lines.
    Json,
    /// Plain text.
    Text,
    /// Source code or configuration.
    Code,
}

impl Kind {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Xlsx => "xlsx",
            Self::Pptx => "pptx",
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Text => "text",
            Self::Code => "code",
        }
    }
}

/// The role of a block in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// A heading; 1 is the highest of 6 levels.
    Heading(u8),
    /// Running text.
    Paragraph,
    /// One entry of a list.
    ListItem,
    /// Text whose lines and blanks matter.
    Code,
    /// One row of a table, its cells separated by tabs.
    TableRow,
    /// Text beside the text: a footnote, a speaker's note, a page's header or footer.
    Note,
}

/// A piece of text that belongs together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The kind.
    pub kind: BlockKind,
    /// Its text, never empty.
    pub text: String,
    /// The page or slide it begins on, counted from 1, where the format knows.
    pub page: Option<u32>,
}

/// A table, all rows as text. Rows may differ in length.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Table {
    /// Its name: a sheet's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The page or slide it begins on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Its rows, each a list of cells.
    pub rows: Vec<Vec<String>>,
}

/// A document that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extracted {
    /// The kind.
    pub kind: Kind,
    /// The title it gives itself.
    pub title: Option<String>,
    /// Its text in reading order; rows of tables stand where the table does.
    pub blocks: Vec<Block>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// The file's statements about itself: author, created, modified, sheets, encoding …
    pub metadata: Map<String, Value>,
    /// Its pages or slides, where it has such.
    pub pages: Option<u32>,
}

impl Extracted {
    /// The whole text: blocks as lines, an empty line where a block is not of a row or list with the one before.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut before: Option<BlockKind> = None;
        for block in &self.blocks {
            if let Some(before) = before {
                let together = before == block.kind && matches!(before, BlockKind::TableRow | BlockKind::ListItem);
                text.push_str(if together { "\n" } else { "\n\n" });
            }
            text.push_str(&block.text);
            before = Some(block.kind);
        }
        text
    }
}

/// A document of which only the text is wanted, with its tables and what it says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentText {
    /// The kind of document.
    pub kind: Kind,
    /// The title it gives itself.
    pub title: Option<String>,
    /// The whole text.
    pub text: String,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Properties that the document states, such as author, dates and sheets.
    pub metadata: Map<String, Value>,
    /// Its pages or slides, where it has such.
    pub pages: Option<u32>,
}

impl From<Extracted> for DocumentText {
    fn from(read: Extracted) -> Self {
        let text = read.text();
        let Extracted { kind, title, tables, metadata, pages, .. } = read;
        Self { kind, title, text, tables, metadata, pages }
    }
}

/// Memory a piece of the result takes beside its text.
const PIECE: usize = 64;

/// A document while it is read. The result is counted: whoever wants it takes it out of the process that reads.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) done: Extracted,
    most: usize,
    kept: usize,
}

impl Draft {
    pub(super) fn new(kind: Kind, limits: &Limits) -> Self {
        let done =
            Extracted { kind, title: None, blocks: Vec::new(), tables: Vec::new(), metadata: Map::new(), pages: None };
        Self { done, most: limits.text, kept: 0 }
    }

    /// Counts a piece of the result.
    pub(super) fn keep(&mut self, bytes: usize) -> Result<()> {
        self.kept = self.kept.saturating_add(bytes).saturating_add(PIECE);
        if self.kept <= self.most { Ok(()) } else { Err(too_much_text(self.most)) }
    }

    /// Adds a block, unless it is blank. Blanks around it are dropped, and within it joined where they mean nothing.
    pub(super) fn block(&mut self, kind: BlockKind, text: &str, page: Option<u32>) -> Result<()> {
        let text = match kind {
            BlockKind::Code => text.trim_matches(['\n', '\r']).trim_end().to_owned(),
            BlockKind::TableRow => text.trim_end().to_owned(),
            _ => tidy(text),
        };
        if text.trim().is_empty() {
            return Ok(());
        }
        self.keep(text.len())?;
        self.done.blocks.push(Block { kind, text, page });
        Ok(())
    }

    /// Adds a table, and its rows as blocks. Empty rows at its end and a table without any text are dropped.
    pub(super) fn table(&mut self, mut table: Table) -> Result<()> {
        while table.rows.last().is_some_and(|row| row.iter().all(String::is_empty)) {
            table.rows.pop();
        }
        if table.rows.is_empty() {
            return Ok(());
        }
        for row in &table.rows {
            self.keep(row.iter().map(|cell| cell.len() + size_of::<String>()).sum())?;
            let cells: Vec<String> = row.iter().map(|cell| tidy(cell)).collect();
            self.block(BlockKind::TableRow, &cells.join("\t"), table.page)?;
        }
        self.done.tables.push(table);
        Ok(())
    }

    /// Notes what the document says about itself, unless it says nothing.
    pub(super) fn note(&mut self, key: &str, value: impl Into<Value>) {
        let value = value.into();
        let blank = value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
        if !blank && self.keep(key.len() + value.as_str().map_or(16, str::len)).is_ok() {
            self.done.metadata.insert(key.to_owned(), value);
        }
    }

    /// Sets the title, unless it is blank or there is one.
    pub(super) fn title(&mut self, title: &str) {
        let title = tidy(title);
        if self.done.title.is_none() && !title.is_empty() {
            self.done.title = Some(title.chars().take(500).collect());
        }
    }
}

/// Returns whether reading takes a character for a blank.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\r' | '\u{c}')
}

/// One blank for many, none at the ends of lines; lines stay.
pub(super) fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let start = out.len();
        for word in line.split(is_blank).filter(|word| !word.is_empty()) {
            if out.len() > start {
                out.push(' ');
            }
            out.push_str(word);
        }
        out.push('\n');
    }
    // In place: a text may be of many megabytes.
    out.truncate(out.trim_end().len());
    out.drain(..out.len() - out.trim_start().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_tidied_and_blank_ones_dropped() {
        let mut draft = Draft::new(Kind::Text, &Limits::default());
        draft.block(BlockKind::Paragraph, "  a \t b\u{a0}c \n d ", None).unwrap();
        draft.block(BlockKind::Paragraph, " \n ", None).unwrap();
        draft.block(BlockKind::Code, "\n  x\n\n  y \n", None).unwrap();
        let texts: Vec<&str> = draft.done.blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["a b c\nd", "  x\n\n  y"]);
    }

    #[test]
    fn a_table_stands_in_the_text_and_on_its_own() {
        let mut draft = Draft::new(Kind::Csv, &Limits::default());
        let rows = vec![vec!["a".to_owned(), "b\nc".to_owned()], vec![String::new(); 2]];
        draft.table(Table { rows, ..Table::default() }).unwrap();
        assert_eq!(draft.done.tables[0].rows.len(), 1);
        assert_eq!(draft.done.text(), "a\tb\nc");
    }
}
