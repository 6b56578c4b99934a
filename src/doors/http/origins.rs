//! `/api/origins`: what is kept from outside, for a person to see, and to vouch for once they have read it.

use actix_web::{HttpResponse, web::Data};

use super::{
    body::Body,
    json::Json,
    route::{Guard::Person, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::caller::Caller;
use satchel_store::{
    origins::{FromOutside, Origins, Vouch},
    people::Actor,
};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list, Person), route!(vouch, Person)]
}

/// Things kept from outside that nobody has vouched for, the latest first: the caller's own, and with `index:read` what
/// everybody shares. Reading any of it with a tool brings content from outside into a conversation.
#[utoipa::path(get, path = "/api/origins",
    tag = "origins", operation_id = "origins", responses((status = 200, body = Vec<FromOutside>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Vec<FromOutside>>> {
    Ok(Origins::new(&state.app.db).list(&caller).await.map(Json)?)
}

/// Vouches for something kept: the person has read it, and it may be used as their own. What everybody shares takes
/// `index:write`. Refused where it has changed since it was read.
#[utoipa::path(post, path = "/api/origins/vouch", tag = "origins", request_body = Vouch, responses((status = 204)))]
async fn vouch(state: Data<State>, Who(by): Who<Actor>, body: Body<Vouch>) -> HttpResult<HttpResponse> {
    Origins::new(&state.app.db).vouch(&by, body.0).await?;
    Ok(HttpResponse::NoContent().finish())
}
