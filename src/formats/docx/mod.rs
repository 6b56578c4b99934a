//! Texts of Word and LibreOffice.

pub(super) mod read;
mod styles;
