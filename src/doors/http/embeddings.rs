//! The embedding model: which is in use, which there are, and going over to another.

use actix_web::{HttpResponse, web::Data};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    body::Body,
    error::Problem,
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_app::App;
use satchel_index::embed::{
    embedder::Running,
    model::{BUILTIN, ModelInfo},
};
use satchel_model::{error::Error, settings::Embeddings};
use satchel_services::embeddings::offered::{self, Offer, Source};
use satchel_store::people::Actor;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(read, Permission("index:read")),
        route!(list, Permission("settings:manage")),
        route!(change, Permission("settings:manage")),
    ]
}

/// The embedding model as it is now.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Embeddings)]
struct Status {
    /// The model in use; `null` means that search goes by words alone.
    model: Option<ModelInfo>,
    /// The name it is chosen by.
    name: Option<String>,
    /// Its presence in memory.
    state: Presence,
    /// The source it comes from.
    source: Option<Source>,
    /// The model that is wanted; another one than `name` until a change has ended.
    wanted: String,
    /// The progress of a change.
    migrating: Option<Running>,
    /// The reason the last change failed; it is tried again.
    failed: Option<String>,
    /// Queries whose vectors are remembered.
    cached_queries: u64,
}

/// The presence of the model in memory.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = EmbeddingPresence)]
enum Presence {
    /// It is.
    Loaded,
    /// It will be with the next text.
    Unloaded,
    /// There is none.
    Absent,
}

/// Another model.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = EmbeddingChoice)]
struct Choice {
    /// A name of the list, or `none` for search by words alone.
    model: String,
}

fn status(app: &App) -> Status {
    let embedder = app.search.embedder.steady();
    let (model, name) = (embedder.model(), embedder.name());
    let going = app.search.embedder.change();
    let state = match (&model, embedder.is_loaded()) {
        (None, _) => Presence::Absent,
        (Some(_), true) => Presence::Loaded,
        (Some(_), false) => Presence::Unloaded,
    };
    Status {
        source: name.as_deref().map(|name| if name == BUILTIN { Source::Builtin } else { Source::Folder }),
        model,
        name,
        state,
        wanted: app.settings.get().embeddings.model.clone(),
        migrating: going.running,
        failed: going.failed,
        cached_queries: embedder.cached_queries(),
    }
}

/// The embedding model: what makes search go by meaning, and how far a change of it is.
#[utoipa::path(get, path = "/api/embeddings",
    tag = "embeddings", operation_id = "embeddings", responses((status = 200, body = Status)))]
async fn read(state: Data<State>) -> Json<Status> {
    Json(status(&state.app))
}

/// The models that can be chosen.
#[utoipa::path(get, path = "/api/embeddings/models",
    tag = "embeddings", operation_id = "embedding_models", responses((status = 200, body = [Offer])))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<Offer>>> {
    let shared = state.into_inner();
    let offers = tokio::task::spawn_blocking(move || offered::all(&shared.app)).await;
    Ok(offers.map_err(Error::internal)?.map(Json)?)
}

/// Goes over to another model. Everything is read anew in the background; until that is done search goes on with the
/// model before.
#[utoipa::path(put, path = "/api/embeddings",
    tag = "embeddings", operation_id = "choose_embeddings", request_body = Choice, responses(
    (status = 202, body = Status),
    (status = 403, description = "It would have to be fetched, and that is not allowed.", body = Problem),
    (status = 404, description = "There is no such model.", body = Problem),
))]
async fn change(state: Data<State>, Who(by): Who<Actor>, body: Body<Choice>) -> HttpResult<HttpResponse> {
    let app = &state.app;
    let Choice { model } = body.0;
    let wanted = Embeddings { model: model.clone(), ..app.settings.get().embeddings.clone() };
    offered::ensure_choosable(app, wanted).await?;
    app.settings.update(&by, json!({"embeddings": {"model": model}})).await?;
    app.search.embedder.ask_for_change();
    Ok(HttpResponse::Accepted().json(status(app)))
}
