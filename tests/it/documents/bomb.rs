//! Hostile documents, made on the spot: small files that want to become large, or never to end.

use std::io::{Cursor, Write};

use flate2::{Compression, write::ZlibEncoder};
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

/// A DOCX whose text is this.
pub fn docx(content: &[(&str, usize)]) -> Vec<u8> {
    package(&[("word/document.xml", content)])
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

/// Deflated once for each of `times`.
pub fn packed(data: &[u8], times: usize) -> Vec<u8> {
    (0..times).fold(data.to_vec(), |data, _| {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&data).unwrap();
        encoder.finish().unwrap()
    })
}

/// Zeros, deflated, without holding them.
pub fn packed_zeros(megabytes: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let chunk = vec![b' '; 1 << 20];
    (0..megabytes).for_each(|_| encoder.write_all(&chunk).unwrap());
    encoder.finish().unwrap()
}

/// A PDF while it is put together.
#[derive(Default)]
pub struct Pdf {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Pdf {
    /// Adds an object; its number is how many there are then.
    pub fn add(&mut self, body: impl AsRef<[u8]>) -> usize {
        if self.bytes.is_empty() {
            self.bytes.extend(b"%PDF-1.5\n");
        }
        self.places.push(self.bytes.len());
        self.bytes.extend(format!("{} 0 obj\n", self.places.len()).as_bytes());
        self.bytes.extend(body.as_ref());
        self.bytes.extend(b"\nendobj\n");
        self.places.len()
    }

    /// Adds a stream.
    pub fn stream(&mut self, dictionary: &str, data: &[u8]) -> usize {
        let head = format!("<< {dictionary} /Length {} >>\nstream\n", data.len());
        self.add([head.as_bytes(), data, b"\nendstream"].concat())
    }

    /// The file; its root is the object of that number.
    pub fn end(mut self, root: usize) -> Vec<u8> {
        let table = self.bytes.len();
        let entries: String = self.places.iter().map(|at| format!("{at:010} 00000 n \n")).collect();
        let count = self.places.len() + 1;
        let tail = format!(
            "xref\n0 {count}\n0000000000 65535 f \n{entries}trailer\n<< /Size {count} /Root {root} 0 R >>\nstartxref\n{table}\n%%EOF\n"
        );
        self.bytes.extend(tail.as_bytes());
        self.bytes
    }

    /// The file with one page that shows this program, with these resources.
    pub fn page(mut self, program: &[u8], filter: &str, resources: &str) -> Vec<u8> {
        let contents = self.stream(filter, program);
        let (page, pages) = (self.places.len() + 1, self.places.len() + 2);
        self.add(format!(
            "<< /Type /Page /Parent {pages} 0 R /Contents {contents} 0 R /Resources << {resources} >> >>"
        ));
        self.add(format!("<< /Type /Pages /Kids [{page} 0 R] /Count 1 >>"));
        let root = self.add(format!("<< /Type /Catalog /Pages {pages} 0 R >>"));
        self.end(root)
    }
}

/// A font that needs nothing else.
pub const FONT: &str = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>";
