//! The fixtures, and looks at what was read.

#![expect(clippy::disallowed_methods, reason = "tests read their own files")]

use std::path::PathBuf;

use satchel::{
    formats::{
        extracted::{BlockKind, Extracted},
        limits::Limits,
        read::read,
    },
    model::error::Result,
};

/// Every fixture that can be read.
pub const READABLE: [&str; 10] = [
    "python-docx.docx",
    "libreoffice.docx",
    "openpyxl.xlsx",
    "libreoffice.xlsx",
    "python-pptx.pptx",
    "pdftex.pdf",
    "chromium.pdf",
    "libreoffice.pdf",
    "open-aes256.pdf",
    "open-rc4.pdf",
];

pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/data/documents").join(name)
}

pub fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap()
}

pub fn extract(bytes: &[u8], name: &str) -> Result<Extracted> {
    read(bytes, name, &Limits::default())
}

pub fn fixture(name: &str) -> Extracted {
    extract(&bytes(name), name).unwrap()
}

/// Kind and text of every block.
pub fn blocks(read: &Extracted) -> Vec<(BlockKind, &str)> {
    read.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect()
}
