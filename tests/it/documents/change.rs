//! Documents that are made, and documents of others that are changed: what was asked for is there, all else as it was.

use std::io::{Cursor, Read};

use chrono::{DateTime, Utc};
use satchel::formats::{
    convert,
    create::{self, NewSheet},
    extracted::BlockKind::{Heading, Note, Paragraph, TableRow},
    modify::{self, Update},
};
use serde_json::{Value, json};
use zip::ZipArchive;

use super::fixture::{blocks, bytes, extract, fixture};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_770_000_000, 0).unwrap()
}

fn update(sheet: &str, cell: &str, value: Value) -> Update {
    Update { sheet: sheet.to_owned(), cell: cell.to_owned(), value }
}

/// The packed bytes of every part.
fn parts(package: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(package)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index_raw(index).unwrap();
            let mut packed = Vec::new();
            file.read_to_end(&mut packed).unwrap();
            (file.name().unwrap().into_owned(), packed)
        })
        .collect()
}

/// The names of the parts that are not the same, bit for bit.
fn changed(before: &[u8], after: &[u8]) -> Vec<String> {
    let (before, after) = (parts(before), parts(after));
    assert_eq!(before.len(), after.len());
    before.into_iter().zip(after).filter(|(before, after)| before != after).map(|(before, _)| before.0).collect()
}

#[test]
fn what_is_made_reads_as_it_was_meant() {
    let paragraphs =
        ["Grüße & <Küsse>.".to_owned(), "one\rtwo\tthree".to_owned(), "Ελληνικά, Русский, שלום עולם!".to_owned()];
    for (name, made) in [
        ("a.docx", create::docx("A & B", &paragraphs, now()).unwrap()),
        ("a.pdf", create::pdf("A & B", &paragraphs, &[], now()).unwrap()),
    ] {
        let read = extract(&made, name).unwrap();
        let found: Vec<String> = read.blocks.iter().map(|block| block.text.replace('\n', " ")).collect();
        assert_eq!(found, ["A & B", "Grüße & <Küsse>.", "one two three", "Ελληνικά, Русский, שלום עולם!"], "{name}");
        assert_eq!(read.blocks[0].kind, Heading(1), "{name}");
        assert_eq!(read.title.as_deref(), Some("A & B"), "{name}");
        assert!(read.metadata["created"].as_str().unwrap().starts_with("2026-02-02T"), "{name}: {:?}", read.metadata);
    }
}

#[test]
fn a_long_pdf_has_pages_and_loses_no_word() {
    let text: Vec<String> = (0..3_000).map(|number| format!("word{number}")).collect();
    let made = create::pdf("Long", &[text.join(" "), "x".repeat(500)], &[], now()).unwrap();
    let read = extract(&made, "a.pdf").unwrap();
    assert!(read.pages.unwrap() > 3, "{:?}", read.pages);
    let words: Vec<String> = read.text().split_whitespace().map(str::to_owned).collect();
    let wanted: Vec<String> = std::iter::once("Long".to_owned()).chain(text).collect();
    assert_eq!(words[..wanted.len()], wanted);
    assert_eq!(words[wanted.len()..].concat(), "x".repeat(500));
}

#[test]
fn characters_without_a_font_are_named() {
    let error = create::pdf("日本", &[], &[], now()).unwrap_err();
    assert!(error.message().starts_with("No font here has the characters '日', '本'."), "{error}");
    let missing = create::missing_from_fonts("a", &["b 語".to_owned()], &[]).unwrap();
    assert_eq!(missing.into_iter().collect::<String>(), "語");
}

