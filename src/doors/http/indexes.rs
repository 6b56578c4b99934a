//! The text and vector indexes: how they are, and making them again.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};

use super::{
    error::Problem,
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::error::HttpResult;
use satchel_app::indexing::Status;
use satchel_model::index::Space;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list, Permission("index:read")), route!(rebuild, Permission("settings:manage"))]
}

/// Each space's indexes: what they hold, and whether they can be relied on.
#[utoipa::path(get, path = "/api/indexes", tag = "indexes", responses((status = 200, body = [Status])))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<Status>>> {
    Ok(state.app.search.indexes.status().await.map(Json)?)
}

/// Makes a space's indexes again from the database, in the background. Searches are answered meanwhile, by words
/// perhaps not with everything.
#[utoipa::path(post, path = "/api/indexes/{space}/rebuild",
    tag = "indexes", params(("space" = String, Path, description = "knowledge or entries")), responses(
    (status = 202, description = "It has begun."),
    (status = 404, description = "There is no such space.", body = Problem),
))]
async fn rebuild(state: Data<State>, space: Path<String>) -> HttpResult<HttpResponse> {
    state.app.search.indexes.rebuild(space.parse::<Space>()?)?;
    Ok(HttpResponse::Accepted().finish())
}
