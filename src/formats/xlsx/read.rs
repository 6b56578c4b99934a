//! Reads an XLSX: every sheet as a table, numbers as they are meant, formulas by their last result.

use super::{
    book::{Book, Sheet},
    cell::Place,
    number,
};
use crate::{
    extracted::{BlockKind, Draft, Table},
    office::{
        package::Package,
        properties,
        xml::{Node, Xml, attribute, local},
    },
};
use satchel_model::error::Result;

/// Empty rows within a sheet that are kept, so that what follows stays in its row.
const GAP: u32 = 100;

pub(crate) fn read(bytes: &[u8], draft: &mut Draft) -> Result<()> {
    let mut package = Package::open(bytes)?;
    properties::read(&mut package, draft)?;
    let mut book = Book::open(&mut package)?;
    book.fill(&mut package)?;
    let names = |hidden: bool| -> Vec<String> {
        book.sheets.iter().filter(|sheet| sheet.hidden || !hidden).map(|sheet| sheet.name.clone()).collect()
    };
    draft.note("sheets", names(false));
    if !names(true).is_empty() {
        draft.note("hidden_sheets", names(true));
    }
    let mut formulas = 0;
    for sheet in &book.sheets {
        let read = cells(&mut package, &book, sheet)?;
        formulas += read.formulas;
        draft.block(BlockKind::Heading(1), &sheet.name, None)?;
        draft.table(Table { name: Some(sheet.name.clone()), page: None, rows: read.rows })?;
        comments(&mut package, sheet, draft)?;
    }
    if formulas > 0 {
        draft.note("formulas", formulas);
    }
    Ok(())
}

/// A sheet's cells as text.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) rows: Vec<Vec<String>>,
    formulas: usize,
    /// Rows from the top that have been read or passed.
    next_row: u32,
}

/// One cell while it is read.
#[derive(Default)]
struct Cell {
    place: Option<Place>,
    kind: String,
    style: usize,
    value: String,
    formula: Option<String>,
}

pub(super) fn cells(package: &mut Package<'_>, book: &Book, sheet: &Sheet) -> Result<Cells> {
    let text = package.needed(&sheet.part)?;
    let (mut cells, mut cell, mut spoken) = (Cells::default(), Cell::default(), false);
    let mut xml = Xml::new(&text);
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(element) => match local(&element) {
                "row" => cells.row(attribute(&element, "r").and_then(|row| row.parse().ok())),
                "c" => {
                    cell = Cell {
                        place: attribute(&element, "r").and_then(|place| Place::parse(&place)),
                        kind: attribute(&element, "t").unwrap_or_default().into_owned(),
                        style: attribute(&element, "s").and_then(|style| style.parse().ok()).unwrap_or(0),
                        ..Cell::default()
                    };
                }
                "v" => cell.value = xml.content()?,
                "f" => cell.formula = Some(xml.content()?),
                "rPh" => spoken = true,
                "t" if !spoken => cell.value.push_str(&xml.content()?),
                _ => {}
            },
            Node::Close(name) if name == "rPh" => spoken = false,
            Node::Close(name) if name == "c" => cells.cell(std::mem::take(&mut cell), book),
            Node::Close(name) if name == "sheetData" => break,
            _ => {}
        }
    }
    Ok(cells)
}

impl Cells {
    /// Begins a row; `number` counts from 1.
    fn row(&mut self, number: Option<u32>) {
        let row = number.map_or(self.next_row, |number| number.saturating_sub(1));
        let gap = row.saturating_sub(self.next_row);
        for _ in 0..if gap > GAP { 1 } else { gap } {
            self.rows.push(Vec::new());
        }
        self.rows.push(Vec::new());
        self.next_row = row.saturating_add(1);
    }

    fn cell(&mut self, cell: Cell, book: &Book) {
        self.formulas += usize::from(cell.formula.is_some());
        if self.rows.is_empty() {
            self.rows.push(Vec::new());
        }
        let Some(row) = self.rows.last_mut() else { return };
        let column = cell.place.map_or(row.len(), |place| usize::try_from(place.column).unwrap_or(usize::MAX));
        let text = cell.show(book);
        // Cells with a format and nothing in them reach far to the right.
        if text.is_empty() {
            return;
        }
        if row.len() <= column {
            row.resize(column + 1, String::new());
        }
        row.get_mut(column).into_iter().for_each(|place| place.clone_from(&text));
    }
}

impl Cell {
    fn show(self, book: &Book) -> String {
        match (self.kind.as_str(), self.formula) {
            (_, Some(formula)) if self.value.is_empty() && !formula.is_empty() => format!("={formula}"),
            ("s", _) => {
                let text = self.value.trim().parse::<usize>().ok().and_then(|at| book.texts.get(at));
                text.cloned().unwrap_or_default()
            }
            ("b", _) => if self.value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            ("str" | "inlineStr" | "e" | "d", _) => self.value,
            _ => match self.value.trim().parse::<f64>() {
                Ok(value) if value.is_finite() => {
                    number::show(value, book.formats.get(self.style).copied().unwrap_or_default(), book.since_1904)
                }
                _ => self.value,
            },
        }
    }
}

/// Remarks on cells, each with its place.
fn comments(package: &mut Package<'_>, sheet: &Sheet, draft: &mut Draft) -> Result<()> {
    let relations = package.relations(&sheet.part)?;
    let Some(part) = relations.values().find(|relation| relation.kind == "comments") else { return Ok(()) };
    let text = package.text(&part.target)?.unwrap_or_default();
    let (mut place, mut remark) = (String::new(), String::new());
    let mut xml = Xml::new(&text);
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(element) if local(&element) == "comment" => {
                place = attribute(&element, "ref").unwrap_or_default().into_owned();
                remark.clear();
            }
            Node::Open(element) if local(&element) == "t" => remark.push_str(&xml.content()?),
            Node::Close(name) if name == "comment" => {
                draft.block(BlockKind::Note, &format!("{place}: {remark}"), None)?;
            }
            _ => {}
        }
    }
    Ok(())
}
