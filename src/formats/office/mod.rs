//! The common parts of DOCX, XLSX and PPTX: a ZIP package of XML parts that refer to one another.

pub(super) mod package;
pub(super) mod properties;
pub(super) mod rewrite;
pub(super) mod splice;
pub(super) mod xml;
