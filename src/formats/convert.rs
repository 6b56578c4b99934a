//! Documents in other formats.

pub use super::xlsx::csv::CsvSheet;
use super::{extracted::Kind, kind, xlsx};
use satchel_model::error::{Error, Result};

/// The sheets of an XLSX as CSV: all, or the one that is named.
pub fn csv(bytes: &[u8], sheet: Option<&str>) -> Result<Vec<CsvSheet>> {
    match kind::detect(bytes, "")? {
        Kind::Xlsx => xlsx::csv::convert(bytes, sheet),
        other => Err(Error::invalid(format!("Only an XLSX becomes CSV, and this file is {}.", other.as_str()))),
    }
}
