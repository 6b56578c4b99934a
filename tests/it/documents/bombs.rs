//! Bombs are refused, or read for what little they hold, by a process that the kernel gives 128 MB beside their own bytes.
//! Each refusal says what is wrong with the file, or of what reading it takes more than there is.

use std::{
    fs::Permissions,
    io::{Seek, Write},
    os::unix::fs::PermissionsExt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use satchel::{
    formats::payload::Form,
    host::workers::Readers,
    model::error::{Error, Kind},
    services::reading::Reader,
};

use super::bomb::{FONT, Pdf, docx, package, packed, packed_zeros, xlsx};
use crate::support::program::binary;

fn reader() -> Reader {
    Reader::new(&Readers::new(binary().into()))
}

/// Reads a bomb; the answer is the refusal, or the text.
fn defused(what: &str, bytes: &[u8], name: &str) -> String {
    match reader().text(bytes, name) {
        Ok(read) => read.text,
        Err(error) => {
            assert_eq!(error.kind(), Kind::Invalid, "{what}: {error}");
            error.message().to_owned()
        }
    }
}

#[test]
fn pages_and_tables_of_what_means_nothing() {
    for (what, piece, megabytes) in [
        ("less-than signs", "<", 4),
        ("ampersands", "&", 4),
        ("blanks between letters", "a ", 20),
        ("open tags", "<a>", 4),
    ] {
        let page = piece.repeat((megabytes << 20) / piece.len());
        let text = defused(what, page.as_bytes(), "a.html");
        assert!(piece == "<a>" || !text.is_empty(), "{what}");
    }
    let nested = "<d>".repeat(6 << 20);
    assert!(!defused("XML that never ends", nested.as_bytes(), "d.xml").is_empty());
    let after_wide = format!("{}\n{}", ",".repeat(200_000), "a\n".repeat(3_000_000));
    assert!(defused("rows after a wide one", after_wide.as_bytes(), "a.csv").contains("at most 16384 are read"));
    let after_less_wide = format!("{}\n{}", ",".repeat(16_000), "a\n".repeat(3_000_000));
    assert!(defused("rows after a less wide one", after_less_wide.as_bytes(), "a.csv").contains("MB of text"));
}

#[test]
fn packages_that_unpack_to_gigabytes() {
    let bomb = docx(&[("<w:document>", 1), (" ", 40 << 20)]);
    assert!(defused("a part of 40 MB", &bomb, "a.docx").contains("unpacks to more"));
    let runs = [
        ("<w:document><w:body>", 1),
        ("<w:p><w:r><w:t>text</w:t></w:r></w:p>", 400_000),
        ("</w:body></w:document>", 1),
    ];
    assert!(defused("400,000 paragraphs", &docx(&runs), "a.docx").contains("MB of text"));
    let rows = [
        ("<worksheet><sheetData>", 1),
        ("<row><c r=\"XFD1\" t=\"b\"><v>1</v></c></row>", 1_000),
        ("</sheetData></worksheet>", 1),
    ];
    assert!(defused("cells far to the right", &xlsx(&rows, &[("<sst/>", 1)]), "a.xlsx").contains("MB of memory"));
    let texts = [("<sst>", 1), ("<si><t>aaaaaaaa</t></si>", 400_000), ("</sst>", 1)];
    assert_eq!(defused("shared texts", &xlsx(&[("<worksheet/>", 1)], &texts), "a.xlsx"), "S");
    let names: Vec<String> = (0..60_000).map(|number| format!("word/{number}")).collect();
    let parts: Vec<(&str, &[(&str, usize)])> = names.iter().map(|name| (name.as_str(), &[][..])).collect();
    assert!(defused("60,000 parts", &package(&parts), "a.docx").contains("more than 50000 parts"));
}

#[test]
fn a_package_within_a_package_is_left_alone() {
    let inner = docx(&[("<w:document>", 1), (" ", 40 << 20)]);
    assert!(defused("the inner package", &inner, "a.docx").contains("unpacks to more"));
    let inner = String::from_utf8_lossy(&inner).into_owned();
    let text = [("<w:document><w:body><w:p><w:r><w:t>outer</w:t></w:r></w:p></w:body></w:document>", 1)];
    let outer = package(&[("word/document.xml", &text), ("word/embeddings/a.docx", &[(&inner, 1)])]);
    assert_eq!(defused("nested packages", &outer, "a.docx"), "outer");
}

#[test]
fn xml_that_defines_entities_or_has_no_bottom() {
    let laughs = "<!DOCTYPE a [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]>\
                  <w:document><w:body><w:p><w:r><w:t>&c;</w:t></w:r></w:p></w:body></w:document>";
    assert!(defused("a billion laughs", &docx(&[(laughs, 1)]), "a.docx").contains("defines entities"));
    let outside = "<!DOCTYPE a [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><w:document>&a;</w:document>";
    assert!(defused("an entity from outside", &docx(&[(outside, 1)]), "a.docx").contains("defines entities"));
    assert!(defused("a deep part", &docx(&[("<a>", 1_000_000)]), "a.docx").contains("256 deep"));
    let attributes = [("<w:document ", 1), ("a='1' ", 1_000_000), ("/>", 1)];
    defused("an element of a million attributes", &docx(&attributes), "a.docx");
}

#[test]
fn streams_of_a_pdf_that_unpack_to_gigabytes() {
    let bomb = Pdf::default().page(&packed_zeros(100), "/Filter /FlateDecode", "");
    assert!(defused("a page of 100 MB", &bomb, "a.pdf").contains("unpacks to more"));
    let twice = packed(&packed_zeros(100), 2);
    let bomb = Pdf::default().page(&twice, "/Filter [/FlateDecode /FlateDecode /FlateDecode]", "");
    assert!(defused("a page packed three times", &bomb, "a.pdf").contains("unpacks to more"));
    let mut pdf = Pdf::default();
    let bomb = packed_zeros(60);
    pdf.stream("/Type /ObjStm /N 1000 /First 10 /Filter /FlateDecode", &bomb);
    defused("a stream of objects", &pdf.page(b"", "", ""), "a.pdf");
    let page = |program: String| Pdf::default().page(&packed(program.as_bytes(), 1), "/Filter /FlateDecode", FONT);
    let bomb = page("BT /F 9 Tf ".to_owned() + &*"(a) Tj 1 12 Td ".repeat(200_000) + "ET");
    assert!(defused("a page of 200,000 lines", &bomb, "a.pdf").contains("MB of text"));
    // They are passed over: no page that people see has an operator with so many.
    let bomb = page("BT /F 9 Tf [".to_owned() + &*"0 ".repeat(2_000_000) + "] TJ (text) Tj ET");
    assert_eq!(defused("an array of two million numbers", &bomb, "a.pdf"), "text");
    let bomb = Pdf::default().page(" ".repeat(40 << 20).as_bytes(), "", "");
    assert!(defused("a page of 40 MB that is not packed", &bomb, "a.pdf").contains("unpacks to more"));
    let mut pdf = Pdf::default();
    pdf.stream("/Subtype /Image /Filter /DCTDecode", " ".repeat(8 << 20).as_bytes());
    let bomb = pdf.page("/X Do ".repeat(2_000).as_bytes(), "", "/XObject << /X 1 0 R >>");
    assert_eq!(defused("a picture that is shown 2,000 times", &bomb, "a.pdf"), "");
}

/// A program that asks for a font.
const USE: &[u8] = b"BT /F 9 Tf (text) Tj ET";

#[test]
fn pdfs_that_go_round_in_circles() {
    let mut pdf = Pdf::default();
    pdf.add("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.add("<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Parent 3 0 R >>");
    pdf.add("<< /Type /Pages /Kids [2 0 R 3 0 R] >>");
    assert_eq!(defused("a tree of pages that is a circle", &pdf.end(1), "a.pdf"), "");
    let mut pdf = Pdf::default();
    pdf.stream("/Type /XObject /Subtype /Form /Resources << /XObject << /X 1 0 R >> >>", b"/X Do /X Do");
    assert_eq!(defused("a form that shows itself", &pdf.page(b"/X Do", "", "/XObject << /X 1 0 R >>"), "a.pdf"), "");
    let mut pdf = Pdf::default();
    for inner in 2..12 {
        let resources = format!("/Subtype /Form /Resources << /XObject << /X {inner} 0 R >> >>");
        pdf.stream(&resources, "/X Do ".repeat(30).as_bytes());
    }
    let bomb = pdf.page(b"/X Do", "", "/XObject << /X 1 0 R >>");
    assert!(defused("forms that show one another 30 times", &bomb, "a.pdf").contains("refused"));
    let mut pdf = Pdf::default();
    pdf.add("2 0 R");
    pdf.add("1 0 R");
    assert_eq!(defused("references in a circle", &pdf.page(USE, "", "/Font 1 0 R"), "a.pdf"), "text");
    let mut pdf = Pdf::default();
    pdf.add("<< /Length 1 0 R >>\nstream\nx\nendstream");
    defused("a length that is its own stream", &pdf.page(USE, "", "/Font 1 0 R"), "a.pdf");
    let end = "%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Prev 9 >>\nstartxref\n9\n%%EOF";
    assert!(defused("a table that is its own predecessor", end.as_bytes(), "a.pdf").contains("damaged"));
}

#[test]
fn pdfs_of_too_many_pieces() {
    let table = "%PDF-1.4\nxref\n0 4294967295\n".to_owned()
        + &*"0000000009 00000 n \n".repeat(510_000)
        + "trailer\n<<>>\nstartxref\n9\n%%EOF";
    assert!(defused("a table of 510,000 entries", table.as_bytes(), "a.pdf").contains("damaged"));
    let many = "%PDF-1.4\n".to_owned() + &*"1 0 obj\n[]\nendobj\n".repeat(300_000);
    assert!(defused("300,000 objects of one number", many.as_bytes(), "a.pdf").contains("damaged"));
    let mut pdf = Pdf::default();
    pdf.add("[".repeat(300_000));
    assert_eq!(defused("a deep array", &pdf.page(USE, "", "/Font 1 0 R"), "a.pdf"), "text");
    let mut pdf = Pdf::default();
    pdf.add("[".to_owned() + &*"[] ".repeat(450_000) + "]");
    assert_eq!(defused("a wide array", &pdf.page(USE, "", "/Font 1 0 R"), "a.pdf"), "text");
    let map = "1 beginbfrange <0000> <ffff> <0041> endbfrange ".repeat(200_000);
    let mut pdf = Pdf::default();
    pdf.stream("/Filter /FlateDecode", &packed(map.as_bytes(), 1));
    let font = "/Font << /F << /Type /Font /Subtype /Type0 /ToUnicode 1 0 R /Encoding /Identity-H >> >>";
    defused("a map of 200,000 ranges", &pdf.page(b"BT /F 9 Tf <0001> Tj ET", "", font), "a.pdf");
    let mut pdf = Pdf::default();
    pdf.add("<< /A [ ] /B ] /C ) } > /Type /Font ]");
    assert_eq!(defused("brackets out of place", &pdf.page(USE, "", "/Font << /F 1 0 R >>"), "a.pdf"), "text");
    let mut pdf = Pdf::default();
    let many: String = (0..100_000).map(|number| format!("/F{number} 9 ")).collect();
    pdf.add(format!("<< {many} >>"));
    let bomb = pdf.page(many.replace("9 ", "9 Tf ").as_bytes(), "", "/Font 1 0 R");
    assert_eq!(defused("100,000 fonts", &bomb, "a.pdf"), "");
}

#[test]
fn a_mark_that_is_shown_often_is_no_bomb() {
    let mut pdf = Pdf::default();
    pdf.stream("/Subtype /Form", b"0 0 m 1 1 l S");
    let program = "1 0 0 1 2 2 cm /X Do ".repeat(60_000) + "BT /F 9 Tf (a chart) Tj ET";
    let chart = pdf.page(program.as_bytes(), "", &format!("{FONT} /XObject << /X 1 0 R >>"));
    assert_eq!(defused("a chart of 60,000 marks", &chart, "a.pdf"), "a chart");
}

#[test]
fn a_torn_pdf_that_unpacks_to_too_much_while_it_is_mended_is_ended_by_the_kernel() {
    let mut pdf = Pdf::default();
    pdf.stream("/Type /ObjStm /N 1000 /First 10 /Filter /FlateDecode", &packed_zeros(300));
    let mut torn = pdf.page(b"", "", "");
    torn.truncate(torn.windows(6).rposition(|word| word == b"xref\n0").unwrap());
    let error = reader().text(&torn, "a.pdf").unwrap_err();
    assert!(error.message().contains("MB of memory"), "{error}");
}

#[test]
fn pdfs_whose_objects_never_end() {
    for open in ["obj<</Length 9>>stream\n", "obj(", "obj<", "obj%", "obj[", "obj<</A", "obj<</A (", "obj "] {
        let ends: String = (1..100_000).map(|number| format!("{number} 0 {open}")).collect();
        defused(&format!("objects that never end: {open:?}"), format!("%PDF-1.4\n{ends}").as_bytes(), "a.pdf");
    }
}

#[test]
fn texts_made_to_hang() {
    assert!(defused("a deep JSON", "[".repeat(200_000).as_bytes(), "a.json").contains("recursion limit"));
    for (what, piece) in [("zeros", "0,"), ("objects", "{},"), ("lists", "[["), ("names", "{\"a\":0},")] {
        let json = format!("[{}0]", piece.repeat(15_000_000 / piece.len()));
        assert!(defused(&format!("a JSON of {what}"), json.as_bytes(), "a.json").contains("values"), "{what}");
    }
    for (what, piece) in [("few zeros", "0,"), ("few objects", "{},"), ("few names", "{\"a\":0},")] {
        let json = format!("[{}0]", piece.repeat(80_000));
        defused(&format!("a JSON of {what}"), json.as_bytes(), "a.json");
    }
    let lines = "0\n".repeat(7_000_000);
    assert!(defused("a JSON in short lines", lines.as_bytes(), "a.jsonl").contains("values"));
    assert!(defused("a large JSON", "[".repeat(20_000_000).as_bytes(), "a.json").contains("values"));
    defused("a page of open tags", "<div><table><td>".repeat(400_000).as_bytes(), "a.html");
    defused("a page of formats", "<b id=1><i><p>".repeat(400_000).as_bytes(), "a.html");
    defused("deep quotes", "> ".repeat(300_000).as_bytes(), "a.md");
    defused("deep lists", (0..2_000).map(|depth| " ".repeat(depth) + "- a\n").collect::<String>().as_bytes(), "a.md");
    defused("links without end", "[a](<b".repeat(300_000).as_bytes(), "a.md");
    defused("emphasis without end", "*a **a ".repeat(300_000).as_bytes(), "a.md");
    defused("one quote", format!("\"{}", "a,b\n".repeat(4_000_000)).as_bytes(), "a.csv");
    assert!(defused("many columns", ",".repeat(1_000_000).as_bytes(), "a.csv").contains("at most 16384 are read"));
    defused("a large cell", format!("\"{}", "a,b\n".repeat(190_000)).as_bytes(), "a.csv");
    assert!(defused("columns", ",".repeat(20_000_000).as_bytes(), "a.csv").contains("MB of memory"));
    assert!(defused("lines", "a\n\n".repeat(9_000_000).as_bytes(), "a.txt").contains("MB of text"));
}

#[test]
fn a_replacement_that_would_fill_the_memory_is_refused() {
    let text =
        [("<w:document><w:body><w:p><w:r><w:t>", 1), ("a", 1_000_000), ("</w:t></w:r></w:p></w:body></w:document>", 1)];
    let error = reader().replace(&docx(&text), "a".to_owned(), "b".repeat(1_000)).unwrap_err();
    assert!(error.message().contains("MB of memory"), "{error}");
}

#[test]
fn pages_that_nest_without_end_are_read_as_text() {
    let address = "https://a.example/".parse().unwrap();
    let formats: String = (0..30_000).map(|number| format!("<p><b x={number}>a</i>")).collect();
    let pages = [
        ("paragraphs, entries and cells", "<p>a<li>b<td>c".repeat(33_000)),
        ("formats that are opened again", formats),
        ("lists", format!("a{}", "<ul><li>".repeat(40_000))),
    ];
    for (what, page) in pages {
        for article in [true, false] {
            let read = reader().page(page.as_bytes(), None, &address, article);
            assert!(
                read.as_ref().is_ok_and(|read| read.markdown.contains('a')),
                "{what}: {:.200}",
                format!("{read:?}")
            );
        }
        let read = reader().article(|| Ok(page.as_bytes()), "a.html", None);
        assert!(read.as_ref().is_ok_and(|read| !read.blocks.is_empty()), "{what}: {:.200}", format!("{read:?}"));
        defused(what, page.as_bytes(), "a.html");
    }
}

#[test]
fn a_page_that_takes_too_much_is_read_as_text() {
    // A reader that has used its time before it begins with a page, and is itself for all else.
    let script = format!(
        "#!/bin/sh\nread -r head\ncase $head in *'\"plain\":false'*) kill -XCPU $$;; esac\n\
         {{ printf '%s\\n' \"$head\"; cat; }} | {} \"$@\"\n",
        binary()
    );
    let mut program = tempfile::Builder::new().permissions(Permissions::from_mode(0o700)).tempfile().unwrap();
    program.write_all(script.as_bytes()).unwrap();
    // Closed: what is open for writing does not run.
    let program = program.into_temp_path();
    let reader = Reader::new(&Readers::new(program.to_path_buf()));
    let page = b"<html><title>Open</title><body><p>a<li>b</body>";
    let read = reader.page(page, None, &"https://a.example/".parse().unwrap(), true).unwrap();
    assert_eq!((read.title.as_deref(), read.markdown.contains('b')), (Some("Open"), true), "{read:?}");
    let article = reader.article(|| Ok(page.as_slice()), "a.html", None).unwrap();
    assert_eq!(article.title.as_deref(), Some("Open"));
}

#[test]
fn what_nests_too_deeply_for_an_answer_is_refused_in_words() {
    let reader = reader();
    let rows = format!("<a>{}{}</a>", "<b>".repeat(150), "</b>".repeat(150));
    match reader.payload(rows.as_bytes(), Some("application/xml")) {
        Ok((form, _)) => assert_eq!(form, Form::Text),
        Err(error) => assert!(error.message().contains("nests something more deeply"), "{error}"),
    }
}

#[test]
fn a_file_that_becomes_shorter_while_it_is_read_is_told_so() {
    let reader = reader();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"ten bytes.").unwrap();
    file.rewind().unwrap();
    let error = reader.document((file, 20), "a.txt").unwrap_err();
    assert!(error.message().contains("became shorter"), "{error}");
}

#[test]
fn a_large_answer_takes_room_before_it_is_parsed() {
    let asked = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&asked);
    let reader = reader().taking_room(move |bytes| {
        seen.store(bytes, Ordering::Relaxed);
        Err(Error::new(Kind::Busy, "none left"))
    });
    let table = format!("{}\n{}", "n".repeat(1_000), "1\n".repeat(1_000));
    assert_eq!(reader.payload(table.as_bytes(), Some("text/csv")).unwrap_err().kind(), Kind::Busy);
    assert!(asked.load(Ordering::Relaxed) > 1_000_000);
    reader.payload(b"a\n1\n", Some("text/csv")).unwrap();
}
