//! `document_convert`: a spreadsheet as CSV, a document as text.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::storage::{TIMEOUT, keep, most, stem};
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    spec::Category,
};
use satchel_services::{own_files::OwnFiles, reading::Reader};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Storage path of the source document.
    file_path: String,
    /// Target format: `csv` (of a spreadsheet) or `text` (of any document).
    target_format: Target,
    /// For csv, only the sheet of this name; all of them unless said otherwise.
    sheet: Option<String>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Target {
    Csv,
    Text,
}

pub(super) fn tool() -> Tool {
    let made = |format: &str, content: serde_json::Value| {
        vec![("document_create", json!({"format": format, "title": "Prices", "content": content}))]
    };
    Tool::new(
        "document_convert",
        Category::Knowledge,
        "Converts a document into a new file: XLSX to CSV, one file a sheet, or DOCX (also PDF or PPTX) to plain text. \
         Returns the path of what was generated; the source stays as it is.",
        "A document is needed in another format, for instance a spreadsheet as CSV for an import.",
        run,
    )
    .giving(&[("paths", "array")])
    .permission("knowledge:read")
    .personal("your files")
    .timeout(TIMEOUT)
    .example_after(
        made("xlsx", json!({"sheets": [{"name": "2026", "rows": [["Item", "Price"], ["Tea", 2.5]]}]})),
        "A spreadsheet as CSV",
        json!({"file_path": "documents/Prices.xlsx", "target_format": "csv"}),
        json!({"path": "documents/Prices.csv", "paths": ["documents/Prices.csv"]}),
    )
    .example_after(
        made("docx", json!({"paragraphs": ["Tea is 2.50."]})),
        "A Word document as text",
        json!({"file_path": "documents/Prices.docx", "target_format": "text"}),
        json!({"path": "documents/Prices.txt", "paths": ["documents/Prices.txt"]}),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { file_path, target_format, sheet } = args;
    if target_format == Target::Text && sheet.is_some() {
        return Err(Error::invalid("`sheet` goes with target_format csv only."));
    }
    let (name, reader) = (file_path.clone(), Reader::for_run(&cx));
    let files = OwnFiles::new(&cx)?
        .work_on(&file_path, most(), move |content| match target_format {
            Target::Text => {
                let mut text = reader.text(content, &name)?.text;
                text.push('\n');
                Ok(vec![(stem(&name).to_owned(), "txt", text)])
            }
            Target::Csv => {
                let sheets = reader.csv(content, sheet.as_deref())?;
                let alone = sheets.len() == 1;
                let title =
                    |sheet: &str| if alone { stem(&name).to_owned() } else { format!("{} {sheet}", stem(&name)) };
                Ok(sheets.into_iter().map(|sheet| (title(&sheet.name), "csv", sheet.csv)).collect())
            }
        })
        .await?;
    let mut paths = Vec::new();
    for (title, ending, text) in files {
        paths.push(keep(&cx, &title, ending, text.into_bytes()).await?);
    }
    Ok(Output::json(json!({"path": paths.first(), "paths": paths})).with_files(paths))
}
