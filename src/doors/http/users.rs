//! Users, for those who manage them.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;

use super::{
    body::{Body, id},
    json::Json,
    route::{
        Guard::{Permission, PersonWith},
        Route, route,
    },
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    secret::Secret,
    user::{User, Username},
};
use satchel_store::{
    people::Actor,
    users::{NewUser, UserChange},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("users:manage")),
        route!(create, PersonWith("users:manage")),
        route!(change, PersonWith("users:manage")),
        route!(remove, PersonWith("users:manage")),
    ]
}

/// All users, by name.
#[utoipa::path(get, path = "/api/users", tag = "users", responses((status = 200, body = [User])))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<User>>> {
    Ok(state.app.stores.people.users().await.map(Json)?)
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewUser)]
struct Create {
    #[schema(value_type = String, min_length = 1, max_length = 64, pattern = r"^[\w.@-]+$")]
    username: Username,
    /// 10 characters at least.
    #[schema(value_type = String, min_length = 10, max_length = 1024)]
    password: Secret,
    /// A role that grants nothing the caller does not hold.
    role: String,
}

/// Makes a user.
#[utoipa::path(post, path = "/api/users", request_body = Create, tag = "users", responses(
    (status = 201, body = User),
    (status = 409, description = "The name is taken.", body = super::error::Problem),
))]
async fn create(state: Data<State>, Who(by): Who<Actor>, body: Body<Create>) -> HttpResult<HttpResponse> {
    let Create { username, password, role } = body.0;
    let user = state.app.stores.people.create_user(&by, NewUser { username, password, role }).await?;
    Ok(HttpResponse::Created().json(user))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = UserChange)]
struct Change {
    role: Option<String>,
    /// Kept out: their sessions end, their keys do nothing.
    disabled: Option<bool>,
    /// 10 characters at least; ends their sessions and keys. One's own is changed with the current one.
    #[schema(value_type = Option<String>, min_length = 10, max_length = 1024)]
    password: Option<Secret>,
}

/// Changes a user's role or password, or keeps them out.
#[utoipa::path(patch, path = "/api/users/{id}",
    request_body = Change, tag = "users", params(("id" = String, Path,)), responses(
    (status = 200, body = User),
    (status = 409, description = "They are the last administrator.", body = super::error::Problem),
))]
async fn change(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<Change>,
) -> HttpResult<Json<User>> {
    let Change { role, disabled, password } = body.0;
    let change = UserChange { role, disabled, password };
    Ok(state.app.stores.people.change_user(&by, id(&path)?, change).await.map(Json)?)
}

/// Deletes a user with everything that is only theirs, the files of their workspace, too. A person does, signed in.
#[utoipa::path(delete, path = "/api/users/{id}", tag = "users", params(("id" = String, Path,)), responses(
    (status = 204, description = "Deleted."),
    (status = 409, description = "They are the last administrator.", body = super::error::Problem),
))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<HttpResponse> {
    state.app.stores.people.delete_user(&by, id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}
