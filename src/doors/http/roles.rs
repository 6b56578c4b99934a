//! Roles, and the permissions they are made of.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::{Deserialize, Serialize};

use super::{
    body::Body,
    json::Json,
    route::{Guard, Route, route},
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::{PERMISSIONS, Permission, Permissions},
    user::Role,
};
use satchel_store::people::Actor;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Guard::Permission("users:manage")),
        route!(create, Guard::PersonWith("users:manage")),
        route!(change, Guard::PersonWith("users:manage")),
        route!(remove, Guard::PersonWith("users:manage")),
        route!(permissions, Guard::SignedIn),
    ]
}

/// All roles, built-in ones first.
#[utoipa::path(get, path = "/api/roles", tag = "users", responses((status = 200, body = [Role])))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<Role>>> {
    Ok(state.app.stores.people.roles().await.map(Json)?)
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewRole)]
struct Create {
    /// 1 to 64 lower-case letters, digits, `-` or `_`.
    #[schema(min_length = 1, max_length = 64, pattern = r"^[a-z0-9_-]+$")]
    name: String,
    /// None that the caller does not hold.
    #[schema(value_type = Vec<Permission>)]
    permissions: Permissions,
}

/// Makes a role.
#[utoipa::path(post, path = "/api/roles", request_body = Create, tag = "users", responses(
    (status = 201, body = Role),
    (status = 409, description = "The name is taken.", body = super::error::Problem),
))]
async fn create(state: Data<State>, Who(by): Who<Actor>, body: Body<Create>) -> HttpResult<HttpResponse> {
    let role = state.app.stores.people.create_role(&by, body.0.name, body.0.permissions).await?;
    Ok(HttpResponse::Created().json(role))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RoleChange)]
struct Change {
    /// In place of those before.
    #[schema(value_type = Vec<Permission>)]
    permissions: Permissions,
}

/// Replaces what a role grants, at once, for all who have it.
#[utoipa::path(put, path = "/api/roles/{name}",
    request_body = Change, tag = "users", params(("name" = String, Path,)), responses(
    (status = 200, body = Role),
    (status = 409, description = "It is built in, or the last administrator's.", body = super::error::Problem),
))]
async fn change(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<Change>,
) -> HttpResult<Json<Role>> {
    Ok(state.app.stores.people.change_role(&by, path.into_inner(), body.0.permissions).await.map(Json)?)
}

/// Deletes a role nobody has.
#[utoipa::path(delete, path = "/api/roles/{name}", tag = "users", params(("name" = String, Path,)), responses(
    (status = 204, description = "Deleted."),
    (status = 409, description = "It is built in or in use.", body = super::error::Problem),
))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<HttpResponse> {
    state.app.stores.people.delete_role(&by, path.into_inner()).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// One permission.
#[derive(Serialize, utoipa::ToSchema)]
struct PermissionInfo {
    /// `area:verb`, or `*`.
    name: &'static str,
    /// A description of what it opens.
    description: &'static str,
}

/// Every permission there is, for making roles and keys.
#[utoipa::path(get, path = "/api/permissions", tag = "users", responses((status = 200, body = [PermissionInfo])))]
async fn permissions() -> Json<Vec<PermissionInfo>> {
    Json(PERMISSIONS.iter().map(|(name, description)| PermissionInfo { name, description }).collect())
}
