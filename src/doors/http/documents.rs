//! `/api/knowledge/documents`: what there is to be found. A document that is not open to the caller is not found.

use actix_web::{
    HttpResponse,
    web::{Data, Path, Query},
};
use serde::{Deserialize, Serialize};

use super::{
    body::id,
    download::Download,
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_host::aside;
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    knowledge::{Chunk, ChunkId, CollectionId, Document, DocumentId, Status},
};
use satchel_store::{
    documents::{Filter, Keep},
    people::Actor,
};

/// Bytes of a passage in an answer beside its text, about.
const PLACE: u64 = 200;
/// A text of more bytes is cut beside the async threads.
const LONG: usize = 256 << 10;
/// Documents one answer holds unless told otherwise, and at most.
const LISTED: (u32, u32) = (100, 1_000);

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("knowledge:read")),
        route!(one, Permission("knowledge:read")),
        route!(remove, Permission("knowledge:write")),
        route!(chunks, Permission("knowledge:read")),
        route!(content, Permission("knowledge:read")),
        route!(file, Permission("knowledge:read")),
        route!(retry, Permission("knowledge:write")),
        route!(cancel, Permission("knowledge:write")),
        route!(restore, Permission("knowledge:write")),
    ]
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only of this collection.
    #[param(value_type = Option<String>, format = "uuid")]
    collection: Option<CollectionId>,
    /// Only those whose title or source holds this.
    q: Option<String>,
    /// Only in this state. Without it all come but those in the trash.
    status: Option<Status>,
    /// The number of documents; 100 if left out, 1000 at most.
    limit: Option<u32>,
    /// Only those that came before the document with this id.
    #[param(value_type = Option<String>, format = "uuid")]
    before: Option<DocumentId>,
}

/// The documents open to the caller, newest first.
#[utoipa::path(get, path = "/api/knowledge/documents",
    tag = "knowledge", params(ListQuery), responses((status = 200, body = Vec<Document>)))]
async fn list(
    state: Data<State>,
    Who(caller): Who<Caller>,
    query: Query<ListQuery>,
) -> HttpResult<Json<Vec<Document>>> {
    let ListQuery { collection, q, status, limit, before } = query.into_inner();
    let limit = limit.unwrap_or(LISTED.0).min(LISTED.1);
    let filter = Filter { collection, q, status, before, limit, offset: 0 };
    Ok(state.app.stores.knowledge.documents.list(caller.reader(), filter).await.map(Json)?)
}

/// One document, and how far taking it in is.
#[utoipa::path(get, path = "/api/knowledge/documents/{id}",
    tag = "knowledge", params(("id" = String, Path,)), responses((status = 200, body = Document)))]
async fn one(state: Data<State>, Who(caller): Who<Caller>, at: Path<String>) -> HttpResult<Json<Document>> {
    Ok(state.app.stores.knowledge.documents.get(caller.reader(), id(&at)?).await.map(Json)?)
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct DeleteQuery {
    /// `true` if nothing of it is kept, so that it cannot be restored.
    #[serde(default)]
    forever: bool,
}

/// Puts a document in the trash: it is found no more, and can be restored for a while. One that is there already is
/// removed for good.
#[utoipa::path(delete, path = "/api/knowledge/documents/{id}",
    tag = "knowledge", params(("id" = String, Path,), DeleteQuery), responses((status = 204)))]
async fn remove(
    state: Data<State>,
    Who(by): Who<Actor>,
    at: Path<String>,
    query: Query<DeleteQuery>,
) -> HttpResult<HttpResponse> {
    let now = query.forever || state.app.settings.get().knowledge.trash_days == 0;
    let keep = if now { Keep::Nothing } else { Keep::Trash };
    state.app.stores.knowledge.delete(&by, id(&at)?, keep).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// The passages of a document, in order.
#[utoipa::path(get, path = "/api/knowledge/documents/{id}/chunks",
    tag = "knowledge", params(("id" = String, Path,)), responses((status = 200, body = Vec<Chunk>)))]
async fn chunks(state: Data<State>, Who(caller): Who<Caller>, at: Path<String>) -> HttpResult<HttpResponse> {
    let (documents, id) = (&state.app.stores.knowledge.documents, id(&at)?);
    let bytes = text_bytes(&state, &caller, id).await?;
    Ok(state.delivery.load(caller.user, bytes, documents.chunks(caller.reader(), id)).await?)
}

/// The place of a passage in a document's text.
#[derive(Serialize, utoipa::ToSchema)]
struct ChunkPlace {
    /// The passage.
    id: ChunkId,
    /// Its beginning, in characters (Unicode code points) of the whole text.
    start: u64,
    /// Its end.
    end: u64,
    /// The page it begins on.
    page: Option<u32>,
}

