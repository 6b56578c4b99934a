//! Workbooks of Excel and LibreOffice.

mod book;
mod cell;
pub(super) mod change;
pub(super) mod csv;
mod formula;
mod number;
pub(super) mod read;
mod sheet;
pub(super) mod write;
