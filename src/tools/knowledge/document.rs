//! `document`: the documents of the knowledge base: found, listed, read, deleted, brought back.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use satchel_engine::{context::Context, preparation::Preparation, tool::Tool};
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    knowledge::{Document, DocumentId, Status},
    output::Output,
    question,
    spec::{Category, Risk},
};
use satchel_services::knowledge::{calls, search::Question};
use satchel_store::{
    documents::{Filter, Keep},
    people::Actor,
};

/// Documents listed unless told otherwise.
const LISTED: u32 = 20;
/// Characters of a document that `view` gives at once.
const PART: usize = 20_000;

#[derive(Clone, Deserialize, JsonSchema)]
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
    /// Where to go on, from `next_offset`: how many documents to pass over, for search and list; the first character of
    /// the text, for view (default 0).
    offset: Option<u32>,
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

impl Action {
    fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::List => "list",
            Self::View => "view",
            Self::Delete => "delete",
            Self::Restore => "restore",
        }
    }
}

pub(super) fn tool() -> Tool {
    let calls = Preparation::new(run).ahead(ahead).requires(require).risk_of(|args: &Args| match args.action {
        Action::Delete => Risk::Destructive,
        Action::Restore => Risk::LowWrite,
        Action::Search | Action::List | Action::View => Risk::Read,
    });
    Tool::prepared(
        "document",
        Category::Knowledge,
        "Handles the documents of the knowledge base: finds documents about something, lists them, gives the text of one, \
         deletes one and brings a deleted one back from the trash.",
        "The user asks which documents there are, wants to read one whole, or wants one deleted or restored. For the answer \
         to a question, search_knowledge gives the passages.",
        calls,
    )
    .permission("knowledge:read")
    .up_to(Risk::Destructive)
    .innate()
    .example("No documents yet", json!({"action": "list"}), json!({"documents": [], "count": 0}))
    .example("Nothing about it", json!({"action": "search", "query": "holidays"}), json!({"documents": [], "count": 0}))
}

async fn ahead(cx: Context, args: Args) -> Result<question::Question> {
    match args.action {
        Action::Delete => Ok(question::Question::about("Delete", &deletable(&cx, id(&args)?).await?.title)),
        action => Ok(question::Question { text: format!("Let `document` {}?", action.as_str()), subject: None }),
    }
}

/// A document of the caller's that is not in the trash.
async fn deletable(cx: &Context, id: DocumentId) -> Result<Document> {
    let document = calls::documents(cx).documents.get(cx.caller().reader(), id).await?;
    if document.status == Status::Deleted {
        return Err(Error::conflict("It is in the trash already, and is removed for good after a while."));
    }
    Ok(document)
}

async fn run(cx: Context, args: Args) -> Result<Output> {
    require(&args, cx.caller())?;
    match args.action {
        Action::Search => search(&cx, args).await,
        Action::List => list(&cx, args).await,
        Action::View => view(&cx, args).await,
        Action::Delete => {
            let id = id(&args)?;
            let document = deletable(&cx, id).await?;
            let keep = if cx.platform().knowledge.trash_days == 0 { Keep::Nothing } else { Keep::Trash };
            calls::documents(&cx).delete(&Actor::at(cx.caller(), cx.now()), id, keep).await?;
            let days = cx.platform().knowledge.trash_days;
            Ok(Output::json(json!({"ok": true, "document_id": id, "title": document.title, "restorable_days": days})))
        }
        Action::Restore => {
            let document = calls::documents(&cx).restore(&Actor::at(cx.caller(), cx.now()), id(&args)?).await?;
            Ok(Output::json(json!({"ok": true, "document": shown(&document)})))
        }
    }
}

/// Checks that this caller can do this.
///
/// # Errors
///
/// If they cannot.
fn require(args: &Args, caller: &Caller) -> Result<()> {
    require_used(args)?;
    match args.action {
        Action::Delete | Action::Restore => caller.require("knowledge:write").and_then(|()| id(args)).map(drop),
        Action::Search | Action::List | Action::View => Ok(()),
    }
}

/// Checks that the action has a use for all that is given.
///
/// # Errors
///
/// If it has none for something.
fn require_used(args: &Args) -> Result<()> {
    use Action::{Delete, List, Restore, Search, View};
    let given: [(bool, &str, &[Action]); 5] = [
        (args.query.is_some(), "query", &[Search, List]),
        (args.document_id.is_some(), "document_id", &[View, Delete, Restore]),
        (args.status.is_some(), "status", &[List]),
        (args.offset.is_some(), "offset", &[Search, List, View]),
        (args.limit.is_some(), "limit", &[Search, List]),
    ];
    match given.into_iter().find(|(is_given, _, users)| *is_given && !users.contains(&args.action)) {
        None => Ok(()),
        Some((_, name, users)) => {
            let users: Vec<&str> = users.iter().map(|action| action.as_str()).collect();
            let (action, users) = (args.action.as_str(), users.join(" and "));
            Err(Error::invalid(format!("'{name}' is of no use to {action}: leave it out. It is for {users}.")))
        }
    }
}

