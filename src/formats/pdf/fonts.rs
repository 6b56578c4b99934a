//! The built-in fonts of new PDFs: compressed in the binary, unpacked when the first is written.

use std::{io::Read, sync::OnceLock};

use flate2::read::GzDecoder;

/// DejaVu Sans.
pub(super) fn regular() -> &'static [u8] {
    static FONT: OnceLock<Vec<u8>> = OnceLock::new();
    FONT.get_or_init(|| unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/regular.ttf"))))
}

/// Its bold face.
pub(super) fn bold() -> &'static [u8] {
    static FONT: OnceLock<Vec<u8>> = OnceLock::new();
    FONT.get_or_init(|| unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/bold.ttf"))))
}

/// Returns a font as it was; nothing where it is damaged, which whoever reads it says.
fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut font = Vec::new();
    match GzDecoder::new(packed).read_to_end(&mut font) {
        Ok(_) => font,
        Err(_) => Vec::new(),
    }
}
