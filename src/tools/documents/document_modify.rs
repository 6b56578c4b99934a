//! `document_modify`: adds to a document, or changes it in place.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::storage::{TIMEOUT, most};
use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_formats::modify::Update;
use satchel_host::files::Parents;
use satchel_model::{
    error::{Error, Result},
    output::Output,
    question::Question,
    spec::{Category, Risk},
};
use satchel_services::{own_files::OwnFiles, reading::Reader};

/// Most files merged at once.
const MAX_FILES: usize = 50;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Storage path of the document to modify.
    file_path: String,
    /// Operation: `append`, `replace` (both DOCX), `update_cells` (XLSX), or `merge` (PDF).
    operation: Operation,
    /// Operation-specific data: `paragraphs` for append; `old_text` and `new_text` for replace; `updates` for
    /// update_cells; `file_paths` for merge.
    data: Data,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Operation {
    Append,
    Replace,
    UpdateCells,
    Merge,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Data {
    /// Paragraphs to add at the end, for append.
    paragraphs: Option<Vec<String>>,
    /// The text to find, for replace: within one paragraph, exactly as it stands.
    old_text: Option<String>,
    /// What takes its place, for replace; empty removes it.
    new_text: Option<String>,
    /// The cells to change, for update_cells.
    updates: Option<Vec<CellUpdate>>,
    /// Storage paths of the PDFs whose pages are added behind those of the first, for merge.
    file_paths: Option<Vec<String>>,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CellUpdate {
    /// The sheet's name.
    sheet: String,
    /// The cell, for instance `B3`.
    cell: String,
    /// Its new value: a text, a number, true, false, or null to empty it. A text that begins with `=` is a formula.
    value: Value,
}

pub(super) fn tool() -> Tool {
    let made = |format: &str, title: &str, content: Value| {
        ("document_create", json!({"format": format, "title": title, "content": content}))
    };
    let letter = || vec![made("docx", "Letter", json!({"paragraphs": ["Dear Mr Smith, hello."]}))];
    let page = |title: &str| made("pdf", title, json!({"paragraphs": ["A page."]}));
    Tool::prepared(
        "document_modify",
        Category::Knowledge,
        "Changes a document in place: appends paragraphs to a Word document or replaces a text in it, changes cells of a \
         spreadsheet, or merges PDFs into the first. Formats, formulas and everything not named stay as they are.",
        "Somebody asks to edit, update or merge documents.",
        Preparation::new(run).ahead(ahead),
    )
    .permission("knowledge:write")
    .personal("your files")
    .risk(Risk::HighWrite)
    .timeout(TIMEOUT)
    .example_after(
        letter(),
        "Paragraphs at the end",
        json!({"file_path": "documents/Letter.docx", "operation": "append", "data": {"paragraphs": ["Yours, Ann"]}}),
        json!({"path": "documents/Letter.docx", "operation": "append", "added": 1}),
    )
    .example_after(
        letter(),
        "One text for another",
        json!({"file_path": "documents/Letter.docx", "operation": "replace", "data": {"old_text": "Smith", "new_text": "Jones"}}),
        json!({"operation": "replace", "replaced": 1}),
    )
    .example_after(
        vec![made("xlsx", "Prices", json!({"sheets": [{"name": "Sheet1", "rows": [["Tea", 2.5]]}]}))],
        "A cell",
        json!({"file_path": "documents/Prices.xlsx", "operation": "update_cells", "data": {
            "updates": [{"sheet": "Sheet1", "cell": "B1", "value": 2.8}],
        }}),
        json!({"operation": "update_cells", "updated": 1}),
    )
    .example_after(
        vec![page("One"), page("Two")],
        "Two PDFs as one",
        json!({"file_path": "documents/One.pdf", "operation": "merge", "data": {"file_paths": ["documents/Two.pdf"]}}),
        json!({"path": "documents/One.pdf", "operation": "merge", "pages": 2}),
    )
}

async fn ahead(cx: Context, args: Args) -> Result<Question> {
    OwnFiles::new(&cx)?.ensure_writable(&args.file_path, Parents::Must).await?;
    Ok(Question::about("Change", &args.file_path))
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    let Args { file_path, operation, data } = args;
    let mut result = match operation {
        Operation::Append => append(&cx, &file_path, data).await?,
        Operation::Replace => replace(&cx, &file_path, data).await?,
        Operation::UpdateCells => update_cells(&cx, &file_path, data).await?,
        Operation::Merge => merge(&cx, &file_path, data).await?,
    };
    if let Value::Object(result) = &mut result {
        result.insert("path".to_owned(), json!(file_path));
    }
    Ok(Output::json(result).with_files(vec![file_path]))
}

/// The one part of the data an operation takes; others are an error, so that nothing is silently left out.
fn only<T>(part: Option<T>, given: usize, what: &str) -> Result<T> {
    part.filter(|_| given == 1)
        .ok_or_else(|| Error::invalid(format!("`data` of this operation is {what}, and nothing else.")))
}

impl Data {
    /// Returns the number of operations whose data are given.
    fn given(&self) -> usize {
        let text = self.old_text.is_some() || self.new_text.is_some();
        [self.paragraphs.is_some(), text, self.updates.is_some(), self.file_paths.is_some()]
            .into_iter()
            .filter(|g| *g)
            .count()
    }
}

async fn append(cx: &Context, path: &str, data: Data) -> Result<Value> {
    let given = data.given();
    let paragraphs = only(data.paragraphs, given, "{\"paragraphs\": [\"…\"]}")?;
    let added = paragraphs.len();
    let reader = Reader::for_run(cx);
    change(cx, path, move |bytes| Ok((reader.append(&bytes, paragraphs)?, added))).await?;
    Ok(json!({"operation": "append", "added": added}))
}

async fn replace(cx: &Context, path: &str, data: Data) -> Result<Value> {
    let given = data.given();
    let texts = data.old_text.zip(data.new_text);
    let (old, new) = only(texts, given, "{\"old_text\": \"…\", \"new_text\": \"…\"}")?;
    let reader = Reader::for_run(cx);
    let replaced = change(cx, path, move |bytes| reader.replace(&bytes, old, new)).await?;
    Ok(json!({"operation": "replace", "replaced": replaced}))
}

async fn update_cells(cx: &Context, path: &str, data: Data) -> Result<Value> {
    let given = data.given();
    let updates = only(data.updates, given, "{\"updates\": [{\"sheet\": \"…\", \"cell\": \"A1\", \"value\": …}]}")?;
    let updates: Vec<Update> =
        updates.into_iter().map(|CellUpdate { sheet, cell, value }| Update { sheet, cell, value }).collect();
    let (updated, reader) = (updates.len(), Reader::for_run(cx));
    change(cx, path, move |bytes| Ok((reader.update_cells(&bytes, updates)?, updated))).await?;
    Ok(json!({"operation": "update_cells", "updated": updated}))
}

async fn merge(cx: &Context, path: &str, data: Data) -> Result<Value> {
    let given = data.given();
    let others = only(data.file_paths, given, "{\"file_paths\": [\"…\"]}")?;
    if others.is_empty() || others.len() > MAX_FILES {
        return Err(Error::invalid(format!("`file_paths` names 1 to {MAX_FILES} PDFs.")));
    }
    let (mut rest, mut room) = (Vec::new(), most());
    for other in others {
        let bytes = OwnFiles::new(cx)?.read_up_to(&other, room).await?;
        room -= bytes.len() as u64;
        rest.push(bytes);
    }
    let reader = Reader::for_run(cx);
    let pages = change(cx, path, move |bytes| {
        let files: Vec<&[u8]> = std::iter::once(&bytes).chain(&rest).map(Vec::as_slice).collect();
        reader.merge(&files)
    })
    .await?;
    Ok(json!({"operation": "merge", "pages": pages}))
}

/// Replaces a file by what `work` makes of it. Two changes of one file never lose one another.
async fn change<T, F>(cx: &Context, path: &str, work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce(Vec<u8>) -> Result<(Vec<u8>, T)> + Send + 'static,
{
    OwnFiles::new(cx)?.update_bytes(path, most(), work).await
}
