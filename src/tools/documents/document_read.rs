//! `document_read`: text, tables and metadata of a document.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::storage::{TIMEOUT, most};
use satchel_engine::{context::Context, tool::Tool};
use satchel_model::{
    error::{Error, Result},
    output::Output,
    spec::Category,
};
use satchel_services::{own_files::OwnFiles, reading::Reader};

/// A document's text has seldom more than so many times the bytes of its file, which is packed.
const EXPANDS: u64 = 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Storage path of the document to read.
    file_path: String,
}

pub(super) fn tool() -> Tool {
    let made = |format: &str, content: Value| {
        vec![("document_create", json!({"format": format, "title": "Sales", "content": content}))]
    };
    Tool::new(
        "document_read",
        Category::Knowledge,
        "Extracts text, tables and metadata (title, author, dates, pages, sheets) from a document: PDF, DOCX, XLSX, PPTX, \
         and also HTML, Markdown, CSV, JSON and plain text.",
        "Somebody asks to read, view or extract information from an uploaded document, a report or a spreadsheet.",
        run,
    )
    .permission("knowledge:read")
    .personal("your files")
    .timeout(TIMEOUT)
    .example_after(
        made("docx", json!({"paragraphs": ["Revenue rose in Q4."]})),
        "A text",
        json!({"file_path": "documents/Sales.docx"}),
        json!({"text": "Sales\n\nRevenue rose in Q4.", "tables": [], "metadata": {"format": "docx", "title": "Sales"}}),
    )
    .example_after(
        made("xlsx", json!({"sheets": [{"name": "2026", "rows": [["Item", "Price"], ["Tea", 2.5]]}]})),
        "A spreadsheet: every sheet is a table",
        json!({"file_path": "documents/Sales.xlsx"}),
        json!({
            "tables": [{"name": "2026", "rows": [["Item", "Price"], ["Tea", "2.5"]]}],
            "metadata": {"format": "xlsx", "sheets": ["2026"]},
        }),
    )
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let path = args.file_path;
    let (name, call, reader) = (path.clone(), cx.clone(), Reader::for_run(&cx));
    let files = OwnFiles::new(&cx)?;
    cx.room().take(files.bytes_of(&path).await?.saturating_mul(EXPANDS)).await?;
    let data = files
        .work_on(&path, most(), move |content| {
            let read = reader.text(content, &name)?;
            let mut metadata = read.metadata;
            metadata.insert("format".to_owned(), json!(read.kind.as_str()));
            if let Some(title) = &read.title {
                metadata.insert("title".to_owned(), json!(title));
            }
            if let Some(pages) = read.pages {
                metadata.insert("pages".to_owned(), json!(pages));
            }
            let tables = serde_json::to_value(read.tables).map_err(Error::internal)?;
            let text = Value::String(read.text);
            call.room().ensure_now(&[&text, &tables])?;
            let parts = [("text", text), ("tables", tables), ("metadata", Value::Object(metadata))];
            Ok(Value::Object(parts.map(|(name, part)| (name.to_owned(), part)).into_iter().collect()))
        })
        .await?;
    Ok(Output { title: Some(path), ..Output::json(data) })
}
