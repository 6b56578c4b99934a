//! Documents in other formats.

pub use super::xlsx::csv::CsvSheet;
use super::{contain::contained, extracted::Kind, kind, limits::Limits, xlsx};
use satchel_model::error::{Error, Result};

/// The sheets of an XLSX as CSV: all, or the one that is named.
pub fn csv(bytes: &[u8], sheet: Option<&str>, limits: &Limits) -> Result<Vec<CsvSheet>> {
    match kind::detect(bytes, "")? {
        Kind::Xlsx => contained(|| xlsx::csv::convert(bytes, sheet, limits)),
        other => Err(Error::invalid(format!("Only an XLSX becomes CSV, and this file is {}.", other.as_str()))),
    }
}
