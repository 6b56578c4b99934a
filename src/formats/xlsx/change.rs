//! Changes cells of an XLSX in place: styles, charts and everything else that is not named stays as it is.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    book::Book,
    cell::Place,
    sheet::{self, Sheet},
};
use crate::office::{
    package::Package,
    rewrite::{Changes, rewrite},
    splice::{Edit, Places, splice},
    xml::{attribute, local},
};
use satchel_model::error::{Error, Result};

/// A cell and its new value: a text, a number, a switch, or nothing. A text that begins with `=` is a formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Update {
    /// The sheet's name.
    pub sheet: String,
    /// The cell, as `B3`.
    pub cell: String,
    /// The value it holds from now on.
    pub value: Value,
}

/// The workbook with the cells changed.
pub(crate) fn update(bytes: &[u8], updates: &[Update]) -> Result<Vec<u8>> {
    let mut package = Package::open(bytes)?;
    let book = Book::open(&mut package)?;
    let mut wanted: HashMap<String, BTreeMap<Place, Value>> = HashMap::new();
    for update in updates {
        let part = sheet_named(&book, &update.sheet)?;
        let place = Place::parse(&update.cell)
            .ok_or_else(|| Error::invalid(format!("'{}' is no cell. Write it as B3.", update.cell)))?;
        check(&update.value)?;
        wanted.entry(part).or_default().insert(place, update.value.clone());
    }
    let mut changes = Changes::new();
    let mut parts: Vec<String> = book.sheets.iter().map(|sheet| sheet.part.clone()).collect();
    parts.dedup();
    for part in parts {
        let text = package.needed(&part)?;
        let cells = wanted.remove(&part).unwrap_or_default();
        headings(&mut package, &part, &cells, &mut changes)?;
        let edits = Sheet::read(&text)?.edits(cells)?;
        if !edits.is_empty() {
            changes.insert(part, Some(splice(&text, edits).into_bytes()));
        }
    }
    recalculate(&mut package, &book, &mut changes)?;
    rewrite(&mut package, &changes)
}

fn sheet_named(book: &Book, name: &str) -> Result<String> {
    let exact = book.sheets.iter().find(|sheet| sheet.name == name);
    let found = exact.or_else(|| book.sheets.iter().find(|sheet| sheet.name.eq_ignore_ascii_case(name)));
    found.map(|sheet| sheet.part.clone()).ok_or_else(|| {
        let names: Vec<&str> = book.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
        Error::invalid(format!("There is no sheet '{name}'. The workbook has: {}.", names.join(", ")))
    })
}

fn check(value: &Value) -> Result<()> {
    match value {
        Value::String(text) if text.chars().count() > sheet::MAX_TEXT => {
            Err(Error::invalid(format!("A cell holds at most {} characters.", sheet::MAX_TEXT)))
        }
        Value::Array(_) | Value::Object(_) => {
            Err(Error::invalid("A cell's value is a text, a number, true, false or null."))
        }
        _ => Ok(()),
    }
}

/// Tables repeat their headings in a part of their own; programs refuse a workbook where the two differ.
fn headings(
    package: &mut Package<'_>,
    part: &str,
    cells: &BTreeMap<Place, Value>,
    changes: &mut Changes,
) -> Result<()> {
    if cells.is_empty() {
        return Ok(());
    }
    let relations = package.relations(part)?;
    for table in relations.into_values().filter(|relation| relation.kind == "table") {
        let text = package.text(&table.target)?.unwrap_or_default();
        let edits = heading_edits(&text, cells)?;
        if !edits.is_empty() {
            changes.insert(table.target, Some(splice(&text, edits).into_bytes()));
        }
    }
    Ok(())
}

fn heading_edits(table: &str, cells: &BTreeMap<Place, Value>) -> Result<Vec<Edit>> {
    let (mut next, mut edits, mut places) = (None, Vec::new(), Places::new(table));
    while let Some((event, range)) = places.next()? {
        let (quick_xml::events::Event::Start(element) | quick_xml::events::Event::Empty(element)) = event else {
            continue;
        };
        match local(&element) {
            "table" if attribute(&element, "headerRowCount").is_none_or(|count| count != "0") => {
                let area = attribute(&element, "ref").unwrap_or_default();
                next = area.split(':').next().and_then(Place::parse);
            }
            "tableColumn" => {
                let Some(place) = next else { continue };
                next = Some(Place { column: place.column + 1, ..place });
                let Some(value) = cells.get(&place) else { continue };
                let Some(name) = value.as_str().filter(|name| !name.is_empty() && !name.starts_with('=')) else {
                    return Err(Error::invalid(format!(
                        "{place} is the heading of a table's column: it holds a text."
                    )));
                };
                let old = table.get(range.clone()).unwrap_or_default();
                edits.push(Edit { range, text: sheet::with_attribute(old, "name", name) });
            }
            _ => {}
        }
    }
    Ok(edits)
}

/// Asks programs to compute everything anew, and drops the order they once computed in, which names cells that may
/// hold no formula any more.
fn recalculate(package: &mut Package<'_>, book: &Book, changes: &mut Changes) -> Result<()> {
    let text = package.needed(&book.part)?;
    let (mut edits, mut end, mut places) = (Vec::new(), None, Places::new(&text));
    while let Some((event, range)) = places.next()? {
        match event {
            quick_xml::events::Event::Start(element) | quick_xml::events::Event::Empty(element) => {
                match local(&element) {
                    "calcPr" => {
                        let old = text.get(range.clone()).unwrap_or_default();
                        edits.push(Edit { range, text: sheet::with_attribute(old, "fullCalcOnLoad", "1") });
                    }
                    "definedNames" | "sheets" | "externalReferences" | "functionGroups" => end = None,
                    _ => {}
                }
            }
            quick_xml::events::Event::End(element) => {
                let name = element.local_name().into_inner();
                if matches!(name, "sheets" | "functionGroups" | "externalReferences" | "definedNames") {
                    let prefix = element.name().into_inner().strip_suffix(name).unwrap_or_default().to_owned();
                    end = Some((range.end, prefix));
                }
            }
            _ => {}
        }
    }
    if edits.is_empty()
        && let Some((at, prefix)) = end
    {
        edits.push(Edit { range: at..at, text: format!(r#"<{prefix}calcPr fullCalcOnLoad="1"/>"#) });
    }
    changes.insert(book.part.clone(), Some(splice(&text, edits).into_bytes()));
    let Some(chain) = book.related("calcChain").map(str::to_owned) else { return Ok(()) };
    let (folder, file) = book.part.rsplit_once('/').unwrap_or(("", &book.part));
    let relations = format!("{folder}/_rels/{file}.rels");
    let file = chain.rsplit('/').next().unwrap_or(&chain).to_owned();
    for (part, element) in [(relations, "Relationship"), ("[Content_Types].xml".to_owned(), "Override")] {
        let text = package.needed(&part)?;
        let edits = without(&text, element, &file)?;
        changes.insert(part, Some(splice(&text, edits).into_bytes()));
    }
    changes.insert(chain, None);
    Ok(())
}

/// Takes out the elements that name a file.
fn without(text: &str, name: &str, file: &str) -> Result<Vec<Edit>> {
    let (mut edits, mut places) = (Vec::new(), Places::new(text));
    while let Some((event, range)) = places.next()? {
        let quick_xml::events::Event::Empty(element) = event else { continue };
        let target = attribute(&element, "Target").or_else(|| attribute(&element, "PartName"));
        if local(&element) == name && target.is_some_and(|target| target.ends_with(file)) {
            edits.push(Edit { range, text: String::new() });
        }
    }
    Ok(edits)
}
