//! The one way in: finds out what a file is and reads it.

use std::borrow::Cow;

use url::Url;

use super::{
    code, csv, docx,
    extracted::{Draft, Extracted, Kind},
    html::{self, Wanted},
    json, kind,
    limits::Limits,
    markdown, pdf, pptx, text, xlsx,
};
use satchel_model::error::{Error, Result};

/// Reads a file; a PDF is copied unless it is handed over. `name` is only asked for its ending, where the content does not
/// say what it is. Bombs, encrypted and broken files are refused with a sentence that says so.
pub fn read<'a>(bytes: impl Into<Cow<'a, [u8]>>, name: &str, limits: &Limits) -> Result<Extracted> {
    read_wanted(bytes.into(), name, Wanted::Document, limits)
}

/// Reads a page for its article, or all of it but what stands around the text where it is none; any other file as it is.
/// The address is the one it came from, and `plain` if its bare text is enough.
///
/// # Errors
///
/// As [`read`].
pub(super) fn article(
    bytes: Vec<u8>,
    name: &str,
    address: Option<&str>,
    plain: bool,
    limits: &Limits,
) -> Result<Extracted> {
    let address = address.and_then(|address| Url::parse(address).ok());
    let wanted = if plain { Wanted::Text } else { Wanted::Article(address.as_ref()) };
    read_wanted(bytes.into(), name, wanted, limits)
}

fn read_wanted(bytes: Cow<'_, [u8]>, name: &str, wanted: Wanted<'_>, limits: &Limits) -> Result<Extracted> {
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
    let kind = kind::detect(&bytes, name)?;
    let mut draft = Draft::new(kind, limits);
    match kind {
        Kind::Pdf => pdf::read::read(bytes.into_owned(), limits, &mut draft)?,
        Kind::Docx => docx::read::read(&bytes, &mut draft)?,
        Kind::Xlsx => xlsx::read::read(&bytes, &mut draft)?,
        Kind::Pptx => pptx::read(&bytes, &mut draft)?,
        Kind::Html => html::read(&bytes, wanted, &mut draft)?,
        Kind::Markdown => markdown::read(&bytes, &mut draft)?,
        Kind::Csv => csv::read(&bytes, &mut draft)?,
        Kind::Json => json::read(&bytes, &mut draft)?,
        Kind::Text => text::read(&bytes, &mut draft)?,
        Kind::Code => code::read(&bytes, name, &mut draft)?,
    }
    Ok(draft.done)
}
