//! New documents.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, Timelike, Utc};

use super::{contain::contained, docx, pdf, xlsx};
pub use super::{pdf::face::suits, xlsx::write::NewSheet};
use satchel_model::error::Result;

/// A DOCX of a title and paragraphs.
pub fn docx(title: &str, paragraphs: &[String], made: DateTime<Utc>) -> Result<Vec<u8>> {
    docx::write::write(title, paragraphs, &made.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// An XLSX of sheets; a text that begins with `=` is a formula.
pub fn xlsx(title: &str, sheets: &[NewSheet], made: DateTime<Utc>) -> Result<Vec<u8>> {
    contained(|| xlsx::write::write(title, sheets, made.timestamp()))
}

/// Characters the built-in fonts and these others do not have. [`pdf`] needs a font for each.
pub fn missing_from_fonts(title: &str, paragraphs: &[String], others: &[Vec<u8>]) -> Result<BTreeSet<char>> {
    contained(|| pdf::write::missing(title, paragraphs, others))
}

/// A PDF of a title and paragraphs. `others` are fonts for what the built-in ones do not have.
pub fn pdf(title: &str, paragraphs: &[String], others: &[Vec<u8>], made: DateTime<Utc>) -> Result<Vec<u8>> {
    let small = |number: u32| u8::try_from(number).unwrap_or_default();
    let made = (
        u16::try_from(made.year()).unwrap_or_default(),
        small(made.month()),
        small(made.day()),
        small(made.hour()),
        small(made.minute()),
        small(made.second()),
    );
    contained(|| pdf::write::write(title, paragraphs, others, made))
}
