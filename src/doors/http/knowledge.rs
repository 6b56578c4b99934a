//! `/api/knowledge/search` and `/why`: passages that answer, and why one did not come.

use std::time::Instant;

use actix_web::web::Data;
use serde::{Deserialize, Serialize};

use super::{
    body::Body,
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_formats::extracted::Kind;
use satchel_model::{
    caller::Caller,
    error::Error,
    knowledge::{ChunkId, DocumentId},
};
use satchel_services::knowledge::{
    search::{self, Hit, Question},
    why::{self, Missing, Stage},
};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(find, Permission("knowledge:read")), route!(explain, Permission("knowledge:read"))]
}

/// Passages that were found.
#[derive(Serialize, utoipa::ToSchema)]
struct KnowledgeResults {
    /// The best first.
    results: Vec<Hit>,
    /// The duration in milliseconds.
    took_ms: f64,
}

/// The passages that answer a question best, by words and meaning, among the documents open to the caller.
#[utoipa::path(post, path = "/api/knowledge/search",
    request_body = Question, tag = "knowledge", responses((status = 200, body = KnowledgeResults)))]
async fn find(
    state: Data<State>,
    Who(caller): Who<Caller>,
    body: Body<Question>,
) -> HttpResult<Json<KnowledgeResults>> {
    let begun = Instant::now();
    let results = search::search(&state.app, caller.reader(), &body.0).await?;
    let took_ms = (begun.elapsed().as_secs_f64() * 100_000.0).round() / 100.0;
    Ok(Json(KnowledgeResults { results, took_ms }))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WhyNotFound)]
struct Why {
    /// The question that was asked.
    #[schema(min_length = 1, pattern = r"\S")]
    query: String,
    /// The document that should have come.
    #[schema(value_type = Option<String>, format = "uuid")]
    document_id: Option<DocumentId>,
    /// Or the passage.
    chunk_id: Option<ChunkId>,
    /// The number of results of the answer; 5 if left out.
    limit: Option<usize>,
    /// The collections it was asked of, by id or name; all if left out.
    #[serde(default)]
    collections: Vec<String>,
    /// The documents it was asked of; all if left out.
    #[serde(default)]
    #[schema(value_type = Vec<String>, format = "uuid")]
    documents: Vec<DocumentId>,
    /// The kinds of documents it was asked of; all if left out.
    #[serde(default)]
    kinds: Vec<Kind>,
}

/// The verdict of each stage of the search on a passage.
#[derive(Serialize, utoipa::ToSchema)]
struct KnowledgeStages {
    /// In their order; the first that was not passed lost it.
    stages: Vec<Stage>,
}

/// Says which stage of the search lost a passage.
#[utoipa::path(post, path = "/api/knowledge/why",
    request_body = Why, tag = "knowledge", responses((status = 200, body = KnowledgeStages)))]
async fn explain(state: Data<State>, Who(caller): Who<Caller>, body: Body<Why>) -> HttpResult<Json<KnowledgeStages>> {
    let Why { query, document_id, chunk_id, limit, collections, documents, kinds } = body.0;
    let missing = match (document_id, chunk_id) {
        (Some(id), None) => Missing::Document(id),
        (None, Some(id)) => Missing::Chunk(id),
        _ => return Err(Error::invalid("Name what is missing: either 'document_id' or 'chunk_id'.").into()),
    };
    let question = Question { query, limit, collections, documents, kinds, explain: false };
    let stages = why::why(&state.app, caller.reader(), &question, missing).await?;
    Ok(Json(KnowledgeStages { stages }))
}
