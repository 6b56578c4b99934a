//! `document_create`: a new DOCX, XLSX or PDF.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::storage::{TIMEOUT, keep};
use satchel_engine::{context::Context, tool::Tool};
use satchel_formats::create::{self, NewSheet};
use satchel_host::fonts;
use satchel_model::{
    error::{Error, Result},
    output::Output,
    spec::{Category, Risk},
};

/// Most characters of one document.
const MAX_TEXT: usize = 2_000_000;

/// Most cells of one workbook.
const MAX_CELLS: usize = 100_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Output format: `docx`, `xlsx`, or `pdf`.
    format: Format,
    /// Document title.
    #[schemars(length(min = 1, max = 300))]
    title: String,
    /// Document content: `paragraphs` for docx and pdf, `sheets` for xlsx.
    content: Content,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Format {
    Docx,
    Xlsx,
    Pdf,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Content {
    /// The paragraphs' texts, for docx and pdf.
    paragraphs: Option<Vec<String>>,
    /// The sheets, for xlsx.
    sheets: Option<Vec<Sheet>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sheet {
    /// The sheet's name, at most 31 characters.
    name: String,
    /// Its rows, each a list of values: texts, numbers, true, false or null. A text that begins with `=` is a formula.
    rows: Vec<Vec<Value>>,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "document_create",
        Category::Knowledge,
        "Makes a new document: a Word document or PDF of paragraphs, or a spreadsheet of sheets with rows. Returns its \
         storage path; an existing document is never replaced.",
        "Somebody asks for a new report, letter, spreadsheet or document from scratch.",
        run,
    )
    .permission("knowledge:write")
    .personal("your files")
    .risk(Risk::LowWrite)
    .timeout(TIMEOUT)
    .giving(&[("path", "string"), ("format", "string"), ("bytes", "integer")])
    .example(
        "A Word document",
        json!({"format": "docx", "title": "Q4 report", "content": {"paragraphs": ["Revenue rose.", "Costs fell."]}}),
        json!({"path": "documents/Q4-report.docx", "format": "docx"}),
    )
    .example(
        "A spreadsheet with a formula",
        json!({"format": "xlsx", "title": "Prices", "content": {"sheets": [
            {"name": "2026", "rows": [["Item", "Units", "Price", "Total"], ["Tea", 12, 2.5, "=B2*C2"]]},
        ]}}),
        json!({"path": "documents/Prices.xlsx", "format": "xlsx"}),
    )
    .example(
        "A PDF",
        json!({"format": "pdf", "title": "Grüße", "content": {"paragraphs": ["Привет, κόσμε."]}}),
        json!({"path": "documents/Grüße.pdf", "format": "pdf"}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { format, title, content } = args;
    let made = DateTime::<Utc>::from_timestamp_millis(cx.now().millis()).unwrap_or_default();
    let (ending, bytes) = match format {
        Format::Docx => {
            let (title, paragraphs) = (title.clone(), paragraphs(content)?);
            ("docx", cx.work(move || create::docx(&title, &paragraphs, made)).await?)
        }
        Format::Pdf => ("pdf", pdf(&cx, title.clone(), paragraphs(content)?, made).await?),
        Format::Xlsx => {
            let (title, sheets) = (title.clone(), sheets(content)?);
            ("xlsx", cx.work(move || create::xlsx(&title, &sheets, made)).await?)
        }
    };
    let length = bytes.len();
    let path = keep(&cx, &title, ending, bytes).await?;
    Ok(Output::json(json!({"path": path, "format": ending, "bytes": length})).with_files(vec![path]))
}

/// Looks for a font on this machine only where the built-in ones do not have every character.
async fn pdf(cx: &Context, title: String, paragraphs: Vec<String>, made: DateTime<Utc>) -> Result<Vec<u8>> {
    let texts = (title, paragraphs);
    let (texts, missing) = cx
        .work(move || {
            let missing = create::missing_from_fonts(&texts.0, &texts.1, &[])?;
            Ok((texts, missing))
        })
        .await?;
    let mut fonts = Vec::new();
    if !missing.is_empty() {
        fonts.extend(cx.work(move || Ok(fonts::find(move |data| create::suits(data, &missing)))).await?);
    }
    cx.work(move || create::pdf(&texts.0, &texts.1, &fonts, made)).await
}

fn paragraphs(content: Content) -> Result<Vec<String>> {
    let paragraphs = match content {
        Content { paragraphs: Some(paragraphs), sheets: None } => paragraphs,
        _ => return Err(Error::invalid("`content` of a docx or pdf is {\"paragraphs\": [\"…\"]}, and nothing else.")),
    };
    if paragraphs.iter().map(|text| text.chars().count()).sum::<usize>() > MAX_TEXT {
        return Err(Error::invalid(format!("A document takes at most {MAX_TEXT} characters. Make several.")));
    }
    Ok(paragraphs)
}

fn sheets(content: Content) -> Result<Vec<NewSheet>> {
    let sheets = match content {
        Content { paragraphs: None, sheets: Some(sheets) } => sheets,
        _ => {
            return Err(Error::invalid(
                "`content` of an xlsx is {\"sheets\": [{\"name\": \"…\", \"rows\": [[…]]}]}, and nothing else.",
            ));
        }
    };
    if sheets.iter().flat_map(|sheet| &sheet.rows).map(Vec::len).sum::<usize>() > MAX_CELLS {
        return Err(Error::invalid(format!("A workbook takes at most {MAX_CELLS} cells. Make several.")));
    }
    Ok(sheets.into_iter().map(|Sheet { name, rows }| NewSheet { name, rows }).collect())
}
