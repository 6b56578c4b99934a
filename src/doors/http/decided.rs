//! `/api/tickets/decided`: what a person was asked and decided.

use actix_web::web::{Data, Query};
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
    call::decided::{DecidedTicket, Outcome},
    caller::Caller,
};
use satchel_store::tickets::DecidedFilter;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(decided, SignedIn).personal()]
}

/// Most questions one answer holds.
const MOST: u32 = 200;

/// The decided questions that are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct DecidedQuery {
    /// The end: `allowed`, `failed`, `refused` or `expired`.
    #[param(pattern = "^(allowed|failed|refused|expired)?$")]
    outcome: Option<String>,
    /// A part of the tool's name.
    tool: Option<String>,
    /// The number of questions; 50 if left out, 200 at most.
    limit: Option<u32>,
    /// Questions that were asked before this one: the id of the last one of the answer before.
    before: Option<String>,
}

/// The caller's questions that are decided, or lapsed, the newest first.
#[utoipa::path(get, path = "/api/tickets/decided", tag = "tickets", params(DecidedQuery),
    responses((status = 200, body = Vec<DecidedTicket>)))]
async fn decided(
    state: Data<State>,
    Who(caller): Who<Caller>,
    query: Query<DecidedQuery>,
) -> HttpResult<Json<Vec<DecidedTicket>>> {
    let DecidedQuery { outcome, tool, limit, before } = query.into_inner();
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let filter = DecidedFilter {
        outcome: given(outcome).as_deref().map(Outcome::parse).transpose()?,
        tool: given(tool),
        before: given(before).as_deref().map(id).transpose()?,
    };
    let limit = limit.unwrap_or(50).clamp(1, MOST);
    Ok(state.app.stores.tickets.decided(caller.user, filter, (state.app.clock.now(), limit)).await.map(Json)?)
}
