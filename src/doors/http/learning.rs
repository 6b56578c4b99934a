//! `/api/tools/{name}/learning`: what find_tools learned of a tool from use, and forgetting it.

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
use satchel_model::{caller::Caller, learning::Learned};
use satchel_services::find::past::BOUND;
use satchel_store::people::Actor;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(learned, SignedIn), route!(forget, Permission("settings:manage"))]
}

/// Needs learned of a tool: everybody's counted, the caller's own shown but to a key that is not personal.
#[utoipa::path(get, path = "/api/tools/{name}/learning", tag = "tools", responses((status = 200, body = Learned)))]
async fn learned(state: Data<State>, Who(caller): Who<Caller>, name: Path<String>) -> HttpResult<Json<Learned>> {
    let tool = visible(&state, &caller, &name)?;
    let learning = state.finder.learner().stored();
    let person = caller.personal.then_some(caller.user);
    Ok(Json(learning.of_tool(&tool.spec().id(), person, BOUND).await?))
}

/// Forgets which needs a tool was used for, everybody's.
#[utoipa::path(delete, path = "/api/tools/{name}/learning", tag = "tools", responses((status = 204)))]
async fn forget(state: Data<State>, Who(by): Who<Actor>, name: Path<String>) -> HttpResult<HttpResponse> {
    let tool = visible(&state, &by.caller, &name)?;
    state.finder.learner().stored().reset(&by, tool.spec().id()).await?;
    Ok(HttpResponse::NoContent().finish())
}