#[test]
fn a_workbook_is_made_with_types_and_formulas() {
    let rows = vec![
        vec![json!("Item"), json!("Units"), json!("Total")],
        vec![json!("Käse"), json!(3), json!("=B2*2")],
        vec![json!(true), json!(null), json!(0.1)],
    ];
    let sheets = [NewSheet { name: "A & B".to_owned(), rows }, NewSheet { name: "Zwei".to_owned(), rows: vec![] }];
    let made = create::xlsx("Prices", &sheets, now()).unwrap();
    let read = extract(&made, "a.xlsx").unwrap();
    assert_eq!(
        read.tables[0].rows,
        [vec!["Item", "Units", "Total"], vec!["Käse", "3", "=B2*2"], vec!["TRUE", "", "0.1"]]
    );
    assert_eq!((read.title.as_deref(), &read.metadata["sheets"]), (Some("Prices"), &json!(["A & B", "Zwei"])));
    let refused = |names: &[&str]| {
        let sheets: Vec<NewSheet> =
            names.iter().map(|name| NewSheet { name: (*name).to_owned(), rows: vec![] }).collect();
        create::xlsx("x", &sheets, now()).unwrap_err().message().to_owned()
    };
    assert!(refused(&["a/b"]).contains("holds one of the characters"));
    assert!(refused(&["a", "A"]).contains("Two sheets are named"));
    assert!(refused(&[""]).contains("needs a name"));
    assert!(refused(&[]).contains("needs a sheet"));
}

#[test]
fn paragraphs_are_added_behind_the_last_and_other_parts_stay_bit_for_bit() {
    for name in ["python-docx.docx", "libreoffice.docx"] {
        let before = bytes(name);
        let after = modify::append(&before, &["Added & <so>.".to_owned(), "Zwei".to_owned()]).unwrap();
        let read = extract(&after, name).unwrap();
        let text: Vec<(_, &str)> = blocks(&read).into_iter().filter(|(kind, _)| *kind != Note).collect();
        let was = fixture(name);
        let mut wanted: Vec<(_, &str)> = blocks(&was).into_iter().filter(|(kind, _)| *kind != Note).collect();
        wanted.extend([(Paragraph, "Added & <so>."), (Paragraph, "Zwei")]);
        assert_eq!(text, wanted, "{name}");
        assert_eq!(changed(&before, &after), ["word/document.xml"], "{name}");
    }
}

#[test]
fn a_text_over_several_runs_is_replaced_and_keeps_its_format() {
    for name in ["python-docx.docx", "libreoffice.docx"] {
        let before = bytes(name);
        let (after, count) = modify::replace(&before, "4.2 million", "5.7 Billionen").unwrap();
        let read = extract(&after, name).unwrap();
        assert_eq!(count, 1, "{name}");
        assert!(read.text().contains("Revenue rose to 5.7 Billionen euros in Q4"), "{name}: {}", read.text());
        assert_eq!(changed(&before, &after), ["word/document.xml"], "{name}");
        let mut archive = ZipArchive::new(Cursor::new(&after)).unwrap();
        let mut part = String::new();
        archive.by_name("word/document.xml").unwrap().read_to_string(&mut part).unwrap();
        let run = part.split("<w:r>").find(|run| run.contains("5.7 Billionen")).unwrap();
        assert!(run.contains("<w:b"), "{name}: {run}");
    }
}

#[test]
fn headers_and_tables_are_replaced_too() {
    let before = bytes("python-docx.docx");
    let (after, count) = modify::replace(&before, "Confidential", "Public").unwrap();
    let (after, more) = modify::replace(&after, "Cake", "Kuchen").unwrap();
    let read = extract(&after, "a.docx").unwrap();
    assert_eq!((count, more), (1, 1));
    assert!(
        blocks(&read).contains(&(Note, "Public, draft 3")) && blocks(&read).contains(&(TableRow, "Kuchen\t7\t3.10"))
    );
    let error = modify::replace(&before, "no such text", "x").unwrap_err();
    assert!(error.message().contains("does not occur"), "{error}");
}

