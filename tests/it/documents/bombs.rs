//! Bombs are refused, or read for what little they hold, in less than two seconds and 128 MB.

#![expect(clippy::disallowed_methods, reason = "a test looks at its own memory")]

use std::time::{Duration, Instant};

use super::{
    bomb::{FONT, Pdf, docx, package, packed, packed_zeros, xlsx},
    fixture::extract,
};

/// Without optimisation everything takes many times as long.
const TIME: Duration = if cfg!(debug_assertions) { Duration::from_secs(40) } else { Duration::from_secs(2) };

/// Most memory of the whole process, in KB; tests have one of their own each.
const MEMORY: usize = 128 * 1024;

fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Reads a bomb; the answer is the refusal, or the text.
fn defused(what: &str, bytes: &[u8], name: &str) -> String {
    // From here on the peak is that of the reading.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let begun = Instant::now();
    let answer = extract(bytes, name);
    let (took, peak) = (begun.elapsed(), peak());
    println!("{what}: {} bytes, {took:.0?}, {} MB", bytes.len(), peak / 1024);
    assert!(took < TIME, "{what} took {took:?}");
    assert!(peak < MEMORY, "{what} took {} MB", peak / 1024);
    match answer {
        Ok(read) => read.text(),
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn packages_that_unpack_to_gigabytes() {
    let bomb = docx(&[("<w:document>", 1), (" ", 150 << 20)]);
    assert!(defused("a part of 150 MB", &bomb, "a.docx").contains("unpacks to more"));
    let runs = [
        ("<w:document><w:body>", 1),
        ("<w:p><w:r><w:t>text</w:t></w:r></w:p>", 800_000),
        ("</w:body></w:document>", 1),
    ];
    assert!(defused("800,000 paragraphs", &docx(&runs), "a.docx").contains("MB of text"));
    let rows = [
        ("<worksheet><sheetData>", 1),
        ("<row><c r=\"XFD1\" t=\"b\"><v>1</v></c></row>", 700_000),
        ("</sheetData></worksheet>", 1),
    ];
    assert!(defused("cells far to the right", &xlsx(&rows, &[("<sst/>", 1)]), "a.xlsx").contains("MB of text"));
    let texts = [("<sst>", 1), ("<si><t>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</t></si>", 600_000), ("</sst>", 1)];
    assert!(defused("shared texts", &xlsx(&[("<worksheet/>", 1)], &texts), "a.xlsx").contains("MB of text"));
    let names: Vec<String> = (0..60_000).map(|number| format!("word/{number}")).collect();
    let parts: Vec<(&str, &[(&str, usize)])> = names.iter().map(|name| (name.as_str(), &[][..])).collect();
    assert!(defused("60,000 parts", &package(&parts), "a.docx").contains("more than 50000 parts"));
}

#[test]
fn a_package_within_a_package_is_left_alone() {
    let inner = docx(&[("<w:document>", 1), (" ", 200 << 20)]);
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
    assert!(defused("a deep part", &docx(&[("<a>", 5_000_000)]), "a.docx").contains("256 deep"));
    let attributes = [("<w:document ", 1), ("a='1' ", 4_000_000), ("/>", 1)];
    defused("an element of four million attributes", &docx(&attributes), "a.docx");
}

#[test]
fn streams_of_a_pdf_that_unpack_to_gigabytes() {
    let bomb = Pdf::default().page(&packed_zeros(300), "/Filter /FlateDecode", "");
    assert!(defused("a page of 300 MB", &bomb, "a.pdf").contains("unpacks to more"));
    let twice = packed(&packed_zeros(300), 2);
    let bomb = Pdf::default().page(&twice, "/Filter [/FlateDecode /FlateDecode /FlateDecode]", "");
    assert!(defused("a page packed three times", &bomb, "a.pdf").contains("unpacks to more"));
    let mut pdf = Pdf::default();
    let bomb = packed_zeros(60);
    pdf.stream("/Type /ObjStm /N 1000 /First 10 /Filter /FlateDecode", &bomb);
    defused("a stream of objects", &pdf.page(b"", "", ""), "a.pdf");
    let many = "BT /F 9 Tf ".to_owned() + &"(abcdefgh) Tj 1 2 Td ".repeat(1_400_000) + "ET";
    let bomb = Pdf::default().page(&packed(many.as_bytes(), 1), "/Filter /FlateDecode", FONT);
    assert!(defused("a page of eleven million letters", &bomb, "a.pdf").contains("refused") || many.len() > 29 << 20);
    let array = "[".to_owned() + &"0 ".repeat(10_000_000) + "] TJ";
    let bomb = Pdf::default().page(&packed(array.as_bytes(), 1), "/Filter /FlateDecode", FONT);
    defused("an array of ten million numbers", &bomb, "a.pdf");
}

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
    assert!(defused("forms that show one another 30 times", &bomb, "a.pdf").contains("unpacks to more"));
    let mut pdf = Pdf::default();
    pdf.add("2 0 R");
    pdf.add("1 0 R");
    assert_eq!(defused("references in a circle", &pdf.page(b"", "", "/Font 1 0 R"), "a.pdf"), "");
    let mut pdf = Pdf::default();
    pdf.add("<< /Length 1 0 R >>\nstream\nx\nendstream");
    defused("a length that is its own stream", &pdf.page(b"", "", "/Font 1 0 R"), "a.pdf");
    let end = "%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Prev 9 >>\nstartxref\n9\n%%EOF";
    assert!(defused("a table that is its own predecessor", end.as_bytes(), "a.pdf").contains("damaged"));
}

#[test]
fn pdfs_of_too_many_pieces() {
    let table = "%PDF-1.4\nxref\n0 4294967295\n".to_owned()
        + &"0000000009 00000 n \n".repeat(600_000)
        + "trailer\n<<>>\nstartxref\n9\n%%EOF";
    assert!(defused("a table of 600,000 entries", table.as_bytes(), "a.pdf").contains("objects"));
    let many = "%PDF-1.4\n".to_owned() + &"1 0 obj\n[]\nendobj\n".repeat(1_000_000);
    assert!(defused("a million objects", many.as_bytes(), "a.pdf").contains("damaged"));
    let mut pdf = Pdf::default();
    pdf.add("[".repeat(3_000_000));
    assert_eq!(defused("a deep array", &pdf.page(b"", "", "/Font 1 0 R"), "a.pdf"), "");
    let mut pdf = Pdf::default();
    pdf.add("[".to_owned() + &"[] ".repeat(3_000_000) + "]");
    assert!(defused("a wide array", &pdf.page(b"", "", "/Font 1 0 R"), "a.pdf").contains("pieces"));
    let map = "1 beginbfrange <0000> <ffff> <0041> endbfrange ".repeat(200_000);
    let mut pdf = Pdf::default();
    pdf.stream("/Filter /FlateDecode", &packed(map.as_bytes(), 1));
    let font = "/Font << /F << /Type /Font /Subtype /Type0 /ToUnicode 1 0 R /Encoding /Identity-H >> >>";
    defused("a map of 200,000 ranges", &pdf.page(b"BT /F 9 Tf <0001> Tj ET", "", font), "a.pdf");
    let ends = "%PDF-1.4\n".to_owned() + &"1 0 obj<</Length 9>>stream\n".repeat(300_000);
    defused("streams that never end", ends.as_bytes(), "a.pdf");
}

#[test]
fn texts_made_to_hang() {
    assert!(defused("a deep JSON", "[".repeat(20_000_000).as_bytes(), "a.json").contains("recursion limit"));
    defused("a page of open tags", "<div><table><td>".repeat(400_000).as_bytes(), "a.html");
    defused("a page of formats", "<b id=1><i><p>".repeat(400_000).as_bytes(), "a.html");
    defused("deep quotes", "> ".repeat(300_000).as_bytes(), "a.md");
    defused("deep lists", (0..2_000).map(|depth| " ".repeat(depth) + "- a\n").collect::<String>().as_bytes(), "a.md");
    defused("links without end", "[a](<b".repeat(300_000).as_bytes(), "a.md");
    defused("emphasis without end", "*a **a ".repeat(300_000).as_bytes(), "a.md");
    defused("one quote", format!("\"{}", "a,b\n".repeat(4_000_000)).as_bytes(), "a.csv");
    assert!(defused("columns", ",".repeat(20_000_000).as_bytes(), "a.csv").contains("MB of text"));
    assert!(defused("lines", "a\n\n".repeat(9_000_000).as_bytes(), "a.txt").contains("MB of text"));
}
