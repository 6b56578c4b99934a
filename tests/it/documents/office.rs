//! What is made and changed here is opened by LibreOffice, and says there what it says here.

#![expect(clippy::disallowed_methods, reason = "a test starts a program")]

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use chrono::Utc;
use satchel::formats::{
    create::{self, NewSheet},
    modify::{self, Update},
};
use serde_json::json;

use super::fixture::bytes;

/// Has LibreOffice convert files, and reads what came out.
fn converted(filter: &str, files: &[(&str, Vec<u8>)]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| dir.path().join(name)).collect();
    files.iter().zip(&paths).for_each(|((_, bytes), path)| std::fs::write(path, bytes).unwrap());
    let status = Command::new("soffice")
        .arg(format!("-env:UserInstallation=file://{}/profile", dir.path().display()))
        .args(["--headless", "--norestore", "--convert-to", filter, "--outdir"])
        .arg(dir.path().join("out"))
        .args(&paths)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
    let ending = filter.split(':').next().unwrap();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let out = dir.path().join("out").join(format!("{name}.{ending}"));
        std::fs::read_to_string(&out).unwrap_or_else(|e| panic!("LibreOffice did not open {}: {e}", path.display()))
    };
    paths.iter().map(read).collect()
}

#[test]
#[cfg_attr(not(has_office), ignore = "apt-get install libreoffice-calc libreoffice-writer, then touch build.rs")]
fn libreoffice_opens_texts_that_were_made_and_changed() {
    let made = create::docx("A & B", &["Grüße <&> Ελλάδα".to_owned(), "one\ntwo".to_owned()], Utc::now()).unwrap();
    let changed = |name: &str| {
        let added = modify::append(&bytes(name), &["Added & last".to_owned()]).unwrap();
        modify::replace(&added, "4.2 million", "5.7 Billionen").unwrap().0
    };
    let files = [
        ("made.docx", made),
        ("python.docx", changed("python-docx.docx")),
        ("office.docx", changed("libreoffice.docx")),
    ];
    let texts = converted("txt:Text (encoded):UTF8", &files);
    assert_eq!(
        texts[0].trim_start_matches('\u{feff}').lines().collect::<Vec<_>>(),
        ["A & B", "Grüße <&> Ελλάδα", "one", "two"]
    );
    for text in &texts[1..] {
        assert!(text.contains("Revenue rose to 5.7 Billionen euros in Q4, Größe"), "{text}");
        assert_eq!(text.lines().last(), Some("Added & last"), "{text}");
    }
}

#[test]
#[cfg_attr(not(has_office), ignore = "apt-get install libreoffice-calc libreoffice-writer, then touch build.rs")]
fn libreoffice_opens_workbooks_and_computes_their_formulas() {
    let rows = vec![vec![json!("Käse"), json!(12), json!(2.5), json!("=B1*C1")]];
    let made = create::xlsx("Prices", &[NewSheet { name: "S".to_owned(), rows }], Utc::now()).unwrap();
    let changed = |name: &str| {
        let update = |cell: &str, value| Update { sheet: "Sales".to_owned(), cell: cell.to_owned(), value };
        let updates =
            [update("B2", json!(100)), update("A3", json!("Kuchen & <so>")), update("H1", json!("=SUM(B2:B4)"))];
        modify::update_cells(&bytes(name), &updates).unwrap()
    };
    let files =
        [("made.xlsx", made), ("python.xlsx", changed("openpyxl.xlsx")), ("office.xlsx", changed("libreoffice.xlsx"))];
    let texts = converted("csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false", &files);
    assert_eq!(texts[0], "Käse,12,2.5,30\n");
    for text in &texts[1..] {
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Item,Units,Price,Total,Sold,Share,Paid,137", "{text}");
        assert!(lines[1].starts_with("Tea,100,2.5,250,2026-01-02,25"), "{text}");
        assert!(lines[2].starts_with("Kuchen & <so>,7,3.1,21.7,2026-01-03,37.5%,TRUE"), "{text}");
        assert!(lines[4].starts_with(",,,355.7"), "{text}");
    }
}
