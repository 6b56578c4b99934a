//! Workbooks of Excel and LibreOffice.

pub(super) mod book;
pub(super) mod cell;
mod number;
pub(super) mod read;
