//! Small documents of every kind, made here.

use std::io::{Cursor, Write};

use docx_rs::{Docx, Paragraph, Run};
use lopdf::{Document, Object, Stream, dictionary};
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
    let mut pdf = Document::with_version("1.5");
    let all = pdf.new_object_id();
    let font = pdf.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
    let resources = pdf.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let mut kids: Vec<Object> = Vec::new();
    for text in pages {
        let content = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
        let content = pdf.add_object(Stream::new(dictionary! {}, content.into_bytes()));
        let page = pdf.add_object(dictionary! {
            "Type" => "Page", "Parent" => all, "Contents" => content, "Resources" => resources,
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        });
        kids.push(page.into());
    }
    let count = i64::try_from(kids.len()).unwrap();
    let pages = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
    pdf.objects.insert(all, Object::Dictionary(pages));
    let catalog = pdf.add_object(dictionary! { "Type" => "Catalog", "Pages" => all });
    pdf.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    pdf.save_to(&mut bytes).unwrap();
    bytes
}
