//! `document`: the documents of the knowledge base: found, listed, read, deleted, brought back.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    engine::{context::Context, knowledge::search::Question, tool::Tool},
    model::{
        error::{Error, Result},
        knowledge::{Document, DocumentId, Status},
        output::Output,
        spec::{Category, Risk},
    },
    store::documents::{Filter, Keep},
};

/// Documents listed unless told otherwise.
const LISTED: u32 = 20;
/// Characters of a document that `view` gives at once.
const PART: usize = 20_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What to do: search, list, view, delete or restore.
    action: Action,
    /// What to find, for search; part of the title, for list.
    query: Option<String>,
    /// The document's id, for view, delete and restore; search and list give it.
    document_id: Option<DocumentId>,
    /// Only documents in this state, for list. `deleted` lists the trash.
    status: Option<Status>,
    /// The first character of the text to give, for view (default 0).
    offset: Option<usize>,
    /// Most documents, for search and list (default 20).
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Action {
    Search,
    List,
    View,
    Delete,
    Restore,
}

pub(super) fn tool() -> Tool {
    Tool::new(
        "document",
        Category::Knowledge,
        "Handles the documents of the knowledge base: finds documents about something, lists them, gives the text of one, \
         deletes one and brings a deleted one back from the trash.",
        "The user asks which documents there are, wants to read one whole, or wants one deleted or restored. For the answer \
         to a question, search_knowledge gives the passages.",
        run,
    )
    .permission("knowledge:read")
    .risk_of(|args: &Args| match args.action {
        Action::Delete => Risk::Destructive,
        Action::Restore => Risk::LowWrite,
        Action::Search | Action::List | Action::View => Risk::Read,
    })
    .demands(|args: &Args, caller, _| match args.action {
        Action::Delete => caller.demand("knowledge:write").and_then(|()| id(args, "delete")).map(|_| ()),
        Action::Restore | Action::Search | Action::List | Action::View => Ok(()),
    })
    .innate()
    .example("No documents yet", json!({"action": "list"}), json!({"documents": [], "count": 0}))
    .example("Nothing about it", json!({"action": "search", "query": "holidays"}), json!({"documents": [], "count": 0}))
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    match args.action {
        Action::Search => search(&cx, args).await,
        Action::List => list(&cx, args).await,
        Action::View => view(&cx, args).await,
        Action::Delete => {
            cx.caller().demand("knowledge:write")?;
            let id = id(&args, "delete")?;
            let document = cx.knowledge().documents.get(cx.caller().user, id).await?;
            if document.status == Status::Deleted {
                return Err(Error::conflict("It is in the trash already, and is removed for good after a while."));
            }
            let keep = if cx.platform().knowledge.trash_days == 0 { Keep::Nothing } else { Keep::Trash };
            cx.knowledge().delete(&cx.actor(), id, keep).await?;
            let days = cx.platform().knowledge.trash_days;
            Ok(Output::json(json!({"ok": true, "document_id": id, "title": document.title, "restorable_days": days})))
        }
        Action::Restore => {
            cx.caller().demand("knowledge:write")?;
            let document = cx.knowledge().restore(&cx.actor(), id(&args, "restore")?).await?;
            Ok(Output::json(json!({"ok": true, "document": shown(&document)})))
        }
    }
}

/// The documents whose passages answer best, each once.
async fn search(cx: &Context, args: Args) -> Result<Output> {
    let query = args.query.ok_or_else(|| Error::invalid("'query' is missing: search needs it."))?;
    let question = Question { query, limit: Some(100), ..Question::default() };
    let hits = cx.search_knowledge(&question).await?;
    let mut documents: Vec<Value> = Vec::new();
    let mut seen = Vec::new();
    for hit in hits {
        if documents.len() < args.limit.unwrap_or(LISTED) as usize && !seen.contains(&hit.document_id) {
            seen.push(hit.document_id);
            documents.push(json!({
                "document_id": hit.document_id, "title": hit.title, "score": hit.score, "best_passage": hit.snippet(300),
            }));
        }
    }
    Ok(Output::json(json!({"count": documents.len(), "documents": documents})))
}

async fn list(cx: &Context, args: Args) -> Result<Output> {
    let filter =
        Filter { q: args.query, status: args.status, limit: args.limit.unwrap_or(LISTED), ..Filter::default() };
    let found = cx.knowledge().documents.list(cx.caller().user, filter).await?;
    let documents: Vec<Value> = found.iter().map(shown).collect();
    Ok(Output::json(json!({"count": documents.len(), "documents": documents})))
}

async fn view(cx: &Context, args: Args) -> Result<Output> {
    let id = id(&args, "view")?;
    let (document, text, _) = cx.knowledge().documents.content(cx.caller().user, id).await?;
    let (from, length) = (args.offset.unwrap_or_default(), text.chars().count());
    let part: String = text.chars().skip(from).take(PART).collect();
    let next = (from + PART < length).then_some(from + PART);
    let mut data = shown(&document);
    if let Some(data) = data.as_object_mut() {
        data.insert("text".to_owned(), json!(part));
        data.insert("characters".to_owned(), json!(length));
        data.insert("next_offset".to_owned(), json!(next));
    }
    Ok(Output::json(data))
}

fn id(args: &Args, action: &str) -> Result<DocumentId> {
    args.document_id.ok_or_else(|| Error::invalid(format!("'document_id' is missing: {action} needs it.")))
}

fn shown(document: &Document) -> Value {
    json!({
        "document_id": document.id, "title": document.title, "collection": document.collection_name,
        "kind": document.kind, "source": document.source, "status": document.status, "reason": document.reason,
        "bytes": document.bytes, "pages": document.pages, "updated_at": document.updated_at,
    })
}
