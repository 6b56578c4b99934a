//! The cells of a sheet with their places in its part, and the edits that change some of them.

use std::{collections::BTreeMap, ops::Range};

use quick_xml::events::Event;
use serde_json::Value;

use super::{cell::Place, formula, number};
use crate::office::{
    splice::{Edit, Places, escape},
    xml::{attribute, local, resolve},
};
use satchel_model::error::{Error, Result};

/// Most characters of a cell.
pub(super) const MAX_TEXT: usize = 32_767;

/// A formula as it stands in a cell.
#[derive(Debug, Default)]
struct Formula {
    /// `shared`, `array`, `dataTable` or nothing.
    kind: String,
    /// The shared formula it is.
    shared: Option<String>,
    /// `true` if it is the one the others share.
    is_master: bool,
    text: String,
    /// Its end has not been read.
    open: bool,
    element: Range<usize>,
}

#[derive(Debug)]
struct Cell {
    place: Place,
    element: Range<usize>,
    style: Option<Box<str>>,
    /// The start tag.
    head: Range<usize>,
    formula: Option<Box<Formula>>,
    value: Option<Range<usize>>,
}

#[derive(Debug)]
struct Row {
    number: u32,
    /// The offset where its cells end; where it is empty, that of the row itself.
    end: usize,
    /// The element, where it has no content.
    empty: Option<Range<usize>>,
    cells: Vec<Cell>,
}

/// A sheet's cells.
#[derive(Debug)]
pub(super) struct Sheet<'a> {
    text: &'a str,
    prefix: String,
    rows: Vec<Row>,
    /// The place where rows end; the element where there are none.
    data: Range<usize>,
    /// The element of the rows, where it has no content.
    empty: bool,
    /// Areas that one array formula fills.
    arrays: Vec<(Place, Place)>,
}

