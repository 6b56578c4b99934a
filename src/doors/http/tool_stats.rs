//! `/api/tools/{name}/stats`: how a tool has fared, day by day, and forgetting what was learned of it.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};

use super::{
    json::Json,
    route::{
        Guard::{Permission, SignedIn},
        Route, route,
    },
    state::State,
    tools::visible,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::caller::Caller;
use satchel_store::{
    outcomes::{Day, Outcomes},
    people::Actor,
};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(days, SignedIn), route!(reset, Permission("settings:manage"))]
}

/// A tool's last seven days (UTC), the oldest first, days without a call included.
#[utoipa::path(get, path = "/api/tools/{name}/stats", tag = "tools", responses((status = 200, body = Vec<Day>)))]
async fn days(state: Data<State>, Who(caller): Who<Caller>, name: Path<String>) -> HttpResult<Json<Vec<Day>>> {
    let tool = visible(&state, &caller, &name)?;
    Ok(Json(Outcomes::new(&state.app.db).days(&tool.spec().id(), state.app.clock.now()).await?))
}

/// Forgets what was learned of a tool.
#[utoipa::path(delete, path = "/api/tools/{name}/stats", tag = "tools", responses((status = 204)))]
async fn reset(state: Data<State>, Who(by): Who<Actor>, name: Path<String>) -> HttpResult<HttpResponse> {
    let tool = visible(&state, &by.caller, &name)?;
    Outcomes::new(&state.app.db).reset(&by, tool.spec().id()).await?;
    Ok(HttpResponse::NoContent().finish())
}