/// Returns one page of documents, with the way to the next.
fn page(documents: Vec<Value>, from: usize, total: usize) -> Output {
    let end = from.saturating_add(documents.len());
    let next = (end < total && !documents.is_empty()).then_some(end);
    Output::json(json!({
        "count": documents.len(), "documents": documents, "total": total, "next_offset": next,
    }))
}

/// The documents whose passages answer best, each once; in all, those of the best passages that come at once.
async fn search(cx: &Context, args: Args) -> Result<Output> {
    let query = args.query.ok_or_else(|| Error::invalid("'query' is missing: search needs it."))?;
    let question = Question { query, limit: Some(100), ..Question::default() };
    let hits = calls::search(cx, &question).await?;
    let mut found: Vec<Value> = Vec::new();
    let mut seen = Vec::new();
    for hit in hits {
        if !seen.contains(&hit.document_id) {
            seen.push(hit.document_id);
            found.push(json!({
                "document_id": hit.document_id, "title": hit.title, "score": hit.score, "best_passage": hit.snippet(300),
            }));
        }
    }
    let (from, total) = (args.offset.unwrap_or_default() as usize, found.len());
    let documents = found.into_iter().skip(from).take(args.limit.unwrap_or(LISTED) as usize).collect();
    Ok(page(documents, from, total))
}

async fn list(cx: &Context, args: Args) -> Result<Output> {
    let (limit, offset) = (args.limit.unwrap_or(LISTED), args.offset.unwrap_or_default());
    let filter = Filter { q: args.query, status: args.status, limit, offset, ..Filter::default() };
    let (store, reader) = (&calls::documents(cx).documents, cx.caller().reader());
    let total = store.matching(reader.clone(), filter.clone()).await?;
    let found = store.list(reader, filter).await?;
    let documents = found.iter().map(shown).collect();
    Ok(page(documents, offset as usize, usize::try_from(total).unwrap_or(usize::MAX)))
}

async fn view(cx: &Context, args: Args) -> Result<Output> {
    let id = id(&args)?;
    let (document, text, _) = calls::documents(cx).documents.content(cx.caller().reader(), id).await?;
    let (from, length) = (args.offset.unwrap_or_default() as usize, text.chars().count());
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

fn id(args: &Args) -> Result<DocumentId> {
    let action = args.action.as_str();
    args.document_id.ok_or_else(|| Error::invalid(format!("'document_id' is missing: {action} needs it.")))
}

fn shown(document: &Document) -> Value {
    json!({
        "document_id": document.id, "title": document.title, "collection": document.collection_name,
        "kind": document.kind, "source": document.source, "status": document.status, "reason": document.reason,
        "bytes": document.bytes, "pages": document.pages, "updated_at": document.updated_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(arguments: Value) -> Option<String> {
        require_used(&serde_json::from_value(arguments).unwrap()).err().map(|error| error.message().to_owned())
    }

    #[test]
    fn what_an_action_has_no_use_for_is_refused() {
        let id = DocumentId::new();
        let wanted = "'limit' is of no use to view: leave it out. It is for search and list.";
        assert_eq!(refusal(json!({"action": "view", "document_id": id, "limit": 5})).as_deref(), Some(wanted));
        let wanted = "'status' is of no use to search: leave it out. It is for list.";
        assert_eq!(refusal(json!({"action": "search", "query": "a", "status": "ready"})).as_deref(), Some(wanted));
        assert!(refusal(json!({"action": "delete", "document_id": id, "offset": 1})).is_some());
        assert_eq!(refusal(json!({"action": "list", "query": "a", "status": "ready", "offset": 1, "limit": 2})), None);
        assert_eq!(refusal(json!({"action": "view", "document_id": id, "offset": 9})), None);
    }

    #[test]
    fn a_page_names_the_next_until_the_last() {
        let next = |count: usize, from: usize| page(vec![json!({}); count], from, 5).data["next_offset"].clone();
        assert_eq!([next(2, 0), next(2, 2), next(1, 4), next(0, 9)], [json!(2), json!(4), Value::Null, Value::Null]);
    }
}
