//! `/api/providers/{id}/price`: the price of a provider's model, from which costs are counted from then on.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};

use super::{
    body::{Body, id},
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::price::Price;
use satchel_store::{people::Actor, prices};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(set, Permission("settings:manage")), route!(clear, Permission("settings:manage"))]
}

/// Sets the price of the model a provider has now. What was used before has the cost it had, or none.
#[utoipa::path(put, path = "/api/providers/{id}/price",
    request_body = Price, tag = "providers", params(("id" = String, Path,)), responses((status = 200, body = Price)))]
async fn set(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<Price>,
) -> HttpResult<Json<Price>> {
    let provider = state.agent.providers().get(id(&path)?).await?;
    prices::set(&state.app.db, &by, &provider, body.0.clone()).await?;
    Ok(Json(body.0))
}

/// Takes the price of the model a provider has now away: its tokens have no cost from then on.
#[utoipa::path(delete, path = "/api/providers/{id}/price",
    tag = "providers", params(("id" = String, Path,)), responses((status = 204, description = "It has no price any more.")))]
async fn clear(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<HttpResponse> {
    let provider = state.agent.providers().get(id(&path)?).await?;
    prices::clear(&state.app.db, &by, &provider).await?;
    Ok(HttpResponse::NoContent().finish())
}
