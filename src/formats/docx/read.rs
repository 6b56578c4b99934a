//! Reads a DOCX: paragraphs with their headings and lists, tables, and what stands in margins and notes.

use super::styles::{self, Styles};
use crate::{
    extracted::{BlockKind, Draft, Table},
    office::{
        package::Package,
        properties,
        xml::{Node, Xml, attribute, local},
    },
};
use satchel_model::error::Result;

/// Parts beside the text, and their kinds of relation.
const NOTES: [&str; 5] = ["header", "footer", "footnotes", "endnotes", "comments"];

/// Elements whose content is a copy of what stands elsewhere, or was deleted.
const SKIPPED: [&str; 3] = ["Fallback", "moveFrom", "del"];

pub(crate) fn read(bytes: &[u8], draft: &mut Draft) -> Result<()> {
    let mut package = Package::open(bytes)?;
    properties::read(&mut package, draft)?;
    let main = package.main_part("word/document.xml")?;
    let relations = package.relations(&main)?;
    let part = |kind: &str| relations.values().find(|relation| relation.kind == kind);
    let styles = match part("styles") {
        Some(part) => package.text(&part.target)?,
        None => None,
    };
    let styles = Styles::read(&styles.unwrap_or_default())?;
    let text = package.needed(&main)?;
    body(&text, &styles, draft)?;
    draft.done.pages = draft.done.metadata.get("pages").and_then(|pages| u32::try_from(pages.as_u64()?).ok());
    let mut notes: Vec<_> = relations.values().filter(|relation| NOTES.contains(&relation.kind.as_str())).collect();
    notes.sort_by(|a, b| a.target.cmp(&b.target));
    for note in notes {
        let Some(text) = package.text(&note.target)? else { continue };
        let from = draft.done.blocks.len();
        body(&text, &styles, draft)?;
        draft.done.blocks.iter_mut().skip(from).for_each(|block| block.kind = BlockKind::Note);
        drop_repeated(draft, from);
    }
    Ok(())
}

/// The same header stands in several parts.
fn drop_repeated(draft: &mut Draft, from: usize) {
    let (before, mut new) =
        (draft.done.blocks.get(..from).unwrap_or_default().to_vec(), draft.done.blocks.split_off(from));
    new.retain(|block| !before.iter().any(|old| old.kind == BlockKind::Note && old.text == block.text));
    draft.done.blocks.append(&mut new);
}

/// Most columns of a table, as Word has it.
const COLUMNS: usize = 63;

/// A paragraph while it is read.
#[derive(Default)]
struct Paragraph {
    text: String,
    style: Option<String>,
    heading: Option<u8>,
    listed: bool,
}

#[derive(Default)]
struct Reader {
    /// Open paragraphs: a text box stands within one.
    paragraphs: Vec<Paragraph>,
    /// Open tables, the innermost last.
    tables: Vec<Table>,
    /// Columns that each open cell is wide, the innermost last.
    widths: Vec<usize>,
    /// Elements that are open within one that is passed over.
    skipped: usize,
}

fn body(text: &str, styles: &Styles, draft: &mut Draft) -> Result<()> {
    let mut reader = Reader::default();
    let mut xml = Xml::new(text);
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(element) => {
                let name = local(&element);
                if reader.skipped > 0 || SKIPPED.contains(&name) {
                    reader.skipped += 1;
                } else if name == "t" {
                    let text = xml.content()?;
                    reader.write(&text);
                } else {
                    let value = attribute(&element, "val");
                    reader.open(name, value.as_deref());
                }
            }
            Node::Close(_) if reader.skipped > 0 => reader.skipped -= 1,
            Node::Close(name) => reader.close(&name, styles, draft)?,
            Node::Text(_) => {}
        }
    }
    Ok(())
}

impl Reader {
    fn write(&mut self, text: &str) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.text.push_str(text);
        }
    }

    fn open(&mut self, name: &str, value: Option<&str>) {
        match name {
            "p" => self.paragraphs.push(Paragraph::default()),
            "tab" | "ptab" => self.write("\t"),
            "br" | "cr" => self.write("\n"),
            "noBreakHyphen" => self.write("-"),
            "tbl" => self.tables.push(Table::default()),
            "tr" => self.tables.iter_mut().last().into_iter().for_each(|table| table.rows.push(Vec::new())),
            "tc" => {
                let row = self.tables.last_mut().and_then(|table| table.rows.last_mut());
                row.into_iter().for_each(|row| row.push(String::new()));
                self.widths.push(1);
            }
            "gridSpan" => {
                let width = value.and_then(|width| width.parse().ok()).unwrap_or(1).min(COLUMNS);
                self.widths.iter_mut().last().into_iter().for_each(|last| *last = width);
            }
            _ => {}
        }
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        match (name, value) {
            ("pStyle", Some(style)) => paragraph.style = Some(style.to_owned()),
            ("outlineLvl", Some(level)) => paragraph.heading = styles::outline(level),
            ("numPr", _) => paragraph.listed = true,
            // A style's number that is taken away again.
            ("numId", Some("0")) => paragraph.listed = false,
            _ => {}
        }
    }

    fn close(&mut self, name: &str, styles: &Styles, draft: &mut Draft) -> Result<()> {
        match name {
            "p" => {
                let Some(paragraph) = self.paragraphs.pop() else { return Ok(()) };
                if self.cell(&paragraph.text) {
                    return Ok(());
                }
                draft.block(paragraph.kind(styles), &paragraph.text, None)
            }
            "tc" => {
                self.widen();
                Ok(())
            }
            "tbl" => {
                let Some(table) = self.tables.pop() else { return Ok(()) };
                if self.tables.is_empty() {
                    return draft.table(table);
                }
                // A table in a cell is that cell's text.
                let rows: Vec<String> = table.rows.iter().map(|row| row.join("\t")).collect();
                self.cell(&rows.join("\n"));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Ends a cell. Behind one of several columns stand empty ones, so that what follows stays in its column.
    fn widen(&mut self) {
        let more = self.widths.pop().unwrap_or(1).saturating_sub(1);
        let Some(row) = self.tables.last_mut().and_then(|table| table.rows.last_mut()) else { return };
        row.extend(std::iter::repeat_n(String::new(), more));
    }

    /// Adds text to the open cell; false where there is none.
    fn cell(&mut self, text: &str) -> bool {
        let Some(cell) = self.tables.last_mut().and_then(|table| table.rows.last_mut()).and_then(|row| row.last_mut())
        else {
            return false;
        };
        if !cell.is_empty() && !text.is_empty() {
            cell.push('\n');
        }
        cell.push_str(text.trim());
        true
    }
}

impl Paragraph {
    fn kind(&self, styles: &Styles) -> BlockKind {
        let style = self.style.as_deref().unwrap_or_default();
        match self.heading.or_else(|| styles.heading(style)) {
            Some(level) => BlockKind::Heading(level),
            None if self.listed || styles.is_list(style) => BlockKind::ListItem,
            None => BlockKind::Paragraph,
        }
    }
}
