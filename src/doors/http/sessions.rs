//! Signed-in browsers: one's own, and those of users one manages.

use actix_web::{
    HttpResponse,
    web::{Data, Path, Query},
};

use super::{
    body::id,
    caller::Signed,
    json::Json,
    keys::Whose,
    route::{Guard::SignedIn, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_store::{people::Actor, sessions::Session};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list, SignedIn).personal(), route!(end, SignedIn).personal()]
}

/// Live sessions, the last used first.
#[utoipa::path(get, path = "/api/sessions", tag = "auth", params(Whose), responses((status = 200, body = [Session])))]
async fn list(
    state: Data<State>,
    signed: Signed,
    Who(by): Who<Actor>,
    whose: Query<Whose>,
) -> HttpResult<Json<Vec<Session>>> {
    let user = whose.user.as_deref().map(id).transpose()?;
    let user = state.app.stores.people.reach(&by, user).await?;
    Ok(state.app.stores.people.sessions(user, signed.0.session, by.now).await.map(Json)?)
}

/// Ends a session at once.
#[utoipa::path(delete, path = "/api/sessions/{id}",
    tag = "auth", params(("id" = String, Path,)), responses((status = 204, description = "Ended.")))]
async fn end(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<HttpResponse> {
    state.app.stores.people.end_session(&by, id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}
