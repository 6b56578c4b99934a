//! The kind of a file: by its content first, by its name's ending where the content could be several things.

use super::extracted::Kind;
use satchel_model::error::{Error, Result};

/// Bytes in which a PDF's mark may stand.
const HEAD: usize = 1024;

/// The first bytes of PNG, JPEG and GIF.
const PICTURES: [&[u8]; 4] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"];

pub(super) fn detect(bytes: &[u8], name: &str) -> Result<Kind> {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let ending = ending(name);
    if head.windows(5).any(|mark| mark == b"%PDF-") {
        return Ok(Kind::Pdf);
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return packaged(bytes, &ending);
    }
    refuse_others(bytes)?;
    match ending.as_str() {
        "pdf" | "docx" | "xlsx" | "pptx" | "docm" | "xlsm" | "pptm" | "dotx" | "xltx" | "potx" => Err(Error::invalid(
            format!("The file is named .{ending} and holds something else: it is damaged, or its ending is wrong."),
        )),
        "html" | "htm" | "xhtml" => Ok(Kind::Html),
        "md" | "markdown" | "mdx" | "mkd" => Ok(Kind::Markdown),
        "csv" | "tsv" | "tab" => Ok(Kind::Csv),
        "json" | "jsonl" | "ndjson" | "geojson" | "ipynb" => Ok(Kind::Json),
        "txt" | "text" | "log" | "rst" | "adoc" | "tex" | "srt" | "vtt" | "eml" => Ok(Kind::Text),
        other if CODE.contains(&other) => Ok(Kind::Code),
        _ => Ok(by_looks(bytes)),
    }
}

/// Endings of source code and configuration.
const CODE: [&str; 86] = [
    "asm",
    "astro",
    "awk",
    "bash",
    "bat",
    "c",
    "cc",
    "cfg",
    "clj",
    "cmake",
    "conf",
    "cpp",
    "cs",
    "css",
    "cu",
    "cxx",
    "d",
    "dart",
    "diff",
    "dockerfile",
    "elm",
    "env",
    "erl",
    "ex",
    "exs",
    "f90",
    "fs",
    "go",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "hcl",
    "hpp",
    "hs",
    "ini",
    "java",
    "jl",
    "js",
    "jsx",
    "kt",
    "kts",
    "less",
    "lisp",
    "lua",
    "m",
    "makefile",
    "mjs",
    "ml",
    "mm",
    "nim",
    "nix",
    "patch",
    "php",
    "pl",
    "pm",
    "properties",
    "proto",
    "ps1",
    "py",
    "r",
    "rb",
    "rhai",
    "rs",
    "sass",
    "scala",
    "scss",
    "sh",
    "sql",
    "svelte",
    "swift",
    "tcl",
    "tf",
    "toml",
    "ts",
    "tsx",
    "v",
    "vb",
    "vim",
    "vue",
    "xml",
    "xsd",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// The name's ending in lower case; the whole name where there is no dot.
fn ending(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit('.').next().unwrap_or(file).to_ascii_lowercase()
}

/// Office's packages are ZIP archives, and so are many other things.
fn packaged(bytes: &[u8], ending: &str) -> Result<Kind> {
    let holds = |name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
    let kinds = [(&b"word/"[..], Kind::Docx), (&b"xl/"[..], Kind::Xlsx), (&b"ppt/"[..], Kind::Pptx)];
    let typed = match ending {
        "docx" | "docm" | "dotx" => Some(Kind::Docx),
        "xlsx" | "xlsm" | "xltx" => Some(Kind::Xlsx),
        "pptx" | "pptm" | "potx" => Some(Kind::Pptx),
        _ => None,
    };
    if holds(b"mimetypeapplication/vnd.oasis.opendocument") {
        return Err(Error::invalid(
            "The file is an OpenDocument file (ODT, ODS, ODP). Save it as DOCX, XLSX or PPTX and try again.",
        ));
    }
    if holds(b"xl/workbook.bin") {
        return Err(Error::invalid("The file is a binary workbook (XLSB). Save it as XLSX and try again."));
    }
    if holds(b"[Content_Types].xml") {
        // A package may hold another: the ending decides between several.
        let found: Vec<Kind> = kinds.iter().filter(|(folder, _)| holds(folder)).map(|(_, kind)| *kind).collect();
        if let Some(kind) = typed.filter(|kind| found.contains(kind)).or(found.first().copied()) {
            return Ok(kind);
        }
    }
    match typed {
        Some(kind) => Ok(kind),
        None => Err(Error::invalid("The file is an archive, not a document. Unpack it and give the files in it.")),
    }
}

fn refuse_others(bytes: &[u8]) -> Result<()> {
    if bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        let wide: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
        return Err(Error::invalid(if bytes.windows(wide.len()).any(|part| part == wide) {
            "The document is protected by a password. Save it without one and try again."
        } else {
            "The file is in Office's old binary format (DOC, XLS, PPT). Save it as DOCX, XLSX or PPTX and try again."
        }));
    }
    if bytes.starts_with(b"{\\rtf") {
        return Err(Error::invalid("The file is in Rich Text Format. Save it as DOCX and try again."));
    }
    if PICTURES.iter().any(|mark| bytes.starts_with(mark)) {
        return Err(Error::invalid("The file is a picture: there is no text in it to read."));
    }
    Ok(())
}

/// Returns the kind a text without a telling name looks like.
fn by_looks(bytes: &[u8]) -> Kind {
    let head = String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(bytes))
        .trim_start_matches('\u{feff}')
        .trim_start()
        .to_ascii_lowercase();
    if head.starts_with("<!doctype html") || head.starts_with("<html") {
        return Kind::Html;
    }
    let json = head.starts_with(['{', '[']) && serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    if json { Kind::Json } else { Kind::Text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_comes_before_the_name() {
        assert_eq!(detect(b"\n%PDF-1.4\n", "a.docx").unwrap(), Kind::Pdf);
        assert_eq!(detect(b"# a", "README.md").unwrap(), Kind::Markdown);
        assert_eq!(detect(b"fn f() {}", "src/a.RS").unwrap(), Kind::Code);
        assert_eq!(detect(b"all: x", "Makefile").unwrap(), Kind::Code);
        assert_eq!(detect(b" <!DOCTYPE HTML><p>", "page").unwrap(), Kind::Html);
        assert_eq!(detect(b"{\"a\": 1}", "data").unwrap(), Kind::Json);
        assert_eq!(detect(b"{not json", "data").unwrap(), Kind::Text);
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        let old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
        let locked =
            [&old[..], &"EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()].concat();
        for (bytes, name, wanted) in [
            (&b"hello"[..], "a.pdf", "named .pdf"),
            (&old[..], "a.doc", "old binary format"),
            (&locked, "a.docx", "password"),
            (b"{\\rtf1 x}", "a.rtf", "Rich Text"),
            (b"GIF89a\x01\0\x01\0", "a.txt", "a picture"),
            (b"PK\x03\x04 other", "a.zip", "archive"),
            (b"PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.text", "a.odt", "OpenDocument"),
        ] {
            let error = detect(bytes, name).unwrap_err();
            assert!(error.message().contains(wanted), "{error}");
        }
    }
}
