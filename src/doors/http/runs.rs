//! `/api/runs`: what agents do and did for somebody.

use actix_web::web::{Data, Path, Query};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    body::id,
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::Caller,
    run::{Run, RunKind, RunState},
};
use satchel_store::runs::Filter;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list, SignedIn).personal(), route!(one, SignedIn).personal(), route!(stop, SignedIn).personal()]
}

/// Most runs one answer holds.
const MOST: u32 = 500;

/// The runs that are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct RunsQuery {
    /// The kind of request.
    #[param(pattern = "^(chat|sub|job|channel|api|acp)?$")]
    kind: Option<String>,
    /// The id of an agent.
    agent: Option<String>,
    /// The state.
    #[param(pattern = "^(queued|running|waiting|done|failed|cancelled|uncertain)?$")]
    state: Option<String>,
    /// The number of runs; 50 if left out, 500 at most.
    limit: Option<u32>,
    /// Runs that were begun before this one: the id of the last one of the answer before.
    before: Option<String>,
}

/// The newest runs that pass, the newest first: the caller's own. A caller who holds `*` sees that others' exist and what
/// they took.
#[utoipa::path(get, path = "/api/runs",
    tag = "runs", params(RunsQuery), responses((status = 200, body = Vec<Run>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>, query: Query<RunsQuery>) -> HttpResult<Json<Vec<Run>>> {
    let RunsQuery { kind, agent, state: wanted, limit, before } = query.into_inner();
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let filter = Filter {
        kind: given(kind).as_deref().map(RunKind::parse).transpose()?,
        agent: given(agent),
        state: given(wanted).as_deref().map(RunState::parse).transpose()?,
        before: given(before).as_deref().map(id).transpose()?,
    };
    let limit = limit.unwrap_or(50).clamp(1, MOST);
    Ok(state.agent.runs(&caller, filter, limit).await.map(Json)?)
}

/// A run.
#[utoipa::path(get, path = "/api/runs/{id}",
    tag = "runs", params(("id" = String, Path,)), responses((status = 200, body = Run)))]
async fn one(state: Data<State>, Who(caller): Who<Caller>, path: Path<String>) -> HttpResult<Json<Run>> {
    Ok(state.agent.one_run(&caller, id(&path)?).await.map(Json)?)
}

/// Stops a run of the caller's and all that it began, at once. One that is over stays as it is.
#[utoipa::path(post, path = "/api/runs/{id}/stop",
    tag = "runs", params(("id" = String, Path,)), responses((status = 200, body = Run)))]
async fn stop(state: Data<State>, Who(caller): Who<Caller>, path: Path<String>) -> HttpResult<Json<Run>> {
    Ok(state.agent.stop_run(&caller, id(&path)?).await.map(Json)?)
}
