//! Changes of documents: bytes in, bytes out. What is not named stays as it was.

pub use super::xlsx::change::Update;
use super::{docx, extracted::Kind, kind, pdf, xlsx};
use satchel_model::error::{Error, Result};

/// Adds paragraphs at the end of a DOCX.
pub fn append(bytes: &[u8], paragraphs: &[String]) -> Result<Vec<u8>> {
    require(bytes, Kind::Docx, "append", "DOCX")?;
    docx::change::append(bytes, paragraphs)
}

/// Replaces a text in a DOCX, and says how often it stood there.
///
/// # Errors
///
/// If it does not stand there.
pub fn replace(bytes: &[u8], old: &str, new: &str) -> Result<(Vec<u8>, usize)> {
    require(bytes, Kind::Docx, "replace", "DOCX")?;
    docx::change::replace_all(bytes, old, new).map(|done| (done.bytes, done.count))
}

/// Changes cells of an XLSX.
pub fn update_cells(bytes: &[u8], updates: &[Update]) -> Result<Vec<u8>> {
    require(bytes, Kind::Xlsx, "update_cells", "XLSX")?;
    xlsx::change::update(bytes, updates)
}

/// The pages of several PDFs in the order given, and how many there are.
pub fn merge(files: Vec<Vec<u8>>) -> Result<(Vec<u8>, usize)> {
    files.iter().try_for_each(|bytes| require(bytes, Kind::Pdf, "merge", "PDF"))?;
    pdf::merge::merge(files)
}

fn require(bytes: &[u8], wanted: Kind, operation: &str, name: &str) -> Result<()> {
    let found = kind::detect(bytes, "")?;
    if found == wanted {
        return Ok(());
    }
    Err(Error::invalid(format!("`{operation}` works on {name} files, and this one is {}.", found.as_str())))
}
