//! `/api/egress`: what left this machine, and what was kept from leaving.

use actix_web::web::{Data, Query};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::error::HttpResult;
use satchel_model::{
    egress::{Passed, Row},
    error::Error,
    id::shorten,
};
use satchel_store::egress::{self, Filter, Summary};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list, Permission("audit:read")), route!(summary, Permission("audit:read"))]
}

/// Most rows one answer holds.
const MAX_ROWS: u32 = 500;

/// The rows that are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct EgressQuery {
    /// The number of rows; 50 if left out, 500 at most.
    limit: Option<u32>,
    /// Rows before this number: the `next` of the answer before.
    before: Option<i64>,
    /// A host; with a dot before it, every host below it.
    host: Option<String>,
    /// A tool's id or bare name, or a part of the product: `models`, `model_download`, `ingest`.
    tool: Option<String>,
    /// A user's name.
    user: Option<String>,
    /// A call's id.
    call_id: Option<String>,
    /// The end of the attempt: `done`, `refused` or `failed`; `open` is under way.
    #[param(pattern = "^(done|refused|failed|open)?$")]
    outcome: Option<String>,
    /// Only what the guard refused.
    refused: Option<bool>,
}

/// Rows, the newest first.
#[derive(Serialize, ToSchema)]
pub(super) struct EgressPage {
    /// The rows.
    entries: Vec<Row>,
    /// Give it as `before` for the rows that follow; null at the end.
    next: Option<i64>,
}

/// The newest rows that pass. What has crossed by now is among them.
#[utoipa::path(get, path = "/api/egress",
    tag = "egress", params(EgressQuery), responses((status = 200, body = EgressPage)))]
async fn list(state: Data<State>, query: Query<EgressQuery>) -> HttpResult<Json<EgressPage>> {
    let query = query.into_inner();
    let limit = query.limit.unwrap_or(50).clamp(1, MAX_ROWS);
    let outcome = match (query.outcome.as_deref().filter(|text| !text.is_empty()), query.refused) {
        (Some(text), _) => Some(Passed::parse(text).ok_or_else(|| {
            let text = shorten(text);
            Error::invalid(format!("'{text}' is no way an attempt ends: write done, refused, failed or open."))
        })?),
        (None, Some(true)) => Some(Passed::Refused),
        (None, _) => None,
    };
    let EgressQuery { before, host, tool, user, call_id, .. } = query;
    let filter = Filter { before, host, by: tool, user, call: call_id, outcome };
    state.app.net.egress.settle().await;
    let entries = egress::find(&state.app.db, filter, limit).await?;
    let full = entries.len() == limit as usize;
    let next = entries.last().map(|row| row.id).filter(|_| full);
    Ok(Json(EgressPage { entries, next }))
}

/// The ledger in short: hosts with what went to and came from each, tools, people, outcomes.
#[utoipa::path(get, path = "/api/egress/summary", tag = "egress", responses((status = 200, body = Summary)))]
async fn summary(state: Data<State>) -> HttpResult<Json<Summary>> {
    state.app.net.egress.settle().await;
    Ok(Json(egress::summary(&state.app.db).await?))
}