/// The text that was read of a document.
#[derive(Serialize, utoipa::ToSchema)]
struct DocumentContent {
    /// Its title.
    title: String,
    /// The text, or the part of it that was asked for.
    text: String,
    /// The beginning of that part, in characters.
    start: u64,
    /// The length of the whole text, in characters.
    characters: u64,
    /// The passages that stand in it, in order.
    chunks: Vec<ChunkPlace>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ContentQuery {
    /// The first character wanted; 0 if left out.
    #[serde(default)]
    start: u64,
    /// The number of characters; all if left out.
    length: Option<u64>,
}

/// The text of a document, and where its passages stand in it.
#[utoipa::path(get, path = "/api/knowledge/documents/{id}/content",
    tag = "knowledge", params(("id" = String, Path,), ContentQuery),
    responses((status = 200, body = DocumentContent)))]
async fn content(
    state: Data<State>,
    Who(caller): Who<Caller>,
    at: Path<String>,
    query: Query<ContentQuery>,
) -> HttpResult<HttpResponse> {
    let (documents, id) = (&state.app.stores.knowledge.documents, id(&at)?);
    let bytes = text_bytes(&state, &caller, id).await?;
    let content = documents.content(caller.reader(), id);
    let part = async {
        let (document, whole, passages) = content.await?;
        if whole.len() <= LONG {
            return Ok(part_of(&document, whole, passages, &query));
        }
        let part = aside::run(move || part_of(&document, whole, passages, &query)).await?;
        part.ok_or_else(|| Error::internal("a part of a text could not be taken"))
    };
    Ok(state.delivery.load(caller.user, bytes, part).await?)
}

/// Bytes of a document's text and of its passages' places, about.
async fn text_bytes(state: &State, caller: &Caller, id: DocumentId) -> Result<usize> {
    let documents = &state.app.stores.knowledge.documents;
    let places = documents.get(caller.reader(), id).await?.chunks.saturating_mul(PLACE);
    Ok(index(documents.text_bytes(caller.reader(), id).await?.saturating_add(places)))
}

/// The part of a document's text that is asked for.
fn part_of(document: &Document, whole: String, passages: Vec<Chunk>, query: &ContentQuery) -> DocumentContent {
    let characters = whole.chars().count() as u64;
    let (start, end) = (query.start, query.start.saturating_add(query.length.unwrap_or(characters)));
    let text = match start == 0 && end >= characters {
        true => whole,
        false => whole.chars().skip(index(start)).take(index(end - start)).collect(),
    };
    let place = |chunk: Chunk| ChunkPlace { id: chunk.id, start: chunk.start, end: chunk.end, page: chunk.page };
    let places = passages.into_iter().filter(|chunk| chunk.start < end && chunk.end > start).map(place).collect();
    DocumentContent { title: document.title.clone(), text, start, characters, chunks: places }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The file of a document, as it came.
#[utoipa::path(get, path = "/api/knowledge/documents/{id}/file",
    tag = "knowledge", params(("id" = String, Path,)), responses(
    (status = 200, description = "The file", content_type = "application/octet-stream", body = Vec<u8>),
))]
async fn file(state: Data<State>, Who(caller): Who<Caller>, at: Path<String>) -> HttpResult<HttpResponse> {
    let id: DocumentId = id(&at)?;
    let knowledge = &state.app.stores.knowledge;
    let document = knowledge.documents.get(caller.reader(), id).await?;
    let name = knowledge.documents.file_name(caller.reader(), id).await?;
    let hash = document.sha256.ok_or_else(|| Error::not_found("The document's file was not fetched yet."))?;
    let file = knowledge.files.stream(&hash).await?;
    Ok(Download { file, name: &name, bytes: document.bytes }.send(&state.delivery, caller.user).await)
}

/// Tries a document again that failed or was stopped.
#[utoipa::path(post, path = "/api/knowledge/documents/{id}/retry",
    tag = "knowledge", params(("id" = String, Path,)), responses((status = 202, body = Document)))]
async fn retry(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<HttpResponse> {
    Ok(HttpResponse::Accepted().json(state.app.stores.knowledge.retry(&by, id(&at)?).await?))
}

/// Stops the work on a document at once. What it was found by before stays.
#[utoipa::path(post, path = "/api/knowledge/documents/{id}/cancel",
    tag = "knowledge", params(("id" = String, Path,)), responses((status = 200, body = Document)))]
async fn cancel(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<Json<Document>> {
    Ok(state.app.stores.knowledge.cancel(&by, id(&at)?).await.map(Json)?)
}

/// Takes a document out of the trash; it is read again.
#[utoipa::path(post, path = "/api/knowledge/documents/{id}/restore",
    tag = "knowledge", params(("id" = String, Path,)), responses((status = 202, body = Document)))]
async fn restore(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<HttpResponse> {
    Ok(HttpResponse::Accepted().json(state.app.stores.knowledge.restore(&by, id(&at)?).await?))
}
