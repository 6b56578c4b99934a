//! `/api/knowledge/folders`: folders of this machine whose files are documents. For administrators.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;

use super::{
    body::{Body, id},
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_host::folder;
use satchel_model::{
    error::Error,
    knowledge::{CollectionId, Folder},
};
use satchel_store::people::Actor;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("settings:manage")),
        route!(add, Permission("settings:manage")),
        route!(remove, Permission("settings:manage")),
    ]
}

/// The folders, by path.
#[utoipa::path(get, path = "/api/knowledge/folders", tag = "knowledge", responses((status = 200, body = Vec<Folder>)))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<Folder>>> {
    Ok(state.app.stores.knowledge.folders.list().await.map(Json)?)
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewFolder)]
struct Add {
    /// An absolute path on the server's machine.
    #[schema(pattern = r"^/")]
    path: String,
    /// The collection of its files; the default collection if left out.
    #[schema(value_type = Option<String>, format = "uuid")]
    collection: Option<CollectionId>,
    /// `true` if changes in it are followed; they are if left out.
    #[serde(default = "yes")]
    watch: bool,
}

fn yes() -> bool {
    true
}

/// Takes in every file of a folder, and follows what changes there.
#[utoipa::path(post, path = "/api/knowledge/folders",
    request_body = Add, tag = "knowledge", responses((status = 201, body = Folder)))]
async fn add(state: Data<State>, Who(by): Who<Actor>, body: Body<Add>) -> HttpResult<HttpResponse> {
    let Add { path, collection, watch } = body.0;
    // Whatever the server may read of the machine could be taken in.
    by.caller.require("*")?;
    let found = folder::check(&path, &state.app.host.workspaces)?;
    let found = found.to_str().ok_or_else(|| Error::invalid("The path is not UTF-8."))?.to_owned();
    let added = state.app.stores.knowledge.add_folder(&by, found, collection, watch).await?;
    Ok(HttpResponse::Created().json(added))
}

/// Forgets a folder and its documents. The files in it are not touched.
#[utoipa::path(delete, path = "/api/knowledge/folders/{id}",
    tag = "knowledge", params(("id" = String, Path,)), responses((status = 204)))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<HttpResponse> {
    state.app.stores.knowledge.delete_folder(&by, id(&at)?).await?;
    Ok(HttpResponse::NoContent().finish())
}
