//! `/api/catalog/systems`: connected systems, their status and their credentials. Secrets go in and never come out.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
    catalog::{
        directory::Registered,
        draft::SystemDraft,
        status::SystemStatus,
        system::{System, SystemId},
        waiting::Verdict,
    },
    error::Result,
    secret::MASK,
    time::Time,
};
use satchel_services::catalog::{change::Changing, credential};
use satchel_store::people::Actor;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("catalog:read")),
        route!(create, Permission("catalog:write")),
        route!(get_one, Permission("catalog:read")),
        route!(change, Permission("catalog:write")),
        route!(remove, Permission("catalog:write")),
        route!(set_status, Permission("settings:manage")),
        route!(review, PersonWith("catalog:write")),
        route!(credentials, Permission("settings:manage")),
        route!(set_credentials, Permission("settings:manage")),
    ]
}

/// A system in the list.
#[derive(Serialize, utoipa::ToSchema)]
struct SystemRow {
    #[serde(flatten)]
    system: System,
    /// Its endpoints, counted.
    endpoints: usize,
    /// The protocols they speak.
    protocols: Vec<String>,
    /// Things that a tool wrote and no person has reviewed, counted: the system or a change of it, and endpoints.
    waits: usize,
}

/// One system, with what can be done about it.
#[derive(Serialize, utoipa::ToSchema)]
struct SystemDetail {
    #[serde(flatten)]
    row: SystemRow,
    /// The states its status may change to.
    next: Vec<SystemStatus>,
    /// The secrets its kind of authentication is made of.
    secrets: Vec<SystemSecret>,
    /// The reason its address cannot be called from here, if so, and what to do.
    unreachable: Option<String>,
    /// After a change: secrets were given for another address and are gone.
    secrets_gone: bool,
    /// After a change: it was switched off, as its address changed.
    switched_off: bool,
}

/// One secret of a system.
#[derive(Serialize, utoipa::ToSchema)]
struct SystemSecret {
    name: String,
    description: String,
    required: bool,
    /// `true` if the empty text is a value of it.
    may_be_empty: bool,
    /// `true` if it is stored, for the address the system has now.
    set: bool,
}

fn row(found: &Registered) -> SystemRow {
    let mut protocols: Vec<String> =
        found.endpoints.iter().map(|endpoint| endpoint.operation.protocol().to_owned()).collect();
    protocols.sort();
    protocols.dedup();
    let waits = found.endpoints.iter().filter(|endpoint| endpoint.waiting.is_some()).count();
    let waits = waits + usize::from(found.system.waiting.is_some());
    SystemRow { system: found.system.clone(), endpoints: found.endpoints.len(), protocols, waits }
}

async fn detail(state: &State, id: SystemId) -> Result<SystemDetail> {
    let directory = state.app.stores.catalog.get();
    let found = directory.get(id)?;
    let system = &found.system;
    let stored = state.app.stores.catalog.secrets_set(system).await?;
    let secrets = system.auth.secrets().iter().map(|part| SystemSecret {
        name: part.name.to_owned(),
        description: part.description.to_owned(),
        required: part.required,
        may_be_empty: part.may_be_empty,
        set: stored.iter().any(|name| name == part.name),
    });
    Ok(SystemDetail {
        next: system.status.next().to_vec(),
        secrets: secrets.collect(),
        unreachable: state.app.refused(system.base_url.as_ref()),
        secrets_gone: false,
        switched_off: false,
        row: row(found),
    })
}

/// All systems, by name.
#[utoipa::path(get, path = "/api/catalog/systems", tag = "catalog", responses((status = 200, body = Vec<SystemRow>)))]
async fn list(state: Data<State>) -> HttpResult<Json<Vec<SystemRow>>> {
    Ok(Json(state.app.stores.catalog.get().all().iter().map(|one| row(one)).collect()))
}

/// Registers a system: a draft, which nothing calls until it is activated.
#[utoipa::path(post, path = "/api/catalog/systems",
    request_body = SystemDraft, tag = "catalog", responses((status = 201, body = SystemDetail)))]
async fn create(state: Data<State>, Who(by): Who<Actor>, body: Body<SystemDraft>) -> HttpResult<HttpResponse> {
    let system = Changing::new(&state.invoker, by).create(body.0).await?;
    Ok(HttpResponse::Created().json(detail(&state, system.id).await?))
}

/// One system.
#[utoipa::path(get, path = "/api/catalog/systems/{id}",
    tag = "catalog", params(("id" = String, Path,)), responses((status = 200, body = SystemDetail)))]
async fn get_one(state: Data<State>, path: Path<String>) -> HttpResult<Json<SystemDetail>> {
    Ok(Json(detail(&state, id(&path)?).await?))
}

