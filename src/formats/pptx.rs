//! Reads a PPTX: the slides in their order, each with its title, text, tables and the speaker's notes.

use super::{
    extracted::{BlockKind, Draft, Table},
    office::{
        package::Package,
        properties,
        xml::{Node, Xml, attribute, local, values},
    },
};
use satchel_model::error::Result;

pub(super) fn read(bytes: &[u8], draft: &mut Draft) -> Result<()> {
    let mut package = Package::open(bytes)?;
    properties::read(&mut package, draft)?;
    let main = package.main_part("ppt/presentation.xml")?;
    let relations = package.relations(&main)?;
    let text = package.needed(&main)?;
    let mut slides: Vec<String> = Vec::new();
    let mut xml = Xml::new(&text);
    while let Some(node) = xml.next()? {
        let Node::Open(element) = node else { continue };
        if local(&element) == "sldId" {
            // `id` is the slide's number, `r:id` the relation.
            slides.extend(values(&element).find_map(|id| relations.get(&*id)).map(|slide| slide.target.clone()));
        }
    }
    for (at, slide) in slides.iter().enumerate() {
        let page = u32::try_from(at + 1).ok();
        let Some(text) = package.text(slide)? else { continue };
        shapes(&text, page, draft)?;
        let notes = package.relations(slide)?;
        if let Some(notes) = notes.values().find(|relation| relation.kind == "notesSlide") {
            let text = package.text(&notes.target)?.unwrap_or_default();
            let from = draft.done.blocks.len();
            shapes(&text, page, draft)?;
            draft.done.blocks.iter_mut().skip(from).for_each(|block| block.kind = BlockKind::Note);
        }
    }
    draft.done.pages = u32::try_from(slides.len()).ok();
    draft.note("slides", slides.len());
    Ok(())
}

#[derive(Default)]
struct Reader {
    text: String,
    /// The purpose of the shape: `title`, `body`, `sldNum` …
    place: Option<String>,
    table: Option<Table>,
    /// Titles of the slide so far.
    titles: usize,
}

fn shapes(text: &str, page: Option<u32>, draft: &mut Draft) -> Result<()> {
    let mut reader = Reader::default();
    let mut skipped = 0;
    let mut xml = Xml::new(text);
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(element) => match local(&element) {
                _ if skipped > 0 => skipped += 1,
                "Fallback" => skipped = 1,
                "sp" => reader.place = None,
                "ph" => reader.place = Some(attribute(&element, "type").unwrap_or_default().into_owned()),
                "t" => reader.text.push_str(&xml.content()?),
                "br" => reader.text.push('\n'),
                "tbl" => reader.table = Some(Table { page, ..Table::default() }),
                "tr" => reader.table.iter_mut().for_each(|table| table.rows.push(Vec::new())),
                _ => {}
            },
            Node::Close(_) if skipped > 0 => skipped -= 1,
            Node::Close(name) => reader.close(&name, page, draft)?,
            Node::Text(_) => {}
        }
    }
    Ok(())
}

impl Reader {
    fn close(&mut self, name: &str, page: Option<u32>, draft: &mut Draft) -> Result<()> {
        match (name, &mut self.table) {
            ("p", None) => {
                let text = std::mem::take(&mut self.text);
                let kind = match self.place.as_deref() {
                    Some("title" | "ctrTitle") => BlockKind::Heading(if self.titles > 0 { 2 } else { 1 }),
                    Some("sldNum" | "dt" | "ftr" | "hdr" | "sldImg") => return Ok(()),
                    Some("body" | "") => BlockKind::ListItem,
                    _ => BlockKind::Paragraph,
                };
                self.titles += usize::from(matches!(kind, BlockKind::Heading(_)));
                draft.block(kind, &text, page)
            }
            ("p", Some(_)) => {
                self.text.push('\n');
                Ok(())
            }
            ("tc", Some(table)) => {
                let cell = std::mem::take(&mut self.text).trim().to_owned();
                table.rows.iter_mut().last().into_iter().for_each(|row| row.push(cell.clone()));
                Ok(())
            }
            ("tbl", table) => table.take().map_or(Ok(()), |table| draft.table(table)),
            _ => Ok(()),
        }
    }
}
