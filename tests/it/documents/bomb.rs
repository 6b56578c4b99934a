//! Hostile documents, made on the spot: small files that want to become large, or never to end.

use std::io::{Cursor, Write};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A package of parts; each content is a piece and how often it is repeated.
pub fn package(parts: &[(&str, &[(&str, usize)])]) -> Vec<u8> {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    out.start_file("[Content_Types].xml", options).unwrap();
    out.write_all(b"<Types/>").unwrap();
    for (name, content) in parts {
        out.start_file(*name, options).unwrap();
        for (piece, times) in *content {
            // Written in large pieces: one call for each repetition would be slow.
            let many = piece.repeat((1 << 16) / piece.len().max(1) + 1);
            let whole = many.len() / piece.len();
            for _ in 0..times / whole {
                out.write_all(many.as_bytes()).unwrap();
            }
            out.write_all(piece.repeat(times % whole).as_bytes()).unwrap();
        }
    }
    out.finish().unwrap().into_inner()
}

/// An XLSX of one sheet with this part, and these shared texts.
pub fn xlsx(sheet: &[(&str, usize)], texts: &[(&str, usize)]) -> Vec<u8> {
    let relations = format!(
        "<Relationships><Relationship Id=\"r1\" Type=\"{RELATIONS}/worksheet\" Target=\"worksheets/sheet1.xml\"/>\
         <Relationship Id=\"r2\" Type=\"{RELATIONS}/sharedStrings\" Target=\"sharedStrings.xml\"/></Relationships>"
    );
    let book = "<workbook><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>";
    package(&[
        ("xl/workbook.xml", &[(book, 1)]),
        ("xl/_rels/workbook.xml.rels", &[(&relations, 1)]),
        ("xl/worksheets/sheet1.xml", sheet),
        ("xl/sharedStrings.xml", texts),
    ])
}
