//! `/api/memories`: what is remembered of the caller. Nobody else's are found, an administrator's request included.

use actix_web::{
    HttpResponse, Responder,
    http::header::CONTENT_DISPOSITION,
    web::{Data, Path, Query},
};
use serde::{Deserialize, Serialize};

use super::{
    body::{Body, id},
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::Caller,
    error::Error,
    memory::{Layer, Memory, MemoryChange, NewMemory},
    origin::Origin,
};
use satchel_services::remembering::{Ask, Remembering};
use satchel_store::memory::{Forgotten, Saved};

/// Most memories one answer holds.
const MOST: usize = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, SignedIn).personal(),
        route!(create, SignedIn).personal(),
        route!(export, SignedIn).personal(),
        route!(change, SignedIn).personal(),
        route!(remove, SignedIn).personal(),
    ]
}

fn own(state: &State, caller: &Caller) -> Remembering {
    Remembering::new(&state.app, caller.user)
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// The subject they should be about; left out, the newest come.
    q: Option<String>,
    /// Only this layer.
    layer: Option<Layer>,
}

/// The caller's memories: the newest, or those about something, the best first.
#[utoipa::path(get, path = "/api/memories",
    tag = "memories", params(ListQuery), responses((status = 200, body = Vec<Memory>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>, query: Query<ListQuery>) -> HttpResult<Json<Vec<Memory>>> {
    let memories = own(&state, &caller);
    let ListQuery { q, layer } = query.into_inner();
    let layers = layer.into_iter().collect();
    let found = match q.filter(|text| !text.trim().is_empty()) {
        None => memories.recent(layers, MOST).await?,
        Some(query) => {
            let ask = Ask { query, layers, threshold: None, limit: MOST };
            memories.search(ask).await?.into_iter().map(|found| found.memory).collect()
        }
    };
    Ok(Json(found))
}

/// All of the caller's memories, with their earlier wordings, as a file to keep.
#[utoipa::path(get, path = "/api/memories/export", tag = "memories", responses((status = 200, body = Vec<Memory>)))]
async fn export(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<impl Responder> {
    let all = own(&state, &caller).recent(Vec::new(), usize::MAX).await?;
    let name = (CONTENT_DISPOSITION, "attachment; filename=\"memories.json\"");
    Ok(Json(all).customize().insert_header(name))
}

/// A memory as it was kept, and what became of others by that.
#[derive(Serialize, utoipa::ToSchema)]
struct SavedMemory {
    #[serde(flatten)]
    memory: Memory,
    /// It was there already, in these words or nearly, and was renewed.
    merged: bool,
    /// The text before, where this corrects it.
    replaced: Option<String>,
    /// The memories that were forgotten to make room for it.
    forgotten: Vec<Forgotten>,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewMemory)]
struct Create {
    /// The text to remember.
    #[schema(min_length = 1, max_length = 4_000, pattern = r"\S")]
    content: String,
    /// `general` if left out.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    category: Option<String>,
    /// Its kind; a fact if left out.
    #[serde(default)]
    layer: Layer,
    /// A short name of its own.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    key: Option<String>,
}

/// Remembers something. What says the same as an earlier memory renews that one; a new value takes an old one's place.
#[utoipa::path(post, path = "/api/memories",
    request_body = Create, tag = "memories", responses((status = 201, body = SavedMemory)))]
async fn create(state: Data<State>, Who(caller): Who<Caller>, body: Body<Create>) -> HttpResult<HttpResponse> {
    let Create { content, category, layer, key } = body.0;
    let new = NewMemory::new(&content, layer)?.with_category(category.as_deref())?.with_key(key.as_deref())?;
    let new = new.with_origin(Origin::of_program(&caller, "api", state.app.clock.now()));
    let saved = own(&state, &caller).save(vec![new], None).await?;
    let saved = saved.into_iter().next().ok_or_else(|| Error::internal("a saved memory is missing"))?;
    let Saved { memory, merged, replaced, forgotten } = saved;
    Ok(HttpResponse::Created().json(SavedMemory { memory, merged, replaced, forgotten }))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MemoryChange)]
struct Change {
    /// The text that is remembered.
    #[schema(min_length = 1, max_length = 4_000, pattern = r"\S")]
    content: Option<String>,
    /// Its category.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    category: Option<String>,
    /// Its kind.
    layer: Option<Layer>,
    /// Its short name.
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    key: Option<String>,
}

/// Changes one of the caller's memories; what the body leaves out stays.
#[utoipa::path(patch, path = "/api/memories/{id}",
    request_body = Change, tag = "memories", responses((status = 200, body = Memory)))]
async fn change(
    state: Data<State>,
    Who(caller): Who<Caller>,
    at: Path<String>,
    body: Body<Change>,
) -> HttpResult<Json<Memory>> {
    let Change { content, category, layer, key } = body.0;
    let origin = Origin::of_program(&caller, "api", state.app.clock.now());
    let change = MemoryChange { layer, category, content, key, vector: None, origin };
    Ok(own(&state, &caller).update(id(&at)?, change).await.map(Json)?)
}

/// Forgets one of the caller's memories.
#[utoipa::path(delete, path = "/api/memories/{id}", tag = "memories", responses((status = 204)))]
async fn remove(state: Data<State>, Who(caller): Who<Caller>, at: Path<String>) -> HttpResult<HttpResponse> {
    own(&state, &caller).delete(id(&at)?).await?;
    Ok(HttpResponse::NoContent().finish())
}
