//! `/api/tools/{name}/stats`: how a tool has fared, day by day, and forgetting what was learned of it.

use actix_web::{
    HttpResponse, delete, get,
    web::{Data, Path},
};

use super::{json::Json, services::Services, state::State, tools::visible};
use crate::{
    model::{caller::Caller, error::Result},
    store::{
        outcomes::{Day, Outcomes},
        people::Actor,
    },
};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(days).service(reset);
}

/// A tool's last seven days (UTC), the oldest first, days without a call included.
#[utoipa::path(tag = "tools", responses((status = 200, body = Vec<Day>)))]
#[get("/api/tools/{name}/stats")]
async fn days(state: Data<State>, caller: Caller, name: Path<String>) -> Result<Json<Vec<Day>>> {
    let tool = visible(&state, &caller, &name)?;
    Ok(Json(Outcomes::of(&state.app.db).days(&tool.spec().id(), state.app.clock.now()).await?))
}

/// Forgets what was learned of a tool.
#[utoipa::path(tag = "tools", responses((status = 204)))]
#[delete("/api/tools/{name}/stats")]
async fn reset(state: Data<State>, by: Actor, name: Path<String>) -> Result<HttpResponse> {
    let tool = visible(&state, &by.caller, &name)?;
    Outcomes::of(&state.app.db).reset(&by, tool.spec().id()).await?;
    Ok(HttpResponse::NoContent().finish())
}