#[test]
fn cells_change_and_styles_charts_and_comments_stay() {
    for name in ["openpyxl.xlsx", "libreoffice.xlsx"] {
        let before = bytes(name);
        let updates = [
            update("Sales", "B2", json!(100)),
            update("Sales", "A3", json!("Kuchen & <so>")),
            update("Sales", "E2", json!(46_100)),
            update("sales", "H4", json!("=SUM(B2:B4)")),
            update("Sales", "A20", json!(false)),
            update("Sales", "C4", json!(null)),
            update("Notes & more", "C1", json!("neu")),
        ];
        let after = modify::update_cells(&before, &updates).unwrap();
        let read = extract(&after, name).unwrap();
        let rows = &read.tables[0].rows;
        // The date keeps its format, and a formula shows itself until somebody computes it.
        assert_eq!(rows[1][..6], ["Tea", "100", "2.5", "=B2*C2", "2026-03-19", "25.0%"], "{name}");
        assert_eq!(
            (rows[2][0].as_str(), rows[3][2].as_str(), rows[3][7].as_str()),
            ("Kuchen & <so>", "", "=SUM(B2:B4)"),
            "{name}"
        );
        assert_eq!(rows[19], ["FALSE"], "{name}");
        assert_eq!(read.tables[1].rows[0], ["", "", "neu"], "{name}");
        let kept = ["xl/styles.xml", "xl/charts/chart1.xml", "xl/drawings/drawing1.xml"];
        let touched = changed(&before, &after);
        assert!(kept.iter().all(|part| !touched.contains(&(*part).to_owned())), "{name}: {touched:?}");
        assert!(parts(&after).iter().any(|(part, _)| part.starts_with("xl/charts/")), "{name}");
        assert!(blocks(&read).contains(&(Note, "B2: Check this")), "{name}");
    }
}

#[test]
fn a_wrong_cell_or_sheet_is_named_and_changes_nothing() {
    let book = bytes("openpyxl.xlsx");
    let message = |sheet: &str, cell: &str, value: Value| {
        modify::update_cells(&book, &[update(sheet, cell, value)]).unwrap_err().message().to_owned()
    };
    assert_eq!(
        message("Nope", "A1", json!(1)),
        "There is no sheet 'Nope'. The workbook has: Sales, Notes & more, Secret."
    );
    assert_eq!(message("Sales", "A0", json!(1)), "'A0' is no cell. Write it as B3.");
    assert!(message("Sales", "A1", json!([1])).contains("A cell's value is"));
    assert!(message("Sales", "A1", json!("x".repeat(40_000))).contains("at most 32767"));
}

#[test]
fn a_large_workbook_is_made_changed_and_read() {
    let rows = (0..25_000).map(|row| vec![json!(row), json!(format!("t{row}")), json!(null), json!(row % 7)]).collect();
    let sheets =
        [NewSheet { name: "S".to_owned(), rows }, NewSheet { name: "F".to_owned(), rows: vec![vec![json!("=S!A1")]] }];
    let made = create::xlsx("Large", &sheets, now()).unwrap();
    let updates: Vec<Update> = (1..=10_000).map(|row| update("S", &format!("C{row}"), json!(row))).collect();
    let after = modify::update_cells(&made, &updates).unwrap();
    let read = extract(&after, "a.xlsx").unwrap();
    assert_eq!(read.tables[0].rows[9_999], ["9999", "t9999", "10000", "3"]);
    assert_eq!((read.tables[0].rows.len(), read.tables[1].rows[0][0].as_str()), (25_000, "=S!A1"));
}

#[test]
fn long_numbers_lose_no_digit() {
    let long = json!(12_345_678_901_234_567_890_u64);
    let rows = vec![vec![json!(4_111_111_111_111_111_u64), long.clone(), json!(0.1), json!(-3)]];
    let made = create::xlsx("A", &[NewSheet { name: "S".to_owned(), rows }], now()).unwrap();
    let updates =
        [update("S", "A2", json!(4_111_111_111_111_111_u64)), update("S", "B2", long), update("S", "C2", json!(1e-7))];
    let after = modify::update_cells(&made, &updates).unwrap();
    let read = extract(&after, "a.xlsx").unwrap();
    assert_eq!(
        read.tables[0].rows,
        [
            vec!["4111111111111111", "12345678901234567890", "0.1", "-3"],
            vec!["4111111111111111", "12345678901234567890", "0.0000001"],
        ]
    );
}

