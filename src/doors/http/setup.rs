//! The first owner.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Data, web::Json};
use serde::{Deserialize, Serialize};

use super::{auth, body::Body, client, services::Services, state::State};
use crate::model::{error::Result, secret::Secret, user::Username};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(needed).service(set_up);
}

/// Whether there is an owner yet.
#[derive(Serialize, utoipa::ToSchema)]
struct Setup {
    /// Nobody is there: open the link the start printed.
    needed: bool,
}

/// Whether the first owner is still to be made.
#[utoipa::path(tag = "setup", responses((status = 200, body = Setup)))]
#[get("/api/setup")]
async fn needed(state: Data<State>) -> Result<Json<Setup>> {
    Ok(Json(Setup { needed: state.app.people.needs_owner().await? }))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct Owner {
    /// From the link.
    token: String,
    #[schema(value_type = String)]
    username: Username,
    /// 10 characters at least.
    #[schema(value_type = String)]
    password: Secret,
}

/// Makes the owner, once, and signs him in.
#[utoipa::path(request_body = Owner, tag = "setup", responses(
    (status = 201, body = auth::Me),
    (status = 403, description = "Not the link of this start, or it has lapsed.", body = super::error::Problem),
    (status = 409, description = "There is an owner already.", body = super::error::Problem),
))]
#[post("/api/setup")]
async fn set_up(request: HttpRequest, state: Data<State>, body: Body<Owner>) -> Result<HttpResponse> {
    let Owner { token, username, password } = body.0;
    let visit = client::visit(&request, &state);
    let signed = state.app.people.set_up(&token, username, password, visit).await?;
    auth::welcome(&request, &state, &signed, HttpResponse::Created()).await
}
