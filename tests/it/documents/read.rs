//! What other programs made is read whole: text with its structure, tables, and what a document says about itself.

use satchel::formats::extracted::BlockKind::{self, Heading, ListItem, Note, Paragraph, TableRow};
use serde_json::json;

use super::fixture::{blocks, bytes, extract, fixture};

fn report() -> Vec<(BlockKind, &'static str)> {
    vec![
        (Heading(1), "Quarterly report"),
        (Heading(1), "Revenue"),
        (Paragraph, "Revenue rose to 4.2 million euros in Q4, Größe und Übermut, Ελλάδα, 日本語."),
        (ListItem, "First point"),
        (ListItem, "Second point"),
        (ListItem, "Step one"),
        (TableRow, "Product\tUnits\tPrice"),
        (TableRow, "Tea\t12\t2.50"),
        (TableRow, "Cake\t7\t3.10"),
        (Heading(2), "Outlook"),
        (Paragraph, "The outlook is good.\nSecond line."),
        (Paragraph, "After the break."),
        (Note, "Page foot"),
        (Note, "Confidential, draft 3"),
    ]
}

#[test]
fn a_docx_gives_headings_lists_tables_headers_and_footers() {
    for name in ["python-docx.docx", "libreoffice.docx"] {
        let read = fixture(name);
        let found = blocks(&read);
        assert_eq!(found, report(), "{name}");
        assert_eq!(read.title.as_deref(), Some("Quarterly report"), "{name}");
        assert_eq!(read.metadata["author"], "Ada Meyer", "{name}");
        assert_eq!(read.metadata["created"], "2026-03-01T12:00:00Z", "{name}");
        assert_eq!(read.tables.len(), 1, "{name}");
        assert_eq!(read.tables[0].rows[1], ["Tea", "12", "2.50"], "{name}");
    }
}

#[test]
fn a_wide_cell_leaves_the_others_in_their_columns() {
    let cell = |text: &str| format!("<w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>");
    let wide = r#"<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>Wide</w:t></w:r></w:p></w:tc>"#;
    let rows = format!("<w:tr>{wide}{}</w:tr><w:tr>{}{}{}</w:tr>", cell("C"), cell("a"), cell("b"), cell("c"));
    let text = format!("<w:document><w:body><w:tbl>{rows}</w:tbl></w:body></w:document>");
    let read = extract(&super::bomb::docx(&[(text.as_str(), 1)]), "a.docx").unwrap();
    assert_eq!(read.tables[0].rows, [["Wide", "", "C"], ["a", "b", "c"]]);
}

#[test]
fn an_xlsx_gives_every_sheet_with_dates_shares_and_formulas() {
    for (name, total) in [("openpyxl.xlsx", "=B2*C2"), ("libreoffice.xlsx", "30")] {
        let read = fixture(name);
        let rows = &read.tables[0].rows;
        assert_eq!(rows[0], ["Item", "Units", "Price", "Total", "Sold", "Share", "Paid"], "{name}");
        assert_eq!(rows[1], ["Tea", "12", "2.5", total, "2026-01-02", "25.0%", "TRUE"], "{name}");
        assert_eq!(rows[6], ["2026-05-04 18:30:00"], "{name}");
        assert_eq!(read.tables[1].name.as_deref(), Some("Notes & more"), "{name}");
        assert_eq!(read.tables[1].rows[2], ["", "Grüße, 日本"], "{name}");
        assert_eq!(read.metadata["sheets"], json!(["Sales", "Notes & more", "Secret"]), "{name}");
        assert_eq!(read.metadata["hidden_sheets"], json!(["Secret"]), "{name}");
        assert!(blocks(&read).contains(&(Note, "B2: Check this")), "{name}");
        assert_eq!(
            (read.title.as_deref(), &read.metadata["author"]),
            (Some("Sales 2026"), &json!("Ada Meyer")),
            "{name}"
        );
    }
}

#[test]
fn a_pptx_gives_its_slides_in_order_with_notes() {
    let read = fixture("python-pptx.pptx");
    let found: Vec<_> = read.blocks.iter().map(|block| (block.kind, block.page, block.text.as_str())).collect();
    let wanted = [
        (Heading(1), Some(1), "Launch plan"),
        (Paragraph, Some(1), "Spring 2026"),
        (Heading(1), Some(2), "Steps"),
        (ListItem, Some(2), "Build it"),
        (ListItem, Some(2), "Ship it"),
        (Note, Some(2), "Say this slowly."),
        (Heading(1), Some(3), "Numbers"),
        (TableRow, Some(3), "Quarter\tRevenue"),
        (TableRow, Some(3), "Q4\t4.2"),
    ];
    assert_eq!(found, wanted);
    assert_eq!((read.pages, read.title.as_deref()), (Some(3), Some("Launch")));
}

