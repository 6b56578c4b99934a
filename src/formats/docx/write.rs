//! Makes a DOCX: a title and paragraphs, with the styles people then work with.

use crate::office::{rewrite, splice::escape};
use satchel_model::error::Result;

const MAIN: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";

/// Styles: what text looks like unless it says otherwise, the title, and three levels of headings.
const STYLES: &str = r#"<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:eastAsia="Calibri" w:cs="Calibri"/><w:sz w:val="22"/><w:szCs w:val="22"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="160" w:line="259" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/><w:spacing w:after="240" w:line="240" w:lineRule="auto"/></w:pPr><w:rPr><w:b/><w:sz w:val="44"/><w:szCs w:val="44"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/><w:spacing w:before="320" w:after="120"/><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="32"/><w:szCs w:val="32"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/><w:spacing w:before="240" w:after="80"/><w:outlineLvl w:val="1"/></w:pPr><w:rPr><w:b/><w:sz w:val="28"/><w:szCs w:val="28"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Heading3"><w:name w:val="heading 3"/><w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/><w:spacing w:before="200" w:after="60"/><w:outlineLvl w:val="2"/></w:pPr><w:rPr><w:b/><w:sz w:val="24"/><w:szCs w:val="24"/></w:rPr></w:style>"#;

/// A document; `created` is a time in RFC 3339.
pub(crate) fn write(title: &str, paragraphs: &[String], created: &str) -> Result<Vec<u8>> {
    let mut body = format!(r#"<w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr>{}</w:p>"#, run("w:", title));
    paragraphs.iter().for_each(|text| body.push_str(&paragraph("w:", text)));
    let page = r#"<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1418" w:right="1418" w:bottom="1418" w:left="1418" w:header="709" w:footer="709" w:gutter="0"/></w:sectPr>"#;
    let document = format!(r#"{HEAD}<w:document xmlns:w="{MAIN}"><w:body>{body}{page}</w:body></w:document>"#);
    rewrite::create(&[
        ("[Content_Types].xml", types()),
        ("_rels/.rels", relations()),
        ("docProps/core.xml", core(title, created)),
        (
            "docProps/app.xml",
            format!(
                r#"{HEAD}<Properties xmlns="{OFFICE}/extended-properties"><Application>Satchel</Application></Properties>"#
            ),
        ),
        ("word/document.xml", document),
        ("word/styles.xml", format!(r#"{HEAD}<w:styles xmlns:w="{MAIN}">{STYLES}</w:styles>"#)),
        (
            "word/_rels/document.xml.rels",
            format!(
                r#"{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{OFFICE}/relationships/styles" Target="styles.xml"/></Relationships>"#
            ),
        ),
    ])
}

fn types() -> String {
    let part = |name: &str, kind: &str| {
        format!(r#"<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-{kind}+xml"/>"#)
    };
    let parts = [
        part("word/document.xml", "officedocument.wordprocessingml.document.main"),
        part("word/styles.xml", "officedocument.wordprocessingml.styles"),
        part("docProps/core.xml", "package.core-properties"),
        part("docProps/app.xml", "officedocument.extended-properties"),
    ];
    format!(
        r#"{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>{}</Types>"#,
        parts.concat()
    )
}

fn relations() -> String {
    let to =
        |id: u8, kind: &str, target: &str| format!(r#"<Relationship Id="rId{id}" Type="{kind}" Target="{target}"/>"#);
    let all = [
        to(1, &format!("{OFFICE}/relationships/officeDocument"), "word/document.xml"),
        to(2, &format!("{PACKAGE}/relationships/metadata/core-properties"), "docProps/core.xml"),
        to(3, &format!("{OFFICE}/relationships/extended-properties"), "docProps/app.xml"),
    ];
    format!(r#"{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{}</Relationships>"#, all.concat())
}

fn core(title: &str, created: &str) -> String {
    let time =
        |name: &str| format!(r#"<dcterms:{name} xsi:type="dcterms:W3CDTF">{}</dcterms:{name}>"#, escape(created));
    format!(
        r#"{HEAD}<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>{}</dc:title>{}{}</cp:coreProperties>"#,
        escape(title),
        time("created"),
        time("modified")
    )
}

/// A paragraph of plain text. `prefix` is how the part names WordprocessingML, with its colon.
pub(super) fn paragraph(prefix: &str, text: &str) -> String {
    format!("<{prefix}p>{}</{prefix}p>", run(prefix, text))
}

fn run(prefix: &str, text: &str) -> String {
    format!("<{prefix}r>{}</{prefix}r>", pieces(prefix, text))
}

/// Text with its line breaks and tabs as elements of their own.
pub(super) fn pieces(prefix: &str, text: &str) -> String {
    let mut out = String::new();
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push_str(&format!("<{prefix}br/>"));
        }
        for (at, piece) in line.split('\t').enumerate() {
            if at > 0 {
                out.push_str(&format!("<{prefix}tab/>"));
            }
            if !piece.is_empty() {
                out.push_str(&format!(r#"<{prefix}t xml:space="preserve">{}</{prefix}t>"#, escape(piece)));
            }
        }
    }
    out
}