impl<'a> Sheet<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self> {
        let mut sheet =
            Self { text, prefix: String::new(), rows: Vec::new(), data: 0..0, empty: false, arrays: Vec::new() };
        let mut places = Places::new(text);
        let (mut within, mut value) = (false, 0);
        while let Some((event, range)) = places.next()? {
            let empty = matches!(event, Event::Empty(_));
            match event {
                Event::Start(element) | Event::Empty(element) => match local(&element) {
                    "sheetData" => {
                        sheet.prefix =
                            element.name().into_inner().strip_suffix("sheetData").unwrap_or_default().to_owned();
                        (sheet.data, sheet.empty, within) = (range, empty, !empty);
                    }
                    "row" if within => {
                        let number = attribute(&element, "r").and_then(|row| row.parse::<u32>().ok());
                        let before = sheet.rows.last().map_or(0, |row| row.number);
                        let number = number.unwrap_or(before + 1);
                        sheet.rows.push(Row {
                            number,
                            end: range.end,
                            empty: empty.then_some(range),
                            cells: Vec::new(),
                        });
                    }
                    "c" if within => sheet.cell(&element, range),
                    "v" if within && !empty => value = range.start,
                    "f" if within => sheet.formula(&element, range, empty),
                    _ => {}
                },
                Event::Text(text) => sheet.formula_text(&text.xml10_content()),
                Event::CData(text) => sheet.formula_text(&text.xml10_content()),
                Event::GeneralRef(reference) => {
                    let c = resolve(&reference)?;
                    sheet.formula_text(c.encode_utf8(&mut [0; 4]));
                }
                Event::End(end) => match end.local_name().into_inner() {
                    "sheetData" => (sheet.data.end, within) = (range.start, false),
                    "row" if within => sheet.rows.iter_mut().last().into_iter().for_each(|row| row.end = range.start),
                    "c" if within => sheet.last(|cell| cell.element.end = range.end),
                    "v" if within => sheet.last(|cell| cell.value = Some(value..range.end)),
                    "f" if within => sheet.last(|cell| {
                        if let Some(formula) = &mut cell.formula {
                            (formula.open, formula.element.end) = (false, range.end);
                        }
                    }),
                    _ => {}
                },
                _ => {}
            }
        }
        if sheet.data == (0..0) {
            return Err(Error::invalid("The workbook is damaged: a sheet has no cells."));
        }
        Ok(sheet)
    }

    fn last(&mut self, change: impl FnOnce(&mut Cell)) {
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.cells.last_mut()) {
            change(cell);
        }
    }

    fn cell(&mut self, element: &quick_xml::events::BytesStart<'_>, range: Range<usize>) {
        let Some(row) = self.rows.last_mut() else { return };
        let column = row.cells.last().map_or(0, |cell| cell.place.column + 1);
        let next = Place { row: row.number.saturating_sub(1), column };
        let place = attribute(element, "r").and_then(|place| Place::parse(&place)).unwrap_or(next);
        let style = attribute(element, "s").map(|style| style.into());
        row.cells.push(Cell { place, element: range.clone(), style, head: range, formula: None, value: None });
    }

    fn formula(&mut self, element: &quick_xml::events::BytesStart<'_>, range: Range<usize>, empty: bool) {
        let area = attribute(element, "ref").map(|area| area.into_owned());
        let formula = Formula {
            kind: attribute(element, "t").unwrap_or_default().into_owned(),
            shared: attribute(element, "si").map(|shared| shared.into_owned()),
            is_master: area.is_some(),
            text: String::new(),
            open: !empty,
            element: range,
        };
        if matches!(formula.kind.as_str(), "array" | "dataTable")
            && let Some(area) = area
        {
            let mut corners = area.split(':').filter_map(Place::parse);
            if let Some(first) = corners.next() {
                self.arrays.push((first, corners.next().unwrap_or(first)));
            }
        }
        self.last(|cell| cell.formula = Some(Box::new(formula)));
    }

    fn formula_text(&mut self, text: &str) {
        self.last(|cell| {
            if let Some(formula) = cell.formula.as_mut().filter(|formula| formula.open) {
                formula.text.push_str(text);
            }
        });
    }

    /// The edits that give cells their values. Results of formulas are dropped: they may depend on what changes.
    pub(super) fn edits(self, mut cells: BTreeMap<Place, Value>) -> Result<Vec<Edit>> {
        if let Some(place) = cells.keys().find(|place| self.arrays.iter().any(|area| holds(*area, **place))) {
            return Err(Error::invalid(format!(
                "{place} belongs to an array formula, which can only be changed as a whole in a spreadsheet program."
            )));
        }
        let mut edits = self.shared_edits(&cells);
        for row in &self.rows {
            let own = Place { row: row.number.saturating_sub(1), column: 0 }..Place { row: row.number, column: 0 };
            let own: Vec<Place> = cells.range(own).map(|(place, _)| *place).collect();
            let mut new = String::new();
            for cell in &row.cells {
                if let Some(value) = cells.remove(&cell.place) {
                    edits.push(Edit {
                        range: cell.element.clone(),
                        text: self.render(cell.place, cell.style.as_deref(), &value),
                    });
                } else if cell.formula.is_some()
                    && let Some(value) = &cell.value
                {
                    edits.push(Edit { range: value.clone(), text: String::new() });
                    // The kind is that of the result, and goes with it.
                    let head = self.text.get(cell.head.clone()).unwrap_or_default();
                    edits.push(Edit { range: cell.head.clone(), text: without_attribute(head, "t") });
                }
            }
            for place in own {
                let Some(value) = cells.remove(&place) else { continue };
                let text = self.render(place, None, &value);
                match row.cells.iter().find(|cell| cell.place.column > place.column) {
                    Some(behind) => edits.push(Edit { range: behind.element.start..behind.element.start, text }),
                    None => new.push_str(&text),
                }
            }
            edits.extend(self.end_of_row(row, new));
        }
        edits.extend(self.new_rows(cells));
        Ok(edits)
    }

    fn end_of_row(&self, row: &Row, new: String) -> Option<Edit> {
        if new.is_empty() {
            return None;
        }
        Some(match &row.empty {
            Some(element) => {
                let old = self.text.get(element.clone()).unwrap_or_default();
                let head = old.strip_suffix("/>").unwrap_or(old).trim_end();
                Edit { range: element.clone(), text: format!("{head}>{new}</{}row>", self.prefix) }
            }
            None => Edit { range: row.end..row.end, text: new },
        })
    }

    /// Rows that are not there yet, each before the first that comes behind it.
    fn new_rows(&self, cells: BTreeMap<Place, Value>) -> Vec<Edit> {
        let mut rows: BTreeMap<u32, String> = BTreeMap::new();
        for (place, value) in cells {
            rows.entry(place.row + 1).or_default().push_str(&self.render(place, None, &value));
        }
        let prefix = &self.prefix;
        let mut edits: Vec<Edit> = Vec::new();
        for (number, cells) in rows {
            let behind = self.rows.iter().find(|row| row.number > number);
            let at = behind.map_or(self.data.end, |row| self.start_of_row(row));
            edits.push(Edit { range: at..at, text: format!(r#"<{prefix}row r="{number}">{cells}</{prefix}row>"#) });
        }
        if self.empty && !edits.is_empty() {
            let rows: String = edits.into_iter().map(|edit| edit.text).collect();
            let text = format!("<{prefix}sheetData>{rows}</{prefix}sheetData>");
            return vec![Edit { range: self.data.clone(), text }];
        }
        edits
    }

    fn start_of_row(&self, row: &Row) -> usize {
        let inside = row
            .empty
            .as_ref()
            .map_or_else(|| row.cells.first().map_or(row.end, |cell| cell.element.start), |element| element.end);
        let before = self.text.get(..inside).unwrap_or_default();
        before.rfind(&format!("<{}row", self.prefix)).unwrap_or(inside)
    }

    /// Returns the edits that give each cell a formula of its own where the one that others share is overwritten.
    fn shared_edits(&self, cells: &BTreeMap<Place, Value>) -> Vec<Edit> {
        let all = || self.rows.iter().flat_map(|row| &row.cells);
        let shared = |cell: &'_ Cell| cell.formula.as_ref().and_then(|formula| formula.shared.clone());
        let masters = all().filter(|cell| {
            let master = cell.formula.as_ref().is_some_and(|formula| formula.kind == "shared" && formula.is_master);
            master && cells.contains_key(&cell.place)
        });
        let mut edits = Vec::new();
        for master in masters {
            let text = master.formula.as_ref().map(|formula| formula.text.clone()).unwrap_or_default();
            let others = all().filter(|cell| shared(cell) == shared(master) && !cells.contains_key(&cell.place));
            for other in others.filter(|other| other.place != master.place) {
                let rows = i64::from(other.place.row) - i64::from(master.place.row);
                let columns = i64::from(other.place.column) - i64::from(master.place.column);
                let own = escape(&formula::shifted(&text, rows, columns));
                let range = other.formula.as_ref().map(|formula| formula.element.clone()).unwrap_or_default();
                edits.push(Edit { range, text: format!("<{0}f>{own}</{0}f>", self.prefix) });
            }
        }
        edits
    }

    /// The kind and the content of a cell that holds a text.
    fn text_cell(&self, text: &str) -> (&'static str, String) {
        let prefix = &self.prefix;
        let text = format!(r#"<{prefix}is><{prefix}t xml:space="preserve">{}</{prefix}t></{prefix}is>"#, escape(text));
        (r#" t="inlineStr""#, text)
    }

    /// A cell with a value; the style is what it looked like before.
    fn render(&self, place: Place, style: Option<&str>, value: &Value) -> String {
        let prefix = &self.prefix;
        let style = style.map_or_else(String::new, |style| format!(r#" s="{}""#, escape(style)));
        let (kind, content) = match value {
            Value::Null => ("", String::new()),
            Value::Bool(on) => (r#" t="b""#, format!("<{prefix}v>{}</{prefix}v>", u8::from(*on))),
            Value::Number(number) if number::kept(number).is_some() => ("", format!("<{prefix}v>{number}</{prefix}v>")),
            Value::String(text) => match text.strip_prefix('=').filter(|rest| !rest.trim().is_empty()) {
                Some(formula) => ("", format!("<{prefix}f>{}</{prefix}f>", escape(formula))),
                None => self.text_cell(text),
            },
            other => self.text_cell(&other.to_string()),
        };
        format!(r#"<{prefix}c r="{place}"{style}{kind}>{content}</{prefix}c>"#)
    }
}

fn holds((first, last): (Place, Place), place: Place) -> bool {
    (first.row..=last.row).contains(&place.row) && (first.column..=last.column).contains(&place.column)
}

/// A start tag with an attribute set, wherever it stood before.
pub(super) fn with_attribute(tag: &str, name: &str, value: &str) -> String {
    let mut tag = without_attribute(tag, name);
    let end = tag.len() - if tag.ends_with("/>") { 2 } else { 1 };
    tag.insert_str(end, &format!(r#" {name}="{}""#, escape(value)));
    tag
}

/// A start tag without an attribute.
fn without_attribute(tag: &str, name: &str) -> String {
    let place = tag.match_indices(name).find_map(|(at, _)| {
        let before = tag.get(..at)?;
        let quote = tag.get(at + name.len()..)?.strip_prefix('=')?.chars().next()?;
        let inner = tag.get(at + name.len() + 2..)?;
        let end = inner.find(quote)?;
        before.ends_with(char::is_whitespace).then_some(at - 1..at + name.len() + 2 + end + 1)
    });
    let mut tag = tag.to_owned();
    place.into_iter().for_each(|place| tag.replace_range(place, ""));
    tag
}