#[test]
fn a_pdf_by_pdftex_gives_words_as_they_were_meant() {
    let read = fixture("pdftex.pdf");
    let found: Vec<_> = read.blocks.iter().map(|block| (block.kind, block.page, block.text.as_str())).collect();
    let long = "The efficient office offers fluffy waffles; this sentence is long enough to be broken over several lines, \
                with characteristically hyphenated incomprehensibilities and internationalization throughout.";
    let wanted = [
        (Heading(1), Some(1), "On Fluffy Affinities"),
        (Heading(3), Some(1), "Ada Meyer"),
        (Heading(3), Some(1), "March 2026"),
        (Heading(2), Some(1), "1 Introduction"),
        (Paragraph, Some(1), long),
        (Paragraph, Some(1), "A second paragraph begins here with an indent, and ends soon: Straße, café."),
        (Heading(2), Some(1), "2 Data"),
        (TableRow, Some(1), "Name\tUnits\tPrice"),
        (TableRow, Some(1), "Tea\t12\t2.50"),
        (TableRow, Some(1), "Cake\t7\t3.10"),
        (ListItem, Some(1), "• alpha item"),
        (ListItem, Some(1), "• beta item"),
        (Paragraph, Some(1), "1"),
        (Paragraph, Some(2), "Last page."),
        (Paragraph, Some(2), "2"),
    ];
    assert_eq!(found, wanted);
    assert_eq!((read.pages, &read.metadata["author"]), (Some(2), &json!("Ada Meyer")));
}

#[test]
fn a_pdf_printed_by_chromium_gives_text_in_several_scripts_and_a_table() {
    let read = fixture("chromium.pdf");
    assert_eq!((read.title.as_deref(), read.pages), (Some("Field notes"), Some(2)));
    let found = blocks(&read);
    assert_eq!(found[0], (Heading(1), "Field notes"));
    assert!(
        found[1].1.starts_with("The quick brown fox jumps over the lazy dog. Bold text and a fine affair of fjords.")
    );
    assert!(found[1].1.ends_with("one paragraph again when it is read."), "{}", found[1].1);
    assert_eq!(found[2..4], [(Heading(2), "Измерения"), (Paragraph, "Größe, Ελλάδα, Привет.")]);
    let rows = [["Site", "Depth", "Date"], ["North shore", "12.5", "2026-01-02"], ["South", "7", "2026-01-03"]];
    assert_eq!(read.tables[0].rows, rows);
    let last = read.blocks.last().unwrap();
    assert_eq!((last.text.as_str(), last.page), ("Second page text.", Some(2)));
}

#[test]
fn a_pdf_by_libreoffice_gives_lists_and_tables() {
    let read = fixture("libreoffice.pdf");
    let found = blocks(&read);
    for wanted in [
        (Heading(1), "Quarterly report"),
        (Paragraph, "Revenue rose to 4.2 million euros in Q4, Größe und Übermut, Ελλάδα, 日本語."),
        (ListItem, "• First point"),
        (ListItem, "1. Step one"),
        (TableRow, "Cake\t7\t3.10"),
    ] {
        assert!(found.contains(&wanted), "{wanted:?} in {found:?}");
    }
    assert_eq!(read.tables.len(), 1);
}

#[test]
fn an_encrypted_pdf_that_opens_without_a_password_is_read() {
    for name in ["open-aes256.pdf", "open-rc4.pdf"] {
        let read = fixture(name);
        assert_eq!(read.text(), "The efficient office offers flags — “quoted”. Straße.", "{name}");
    }
}

#[test]
fn what_needs_a_password_is_refused_with_what_to_do() {
    let error = extract(&bytes("locked.pdf"), "a.pdf").unwrap_err();
    assert_eq!(error.message(), "The PDF is protected by a password. Save it without one and try again.");
    let wide: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let locked = [&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..], &[0; 600], &wide].concat();
    let error = extract(&locked, "a.xlsx").unwrap_err();
    assert_eq!(error.message(), "The document is protected by a password. Save it without one and try again.");
}

#[test]
fn a_name_that_says_something_else_does_not_matter() {
    assert_eq!(extract(&bytes("openpyxl.xlsx"), "report.pdf").unwrap().kind.as_str(), "xlsx");
    assert_eq!(extract(&bytes("pdftex.pdf"), "").unwrap().kind.as_str(), "pdf");
    assert!(extract(b"", "a.txt").unwrap_err().message().contains("empty"));
}
