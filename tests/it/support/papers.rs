//! Small documents of every kind, made here.

use std::io::{Cursor, Write};

use docx_rs::{Docx, Paragraph, Run};
use pdf_writer::{Name, Pdf, Rect, Ref};
use rust_xlsxwriter::Workbook;
use zip::{ZipWriter, write::SimpleFileOptions};

/// A text of Word: a heading and paragraphs.
pub fn docx(heading: &str, paragraphs: &[&str]) -> Vec<u8> {
    let head = Paragraph::new().add_run(Run::new().add_text(heading)).style("Heading1");
    let mut docx = Docx::new().add_paragraph(head);
    for text in paragraphs {
        docx = docx.add_paragraph(Paragraph::new().add_run(Run::new().add_text(*text)));
    }
    let mut bytes = Cursor::new(Vec::new());
    docx.build().pack(&mut bytes).unwrap();
    bytes.into_inner()
}

/// A workbook of one sheet.
pub fn xlsx(sheet: &str, rows: &[&[&str]]) -> Vec<u8> {
    let mut book = Workbook::new();
    let page = book.add_worksheet().set_name(sheet).unwrap();
    for (row, cells) in (0..).zip(rows) {
        for (column, cell) in (0..).zip(*cells) {
            page.write_string(row, column, *cell).unwrap();
        }
    }
    book.save_to_buffer().unwrap()
}

/// Slides of one text each.
pub fn pptx(slides: &[&str]) -> Vec<u8> {
    let numbers = 1..=slides.len();
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let main = "http://schemas.openxmlformats.org/presentationml/2006/main";
    let drawing = "http://schemas.openxmlformats.org/drawingml/2006/main";
    let package = "http://schemas.openxmlformats.org/package/2006";
    let list: String = numbers.clone().map(|n| format!("<p:sldId id=\"{}\" r:id=\"rId{n}\"/>", 255 + n)).collect();
    let links: String = numbers
        .clone()
        .map(|n| format!("<Relationship Id=\"rId{n}\" Type=\"{office}/slide\" Target=\"slides/slide{n}.xml\"/>"))
        .collect();
    let mut parts = vec![
        ("[Content_Types].xml".to_owned(), format!("<Types xmlns=\"{package}/content-types\"/>")),
        (
            "_rels/.rels".to_owned(),
            format!(
                "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"rId1\" \
                 Type=\"{office}/officeDocument\" Target=\"ppt/presentation.xml\"/></Relationships>"
            ),
        ),
        (
            "ppt/presentation.xml".to_owned(),
            format!(
                "<p:presentation xmlns:p=\"{main}\" xmlns:r=\"{office}\"><p:sldIdLst>{list}</p:sldIdLst></p:presentation>"
            ),
        ),
        (
            "ppt/_rels/presentation.xml.rels".to_owned(),
            format!("<Relationships xmlns=\"{package}/relationships\">{links}</Relationships>"),
        ),
    ];
    for (n, text) in numbers.zip(slides) {
        let slide = format!(
            "<p:sld xmlns:p=\"{main}\" xmlns:a=\"{drawing}\"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t>\
             </a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
        );
        parts.push((format!("ppt/slides/slide{n}.xml"), slide));
    }
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{text}").as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Pages of one line each.
pub fn pdf(pages: &[&str]) -> Vec<u8> {
    let (mut pdf, mut next) = (Pdf::new(), Ref::new(1));
    let (catalog, tree, font) = (next.bump(), next.bump(), next.bump());
    pdf.catalog(catalog).pages(tree);
    pdf.type1_font(font).base_font(Name(b"Helvetica"));
    let mut kids = Vec::new();
    for text in pages {
        let (id, content) = (next.bump(), next.bump());
        pdf.stream(content, format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET").as_bytes());
        let mut page = pdf.page(id);
        page.parent(tree).contents(content).media_box(Rect::new(0.0, 0.0, 595.0, 842.0));
        page.resources().fonts().pair(Name(b"F1"), font);
        kids.push(id);
    }
    pdf.pages(tree).count(i32::try_from(kids.len()).unwrap()).kids(kids);
    pdf.finish()
}
