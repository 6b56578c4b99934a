//! The text and vector indexes: how they are, and making them again.

use actix_web::{
    HttpResponse, get, post,
    web::{Data, Path},
};

use super::{error::Problem, json::Json, services::Services, state::State};
use crate::{
    app::indexing::Status,
    model::{error::Result, index::Space},
};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(list);
    config.service(rebuild);
}

/// Each space's indexes: what they hold, and whether they can be relied on.
#[utoipa::path(tag = "indexes", responses((status = 200, body = [Status])))]
#[get("/api/indexes")]
async fn list(state: Data<State>) -> Result<Json<Vec<Status>>> {
    state.app.search.indexes.status().await.map(Json)
}

/// Makes a space's indexes again from the database, in the background. Searches are answered meanwhile, by words
/// perhaps not with everything.
#[utoipa::path(tag = "indexes", params(("space" = String, Path, description = "knowledge or entries")), responses(
    (status = 202, description = "It has begun."),
    (status = 404, description = "There is no such space.", body = Problem),
))]
#[post("/api/indexes/{space}/rebuild")]
async fn rebuild(state: Data<State>, space: Path<String>) -> Result<HttpResponse> {
    state.app.search.indexes.rebuild(space.parse::<Space>()?)?;
    Ok(HttpResponse::Accepted().finish())
}
