//! `/api/tools/{name}/learning`: what find_tools learned of a tool from use, and forgetting it.

use actix_web::{
    HttpResponse, delete, get,
    web::{Data, Path},
};

use super::{json::Json, services::Services, state::State, tools::visible};
use crate::{
    model::{caller::Caller, error::Result, learning::Learned},
    services::find::past::BOUND,
    store::people::Actor,
};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(learned).service(forget);
}

/// Needs learned of a tool: everybody's counted, the caller's own shown but to a key that is not personal.
#[utoipa::path(tag = "tools", responses((status = 200, body = Learned)))]
#[get("/api/tools/{name}/learning")]
async fn learned(state: Data<State>, caller: Caller, name: Path<String>) -> Result<Json<Learned>> {
    let tool = visible(&state, &caller, &name)?;
    let learning = state.finder.learner().stored();
    let person = caller.personal.then_some(caller.user);
    Ok(Json(learning.of_tool(&tool.spec().id(), person, BOUND).await?))
}

/// Forgets which needs a tool was used for, everybody's.
#[utoipa::path(tag = "tools", responses((status = 204)))]
#[delete("/api/tools/{name}/learning")]
async fn forget(state: Data<State>, by: Actor, name: Path<String>) -> Result<HttpResponse> {
    let tool = visible(&state, &by.caller, &name)?;
    state.finder.learner().stored().reset(&by, tool.spec().id()).await?;
    Ok(HttpResponse::NoContent().finish())
}
