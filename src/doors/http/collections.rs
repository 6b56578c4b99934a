//! `/api/knowledge/collections`: documents that are seen by the same people. One that is not open to the caller is not found.

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
use satchel_model::{
    caller::Caller,
    error::Result,
    knowledge::{Collection, NewCollection},
};
use satchel_store::people::Actor;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("knowledge:read")),
        route!(create, Permission("knowledge:write")),
        route!(change, Permission("knowledge:write")),
        route!(remove, Permission("knowledge:write")),
    ]
}

/// The collections open to the caller.
#[utoipa::path(get, path = "/api/knowledge/collections",
    tag = "knowledge", responses((status = 200, body = Vec<Collection>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>) -> HttpResult<Json<Vec<Collection>>> {
    Ok(state.app.stores.knowledge.collections.list(caller.reader()).await.map(Json)?)
}

/// A collection as it is to be.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct CollectionBody {
    /// Its name; no other has it.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    name: String,
    /// A description of its contents.
    #[serde(default)]
    description: String,
    /// Names of the roles that see it; null opens it to everybody who may read knowledge. Administrators see all.
    #[serde(default)]
    #[schema(min_items = 1)]
    roles: Option<Vec<String>>,
}

impl CollectionBody {
    fn checked(self) -> Result<NewCollection> {
        NewCollection::new(&self.name, &self.description, self.roles)
    }
}

/// Makes a collection.
#[utoipa::path(post, path = "/api/knowledge/collections",
    request_body = CollectionBody, tag = "knowledge", responses((status = 201, body = Collection)))]
async fn create(state: Data<State>, Who(by): Who<Actor>, body: Body<CollectionBody>) -> HttpResult<HttpResponse> {
    let made = state.app.stores.knowledge.collections.create(&by, body.0.checked()?).await?;
    Ok(HttpResponse::Created().json(made))
}

/// Makes a collection what the body says. Who sees it follows at once.
#[utoipa::path(put, path = "/api/knowledge/collections/{id}",
    request_body = CollectionBody, tag = "knowledge", params(("id" = String, Path,)),
    responses((status = 200, body = Collection)))]
async fn change(
    state: Data<State>,
    Who(by): Who<Actor>,
    at: Path<String>,
    body: Body<CollectionBody>,
) -> HttpResult<Json<Collection>> {
    Ok(state.app.stores.knowledge.collections.change(&by, id(&at)?, body.0.checked()?).await.map(Json)?)
}

/// Removes a collection that holds no documents.
#[utoipa::path(delete, path = "/api/knowledge/collections/{id}",
    tag = "knowledge", params(("id" = String, Path,)), responses((status = 204)))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, at: Path<String>) -> HttpResult<HttpResponse> {
    state.app.stores.knowledge.delete_collection(&by, id(&at)?).await?;
    Ok(HttpResponse::NoContent().finish())
}
