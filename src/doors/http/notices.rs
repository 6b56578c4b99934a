//! `/api/notices`: messages in the caller's inbox.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};

use super::{
    body::id,
    json::Json,
    route::{Guard::SignedIn, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{caller::Caller, job::firing::Notice};
use satchel_store::notices;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list, SignedIn).personal(), route!(put_away, SignedIn).personal()]
}

/// The messages in the caller's inbox, the newest first.
#[utoipa::path(get, path = "/api/notices", tag = "notices", responses((status = 200, body = Vec<Notice>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Vec<Notice>>> {
    Ok(Json(notices::list(&state.app.db, caller.user).await?))
}

/// Puts a message away.
#[utoipa::path(delete, path = "/api/notices/{id}", tag = "notices", responses((status = 204)))]
async fn put_away(state: Data<State>, Who(caller): Who<Caller>, at: Path<String>) -> HttpResult<HttpResponse> {
    notices::put_away(&state.app.db, caller.user, id(&at)?).await?;
    Ok(HttpResponse::NoContent().finish())
}