#[test]
fn merged_pages_stand_in_the_order_of_their_files() {
    let files = ["pdftex.pdf", "chromium.pdf", "open-aes256.pdf", "libreoffice.pdf"];
    let (merged, pages) = modify::merge(files.map(bytes).into()).unwrap();
    let read = extract(&merged, "a.pdf").unwrap();
    assert_eq!((pages, read.pages), (7, Some(7)));
    assert_eq!(read.title.as_deref(), Some("On Fluffy Affinities"));
    let on_page = |page: u32, text: &str| {
        let found = read.blocks.iter().any(|block| block.page == Some(page) && block.text.contains(text));
        assert!(found, "'{text}' on page {page}");
    };
    on_page(1, "efficient office offers fluffy waffles");
    on_page(2, "Last page.");
    on_page(3, "Field notes");
    on_page(4, "Second page text.");
    on_page(5, "“quoted”");
    on_page(6, "日本語");
    on_page(7, "After the break.");
    let error = modify::merge(vec![bytes("chromium.pdf"), bytes("locked.pdf")]).unwrap_err();
    assert_eq!(error.message(), "File 2: The PDF is protected by a password. Save it without one and try again.");
}

#[test]
fn operations_of_another_format_are_refused() {
    let error = modify::append(&bytes("chromium.pdf"), &[]).unwrap_err();
    assert_eq!(error.message(), "`append` works on DOCX files, and this one is pdf.");
    let error = modify::merge(vec![bytes("openpyxl.xlsx")]).unwrap_err();
    assert_eq!(error.message(), "`merge` works on PDF files, and this one is xlsx.");
    let error = convert::csv(&bytes("chromium.pdf"), None).unwrap_err();
    assert_eq!(error.message(), "Only an XLSX becomes CSV, and this file is pdf.");
}

#[test]
fn sheets_become_csv_with_dates_and_quotes() {
    let all = convert::csv(&bytes("libreoffice.xlsx"), None).unwrap();
    let names: Vec<&str> = all.iter().map(|sheet| sheet.name.as_str()).collect();
    assert_eq!(names, ["Sales", "Notes & more", "Secret"]);
    let lines: Vec<&str> = all[0].csv.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "Item,Units,Price,Total,Sold,Share,Paid",
            "Tea,12,2.5,30,2026-01-02,25.0%,TRUE",
            "Cake,7,3.1,21.7,2026-01-03,37.5%,TRUE"
        ]
    );
    assert_eq!(all[1].csv, ",\n,\n,\"Grüße, 日本\"\n");
    let one = convert::csv(&bytes("libreoffice.xlsx"), Some("secret")).unwrap();
    assert_eq!((one.len(), one[0].csv.as_str()), (1, "hidden\n"));
    let error = convert::csv(&bytes("libreoffice.xlsx"), Some("x")).unwrap_err();
    assert_eq!(error.message(), "There is no such sheet. The workbook has: Sales, Notes & more, Secret.");
}

#[test]
fn a_formula_that_others_share_can_be_overwritten() {
    let sheet = "<worksheet><sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f t=\"shared\" ref=\"B1:B2\" si=\"0\">A1*2</f><v>2</v></c></row>\
                 <row r=\"2\"><c r=\"A2\"><v>5</v></c><c r=\"B2\"><f t=\"shared\" si=\"0\"/><v>10</v></c></row></sheetData></worksheet>";
    let book = super::bomb::xlsx(&[(sheet, 1)], &[("<sst/>", 1)]);
    let after = modify::update_cells(&book, &[update("S", "B1", json!("new"))]).unwrap();
    assert_eq!(extract(&after, "a.xlsx").unwrap().tables[0].rows, [["1", "new"], ["5", "=A2*2"]]);
    let array = "<worksheet><sheetData><row r=\"1\"><c r=\"A1\"><f t=\"array\" ref=\"A1:A2\">B1:B2</f></c></row></sheetData></worksheet>";
    let book = super::bomb::xlsx(&[(array, 1)], &[("<sst/>", 1)]);
    let error = modify::update_cells(&book, &[update("S", "A2", json!(1))]).unwrap_err();
    assert!(error.message().starts_with("A2 belongs to an array formula"), "{error}");
}
