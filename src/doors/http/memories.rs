//! `/api/memories`: what is remembered of the caller. Nobody else's are found, an administrator's request included (R4).

use actix_web::{
    HttpResponse, delete, get, patch, post,
    web::{Data, Json, Path, Query},
};
use serde::Deserialize;
use utoipa_actix_web::service_config::ServiceConfig;

use super::{
    body::{Body, id},
    state::State,
};
use crate::{
    model::{
        caller::Caller,
        error::{Error, Result},
        memory::{Layer, Memory, MemoryChange, NewMemory},
    },
    store::memory::{Memories, Search},
};

/// Most memories one answer holds.
const MOST: usize = 500;

pub(super) fn services(config: &mut ServiceConfig<'_>) {
    config.service(list).service(create).service(change).service(remove);
}

fn own(state: &State, caller: &Caller) -> Memories {
    Memories::of(&state.app.db, caller.user)
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// What they should be about; left out, the newest come.
    q: Option<String>,
}

/// The caller's memories: the newest, or those about something, the best first.
#[utoipa::path(tag = "memories", params(ListQuery), responses((status = 200, body = Vec<Memory>)))]
#[get("/api/memories")]
async fn list(state: Data<State>, caller: Caller, query: Query<ListQuery>) -> Result<Json<Vec<Memory>>> {
    let memories = own(&state, &caller);
    let about = query.into_inner().q.filter(|text| !text.trim().is_empty());
    let found = match about {
        None => memories.recent(Vec::new(), MOST).await?,
        Some(query) => {
            let search = Search { query, layers: Vec::new(), threshold: 0.0, limit: MOST };
            memories.search(search).await?.into_iter().map(|found| found.memory).collect()
        }
    };
    Ok(Json(found))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewMemory)]
struct Create {
    /// What to remember.
    content: String,
    /// `general` if left out.
    category: Option<String>,
    /// Its kind; a fact if left out.
    #[serde(default)]
    layer: Layer,
    /// A short name of its own.
    key: Option<String>,
}

/// Remembers something. What says the same as an earlier memory renews that one.
#[utoipa::path(request_body = Create, tag = "memories", responses((status = 201, body = Memory)))]
#[post("/api/memories")]
async fn create(state: Data<State>, caller: Caller, body: Body<Create>) -> Result<HttpResponse> {
    let Create { content, category, layer, key } = body.0;
    let new = NewMemory::new(&content, layer)?.with_category(category.as_deref())?.with_key(key.as_deref())?;
    let saved = own(&state, &caller).save(vec![new], None, state.app.clock.now()).await?;
    let memory = saved.into_iter().next().ok_or_else(|| Error::internal("a saved memory is missing"))?.memory;
    Ok(HttpResponse::Created().json(memory))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MemoryChange)]
struct Change {
    /// What is remembered.
    content: Option<String>,
    /// Its category.
    category: Option<String>,
    /// Its kind.
    layer: Option<Layer>,
    /// Its short name.
    key: Option<String>,
}

/// Changes one of the caller's memories; what the body leaves out stays.
#[utoipa::path(request_body = Change, tag = "memories", responses((status = 200, body = Memory)))]
#[patch("/api/memories/{id}")]
async fn change(state: Data<State>, caller: Caller, at: Path<String>, body: Body<Change>) -> Result<Json<Memory>> {
    let Change { content, category, layer, key } = body.0;
    let change = MemoryChange { layer, category, content, key };
    own(&state, &caller).update(id(&at)?, change, state.app.clock.now()).await.map(Json)
}

/// Forgets one of the caller's memories.
#[utoipa::path(tag = "memories", responses((status = 204)))]
#[delete("/api/memories/{id}")]
async fn remove(state: Data<State>, caller: Caller, at: Path<String>) -> Result<HttpResponse> {
    own(&state, &caller).delete(id(&at)?).await?;
    Ok(HttpResponse::NoContent().finish())
}
