//! `/api/origins`: what is kept from outside, for a person to see, and to vouch for once they have read it.

use actix_web::{HttpResponse, get, post, web::Data};

use super::{body::Body, json::Json, services::Services, state::State};
use crate::{
    model::{caller::Caller, error::Result},
    store::{
        origins::{FromOutside, Origins, Vouch},
        people::Actor,
    },
};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(list).service(vouch);
}

/// Things kept from outside that nobody has vouched for, the latest first: the caller's own, and with `index:read` what
/// everybody shares. Reading any of it with a tool brings content from outside into a conversation.
#[utoipa::path(tag = "origins", operation_id = "origins", responses((status = 200, body = Vec<FromOutside>)))]
#[get("/api/origins")]
async fn list(state: Data<State>, caller: Caller) -> Result<Json<Vec<FromOutside>>> {
    Origins::new(&state.app.db).list(&caller).await.map(Json)
}

/// Vouches for something kept: the person has read it, and it may be used as their own. What everybody shares takes
/// `index:write`. Refused where it has changed since it was read.
#[utoipa::path(tag = "origins", request_body = Vouch, responses((status = 204)))]
#[post("/api/origins/vouch")]
async fn vouch(state: Data<State>, by: Actor, body: Body<Vouch>) -> Result<HttpResponse> {
    Origins::new(&state.app.db).vouch(&by, body.0).await?;
    Ok(HttpResponse::NoContent().finish())
}
