//! `/api/search`: what the palette looks through, and what it opened.

use actix_web::{
    HttpResponse,
    web::{Data, Query},
};
use serde::{Deserialize, Serialize};

use super::{
    body::Body,
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::Caller,
    launch::{Kind, Thing},
    policy::Situation,
};
use satchel_services::launcher::Launcher;

/// Most things one answer names.
const MOST: usize = 50;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(everywhere, SignedIn), route!(used, SignedIn).personal()]
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
struct SearchQuery {
    /// The text to look for; empty gives what the caller opens most.
    q: String,
    /// The number of things to name; 10 if left out, 50 at most.
    limit: Option<usize>,
}

/// The things that were found.
#[derive(Serialize, utoipa::ToSchema)]
struct Things {
    /// The best first.
    results: Vec<Thing>,
}

/// Finds tools, pages, documents and conversations the caller may open, by name and habit.
#[utoipa::path(get, path = "/api/search",
    tag = "platform", params(SearchQuery), responses((status = 200, body = Things)))]
async fn everywhere(
    state: Data<State>,
    Who(caller): Who<Caller>,
    query: Query<SearchQuery>,
) -> HttpResult<Json<Things>> {
    let SearchQuery { q, limit } = query.into_inner();
    let (registry, policy) = (state.invoker.registry(), state.invoker.policy(&Situation::default()));
    let launcher = Launcher::new(&state.app, &registry, &caller, &policy);
    Ok(Json(Things { results: launcher.search(&q, limit.unwrap_or(10).min(MOST)).await? }))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct Used {
    /// The kind of thing that was opened.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    kind: Kind,
    /// Its id, as the search gave it.
    id: String,
}

/// Notes that the caller opened something: it ranks higher from now on.
#[utoipa::path(post, path = "/api/search/used", request_body = Used, tag = "platform", responses((status = 204)))]
async fn used(state: Data<State>, Who(caller): Who<Caller>, body: Body<Used>) -> HttpResult<HttpResponse> {
    let (registry, policy) = (state.invoker.registry(), state.invoker.policy(&Situation::default()));
    Launcher::new(&state.app, &registry, &caller, &policy).used(body.0.kind, &body.0.id).await?;
    Ok(HttpResponse::NoContent().finish())
}
