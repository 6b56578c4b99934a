//! Changes of documents: bytes in, bytes out. What is not named stays as it was.

pub use super::xlsx::change::Update;
use super::{contain::contained, docx, extracted::Kind, kind, limits::Limits, pdf, xlsx};
use satchel_model::error::{Error, Result};

/// Adds paragraphs at the end of a DOCX.
pub fn append(bytes: &[u8], paragraphs: &[String], limits: &Limits) -> Result<Vec<u8>> {
    require(bytes, Kind::Docx, "append", "DOCX")?;
    contained(|| docx::change::append(bytes, paragraphs, limits))
}

/// Replaces a text in a DOCX, and says how often it stood there.
///
/// # Errors
///
/// If it does not stand there.
pub fn replace(bytes: &[u8], old: &str, new: &str, limits: &Limits) -> Result<(Vec<u8>, usize)> {
    require(bytes, Kind::Docx, "replace", "DOCX")?;
    contained(|| docx::change::replace_all(bytes, old, new, limits).map(|done| (done.bytes, done.count)))
}

/// Changes cells of an XLSX.
pub fn update_cells(bytes: &[u8], updates: &[Update], limits: &Limits) -> Result<Vec<u8>> {
    require(bytes, Kind::Xlsx, "update_cells", "XLSX")?;
    contained(|| xlsx::change::update(bytes, updates, limits))
}

/// The pages of several PDFs in the order given, and how many there are.
pub fn merge(files: Vec<Vec<u8>>) -> Result<(Vec<u8>, usize)> {
    files.iter().try_for_each(|bytes| require(bytes, Kind::Pdf, "merge", "PDF"))?;
    contained(|| pdf::merge::merge(files))
}

fn require(bytes: &[u8], wanted: Kind, operation: &str, name: &str) -> Result<()> {
    let found = kind::detect(bytes, "")?;
    if found == wanted {
        return Ok(());
    }
    Err(Error::invalid(format!("`{operation}` works on {name} files, and this one is {}.", found.as_str())))
}
