//! The one way in: finds out what a file is and reads it, contained.

use std::borrow::Cow;

use super::{
    code,
    contain::contained,
    csv, docx,
    extracted::{Draft, Extracted, Kind},
    html, json, kind,
    limits::Limits,
    markdown, pdf, pptx, text, xlsx,
};
use satchel_model::error::{Error, Result};

/// Reads a file; a PDF is copied unless it is handed over. `name` is only asked for its ending, where the content does not
/// say what it is. Bombs, encrypted and broken files are refused with a sentence that says so.
pub fn read<'a>(bytes: impl Into<Cow<'a, [u8]>>, name: &str, limits: &Limits) -> Result<Extracted> {
    let bytes = bytes.into();
    if bytes.is_empty() {
        return Err(Error::invalid("The file is empty."));
    }
    if bytes.len() > limits.file {
        return Err(Error::invalid(format!(
            "The file has {} bytes, and at most {} are read. Split it.",
            bytes.len(),
            limits.file
        )));
    }
    contained(|| dispatch(bytes, name, limits))
}

fn dispatch(bytes: Cow<'_, [u8]>, name: &str, limits: &Limits) -> Result<Extracted> {
    let kind = kind::detect(&bytes, name)?;
    let mut draft = Draft::new(kind, limits);
    match kind {
        Kind::Pdf => pdf::read::read(bytes.into_owned(), limits, &mut draft)?,
        Kind::Docx => docx::read::read(&bytes, &mut draft)?,
        Kind::Xlsx => xlsx::read::read(&bytes, &mut draft)?,
        Kind::Pptx => pptx::read(&bytes, &mut draft)?,
        Kind::Html => html::read(&bytes, &mut draft)?,
        Kind::Markdown => markdown::read(&bytes, &mut draft)?,
        Kind::Csv => csv::read(&bytes, &mut draft)?,
        Kind::Json => json::read(&bytes, &mut draft)?,
        Kind::Text => text::read(&bytes, &mut draft)?,
        Kind::Code => code::read(&bytes, name, &mut draft)?,
    }
    Ok(draft.done)
}