/// Changes a system; what is left out stays. Secrets do not follow to another address.
#[utoipa::path(patch, path = "/api/catalog/systems/{id}",
    request_body = SystemDraft, tag = "catalog", params(("id" = String, Path,)), responses((status = 200, body = SystemDetail)))]
async fn change(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<SystemDraft>,
) -> HttpResult<Json<SystemDetail>> {
    let changed = Changing::new(&state.invoker, by).change(id(&path)?, body.0).await?;
    let detail = detail(&state, changed.system.id).await?;
    Ok(Json(SystemDetail { secrets_gone: changed.secrets_gone, switched_off: changed.switched_off, ..detail }))
}

/// Forgets a system, its endpoints and its secrets.
#[utoipa::path(delete, path = "/api/catalog/systems/{id}",
    tag = "catalog", params(("id" = String, Path,)), responses((status = 204, description = "Forgotten.")))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<HttpResponse> {
    Changing::new(&state.invoker, by).delete(id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct SystemStatusChange {
    /// The new status.
    status: SystemStatus,
    /// Needed to activate a draft that a tool wrote some of: the latest `waiting.at` of the system and its endpoints, as
    /// they were read. What was written since is not activated.
    read: Option<Time>,
}

/// Moves a system to another status. Whoever activates it lets its endpoints through as they are.
#[utoipa::path(put, path = "/api/catalog/systems/{id}/status",
    request_body = SystemStatusChange, tag = "catalog", params(("id" = String, Path,)), responses((status = 200, body = SystemDetail)))]
async fn set_status(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<SystemStatusChange>,
) -> HttpResult<Json<SystemDetail>> {
    let SystemStatusChange { status, read } = body.0;
    let system = Changing::new(&state.invoker, by).set_status(id(&path)?, status, read).await?;
    Ok(Json(detail(&state, system.id).await?))
}

/// A person's review of what a tool wrote.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CatalogReview {
    /// The decision on whether it counts from now on.
    pub(super) verdict: Verdict,
    /// The time at which what was read had been written, as `waiting.at` tells it: what was written since is not
    /// reviewed.
    pub(super) read: Time,
}

/// Lets a change of a system count that a tool wrote, or throws it away. Only a person reviews, never a key.
#[utoipa::path(post, path = "/api/catalog/systems/{id}/review",
    request_body = CatalogReview, tag = "catalog", params(("id" = String, Path,)), responses((status = 200, body = SystemDetail)))]
async fn review(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<CatalogReview>,
) -> HttpResult<Json<SystemDetail>> {
    let CatalogReview { verdict, read } = body.0;
    let changed = Changing::new(&state.invoker, by).review_change(id(&path)?, read, verdict).await?;
    let detail = detail(&state, changed.system.id).await?;
    Ok(Json(SystemDetail { secrets_gone: changed.secrets_gone, switched_off: changed.switched_off, ..detail }))
}

async fn masked(state: &State, id: SystemId) -> Result<Map<String, Value>> {
    let directory = state.app.stores.catalog.get();
    let system = &directory.get(id)?.system;
    let stored = state.app.stores.catalog.secrets_set(system).await?;
    let shown = system.auth.secrets().iter().map(|part| {
        let is_set = stored.iter().any(|name| name == part.name);
        (part.name.to_owned(), if is_set { Value::from(MASK) } else { Value::Null })
    });
    Ok(shown.collect())
}

/// The secrets of a system: `***` where one is stored for its present address, else null.
#[utoipa::path(get, path = "/api/catalog/systems/{id}/credentials",
    tag = "catalog", params(("id" = String, Path,)), responses((status = 200, body = Object)))]
async fn credentials(state: Data<State>, path: Path<String>) -> HttpResult<Json<Map<String, Value>>> {
    Ok(Json(masked(&state, id(&path)?).await?))
}

/// Stores secrets: `***` keeps what is stored, null forgets it; a password may be the empty text. They are bound to the address the system has now.
#[utoipa::path(put, path = "/api/catalog/systems/{id}/credentials",
    request_body = Object, tag = "catalog", params(("id" = String, Path,)), responses((status = 200, body = Object)))]
async fn set_credentials(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<Map<String, Value>>,
) -> HttpResult<Json<Map<String, Value>>> {
    let id = id(&path)?;
    let known = state.app.stores.catalog.get().get(id)?.system.clone();
    let values = credential::checked(&state.app, &known, body.0).await?;
    let system = state.app.stores.catalog.set_credentials(&by, id, values).await?;
    Ok(Json(masked(&state, system.id).await?))
}
