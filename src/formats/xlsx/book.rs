//! The parts that the sheets of a workbook share: their names, texts and number formats.

use std::collections::HashMap;

use super::number::{self, Format};
use crate::office::{
    package::{Package, Relations},
    xml::{Node, Xml, attribute, local},
};
use satchel_model::error::Result;

/// A sheet of a workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sheet {
    /// Its name as people see it.
    pub(crate) name: String,
    /// Its part in the package.
    pub(crate) part: String,
    /// Not shown.
    pub(crate) hidden: bool,
}

/// A workbook without its sheets' cells.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// The main part's name.
    pub(crate) part: String,
    /// The parts the main part refers to.
    pub(crate) relations: Relations,
    /// The sheets in their order.
    pub(crate) sheets: Vec<Sheet>,
    /// Days are counted from 1904.
    pub(super) since_1904: bool,
    /// Texts that cells refer to.
    pub(super) texts: Vec<String>,
    /// Formats that cells refer to.
    pub(super) formats: Vec<Format>,
}

impl Book {
    /// Reads the list of sheets.
    pub(crate) fn open(package: &mut Package<'_>) -> Result<Self> {
        let part = package.main_part("xl/workbook.xml")?;
        let relations = package.relations(&part)?;
        let text = package.needed(&part)?;
        let mut book = Self { part, relations, ..Self::default() };
        let mut xml = Xml::new(&text);
        while let Some(node) = xml.next()? {
            let Node::Open(element) = node else { continue };
            match local(&element) {
                "workbookPr" => {
                    book.since_1904 = attribute(&element, "date1904").is_some_and(|on| on == "1" || on == "true")
                }
                "sheet" => {
                    let target = attribute(&element, "id").and_then(|id| book.relations.get(id.as_ref()));
                    let Some(target) = target.filter(|target| target.kind == "worksheet") else { continue };
                    book.sheets.push(Sheet {
                        name: attribute(&element, "name").unwrap_or_default().into_owned(),
                        part: target.target.clone(),
                        hidden: attribute(&element, "state").is_some_and(|state| state != "visible"),
                    });
                }
                _ => {}
            }
        }
        Ok(book)
    }

    /// The part of a kind, where there is one.
    pub(crate) fn related(&self, kind: &str) -> Option<&str> {
        self.relations.values().find(|relation| relation.kind == kind).map(|relation| relation.target.as_str())
    }

    /// Reads texts and formats.
    pub(super) fn fill(&mut self, package: &mut Package<'_>) -> Result<()> {
        if let Some(part) = self.related("sharedStrings").map(str::to_owned) {
            self.texts = texts(&package.text(&part)?.unwrap_or_default())?;
        }
        if let Some(part) = self.related("styles").map(str::to_owned) {
            self.formats = formats(&package.text(&part)?.unwrap_or_default())?;
        }
        Ok(())
    }
}

fn texts(part: &str) -> Result<Vec<String>> {
    let (mut texts, mut text, mut spoken) = (Vec::new(), String::new(), false);
    let mut xml = Xml::new(part);
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(element) => match local(&element) {
                "si" => text.clear(),
                // How a text is pronounced.
                "rPh" => spoken = true,
                "t" if !spoken => text.push_str(&xml.content()?),
                _ => {}
            },
            Node::Close(name) if name == "rPh" => spoken = false,
            Node::Close(name) if name == "si" => {
                texts.push(std::mem::take(&mut text));
            }
            _ => {}
        }
    }
    Ok(texts)
}

fn formats(part: &str) -> Result<Vec<Format>> {
    let (mut own, mut formats, mut in_cells) = (HashMap::new(), Vec::new(), false);
    let mut xml = Xml::new(part);
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(element) => {
                let id = attribute(&element, "numFmtId").and_then(|id| id.parse::<u32>().ok());
                match (local(&element), id) {
                    ("numFmt", Some(id)) => {
                        let code = attribute(&element, "formatCode").unwrap_or_default();
                        own.insert(id, number::of_code(&code));
                    }
                    ("cellXfs", _) => in_cells = true,
                    ("xf", id) if in_cells => {
                        let id = id.unwrap_or(0);
                        formats.push(own.get(&id).copied().unwrap_or_else(|| number::built_in(id)));
                    }
                    _ => {}
                }
            }
            Node::Close(name) if name == "cellXfs" => in_cells = false,
            _ => {}
        }
    }
    Ok(formats)
}
