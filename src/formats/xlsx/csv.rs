//! The sheets of an XLSX as CSV.

use csv::WriterBuilder;
use serde::{Deserialize, Serialize};

use super::{book::Book, read};
use crate::office::package::Package;
use satchel_model::error::{Error, Result};

/// A sheet as CSV.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CsvSheet {
    /// The sheet's name.
    pub name: String,
    /// Its rows, in UTF-8, separated by commas.
    pub csv: String,
}

/// All sheets, or the one that is named.
pub(crate) fn convert(bytes: &[u8], only: Option<&str>) -> Result<Vec<CsvSheet>> {
    let mut package = Package::open(bytes)?;
    let mut book = Book::open(&mut package)?;
    book.fill(&mut package)?;
    let mut sheets = Vec::new();
    for sheet in book.sheets.iter().filter(|sheet| only.is_none_or(|only| sheet.name.eq_ignore_ascii_case(only))) {
        let rows = read::cells(&mut package, &book, sheet)?.rows;
        sheets.push(CsvSheet { name: sheet.name.clone(), csv: text(&rows)? });
    }
    if sheets.is_empty() {
        let names: Vec<&str> = book.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
        return Err(Error::invalid(format!("There is no such sheet. The workbook has: {}.", names.join(", "))));
    }
    Ok(sheets)
}

fn text(rows: &[Vec<String>]) -> Result<String> {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    let empty = String::new();
    for row in rows {
        let cells = row.iter().chain(std::iter::repeat(&empty)).take(width.max(1));
        writer.write_record(cells).map_err(Error::internal)?;
    }
    let bytes = writer.into_inner().map_err(|e| Error::internal(e.to_string()))?;
    String::from_utf8(bytes).map_err(Error::internal)
}
