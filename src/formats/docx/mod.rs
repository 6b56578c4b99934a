//! Texts of Word and LibreOffice.

pub(super) mod change;
pub(super) mod read;
mod replace;
mod styles;
pub(super) mod write;
