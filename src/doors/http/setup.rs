//! The first owner.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use serde::{Deserialize, Serialize};

use super::{
    auth,
    body::Body,
    client,
    json::Json,
    route::{Guard::Public, Route, route},
    state::State,
};
use crate::http::error::HttpResult;
use satchel_model::{backup::Progress, secret::Secret, user::Username};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(needed, Public), route!(look_at_link, Public), route!(set_up, Public)]
}

/// The answer to whether there is an owner yet.
#[derive(Serialize, utoipa::ToSchema)]
struct Setup {
    /// Nobody is there: open the link the start printed.
    needed: bool,
    /// Progress of the restoring of a backup, while one runs.
    restoring: Option<Progress>,
    /// A restored backup could not take the place of what was there when this server started: the log says why.
    restore_undone: bool,
}

/// Returns whether the first owner is still to be made.
#[utoipa::path(get, path = "/api/setup", tag = "setup", responses((status = 200, body = Setup)))]
async fn needed(state: Data<State>) -> HttpResult<Json<Setup>> {
    Ok(Json(Setup {
        needed: state.app.stores.people.needs_owner().await?,
        restoring: state.backups.restoring(),
        restore_undone: state.backups.is_undone(),
    }))
}

/// A set-up link.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct SetupLink {
    /// From the link.
    token: String,
}

/// Checks whether a link can be used, before anything is filled in.
#[utoipa::path(post, path = "/api/setup/link", request_body = SetupLink, tag = "setup", responses(
    (status = 204, description = "It can be used."),
    (status = 403, description = "Not the link of this start, or it has lapsed.", body = super::error::Problem),
    (status = 409, description = "There is an owner already.", body = super::error::Problem),
))]
async fn look_at_link(state: Data<State>, body: Body<SetupLink>) -> HttpResult<HttpResponse> {
    state.app.stores.people.check_link(&body.0.token, state.app.clock.now()).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct Owner {
    /// From the link.
    token: String,
    #[schema(value_type = String, min_length = 1, max_length = 64, pattern = r"^[\w.@-]+$")]
    username: Username,
    /// 10 characters at least.
    #[schema(value_type = String, min_length = 10, max_length = 1024)]
    password: Secret,
}

/// Makes the owner, once, and signs them in.
#[utoipa::path(post, path = "/api/setup", request_body = Owner, tag = "setup", responses(
    (status = 201, body = auth::Me),
    (status = 403, description = "Not the link of this start, or it has lapsed.", body = super::error::Problem),
    (status = 409, description = "There is an owner already.", body = super::error::Problem),
))]
async fn set_up(request: HttpRequest, state: Data<State>, body: Body<Owner>) -> HttpResult<HttpResponse> {
    let Owner { token, username, password } = body.0;
    let visit = client::visit(&request, &state);
    let signed = state.app.stores.people.set_up(&token, username, password, visit).await?;
    Ok(auth::welcome(&request, &state, &signed, HttpResponse::Created()).await?)
}
