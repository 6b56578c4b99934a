//! Signing in and out, who one is, one's own password.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use serde::{Deserialize, Serialize};

use super::{
    body::Body,
    caller::Signed,
    client,
    json::Json,
    route::{Guard, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::{Caller, Credential},
    error::Result,
    secret::Secret,
    user::UserId,
};
use satchel_store::{people::Actor, sessions::SignedIn, users::OwnPassword};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(login, Guard::Public),
        route!(logout, Guard::Person),
        route!(me, Guard::SignedIn),
        route!(password, Guard::Person),
    ]
}

/// The caller.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Me {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    id: UserId,
    /// The user's name.
    username: String,
    /// The user's role.
    role: String,
    /// The permissions they have through this credential, now.
    permissions: Vec<String>,
    /// `session`, `key` or `local`.
    credential: &'static str,
}

impl Me {
    fn new(caller: &Caller, role: &str) -> Self {
        Self {
            id: caller.user,
            username: caller.username.clone(),
            role: role.to_owned(),
            permissions: caller.permissions.iter().map(str::to_owned).collect(),
            credential: match caller.credential {
                Credential::Session => "session",
                Credential::Key(_) => "key",
                Credential::Local => "local",
            },
        }
    }
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct Login {
    /// In whatever case.
    username: String,
    #[schema(value_type = String)]
    password: Secret,
}

/// Signs in and sets the session cookie. After failures one has to wait longer each time.
#[utoipa::path(post, path = "/api/auth/login", request_body = Login, tag = "auth", responses(
    (status = 200, body = Me),
    (status = 401, description = "The name or the password is wrong.", body = super::error::Problem),
    (status = 429, description = "Too many failures: wait as long as Retry-After says.", body = super::error::Problem),
))]
async fn login(request: HttpRequest, state: Data<State>, body: Body<Login>) -> HttpResult<HttpResponse> {
    let visit = client::visit(&request, &state);
    let signed = state.app.stores.people.sign_in(&body.0.username, body.0.password, visit).await?;
    Ok(welcome(&request, &state, &signed, HttpResponse::Ok()).await?)
}

/// Answers somebody who has just signed in: who they are, and the cookie.
pub(super) async fn welcome(
    request: &HttpRequest,
    state: &State,
    signed: &SignedIn,
    mut response: actix_web::HttpResponseBuilder,
) -> Result<HttpResponse> {
    let identity = state.app.stores.people.by_session(signed.token.expose(), state.app.clock.now()).await?;
    let cookie = client::session_cookie(request, state, &signed.token);
    Ok(response.cookie(cookie).json(Me::new(&identity.caller, &identity.role)))
}

/// Ends the session that asks.
#[utoipa::path(post, path = "/api/auth/logout",
    tag = "auth", responses((status = 204, description = "Signed out; the cookie is taken back.")))]
async fn logout(
    request: HttpRequest,
    state: Data<State>,
    signed: Signed,
    Who(by): Who<Actor>,
) -> HttpResult<HttpResponse> {
    if let Some(session) = signed.0.session {
        state.app.stores.people.sign_out(&by, session).await?;
    }
    Ok(HttpResponse::NoContent().cookie(client::no_cookie(&request, &state)).finish())
}

/// Returns who the caller is and what they may do.
#[utoipa::path(get, path = "/api/auth/me", tag = "auth", responses((status = 200, body = Me)))]
async fn me(signed: Signed) -> Json<Me> {
    Json(Me::new(&signed.0.caller, &signed.0.role))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct NewPassword {
    #[schema(value_type = String)]
    current: Secret,
    /// 10 characters at least.
    #[schema(value_type = String, min_length = 10, max_length = 1024)]
    new: Secret,
    /// Leaves one's API keys good; else they are revoked.
    #[serde(default)]
    keep_keys: bool,
}

/// Changes one's own password: one's other sessions end, and one's API keys are revoked unless they are to be kept.
#[utoipa::path(post, path = "/api/auth/password", request_body = NewPassword, tag = "auth", responses(
    (status = 204, description = "Changed."),
    (status = 429, description = "Too many wrong passwords.", body = super::error::Problem),
))]
async fn password(
    request: HttpRequest,
    state: Data<State>,
    Who(by): Who<Actor>,
    body: Body<NewPassword>,
) -> HttpResult<HttpResponse> {
    let address = client::address(&request, &state);
    let Body(NewPassword { current, new, keep_keys }) = body;
    let change = OwnPassword { current, new, keep_keys, address };
    state.app.stores.people.change_own_password(&by, change).await?;
    Ok(HttpResponse::NoContent().finish())
}
