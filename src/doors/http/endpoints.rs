//! `/api/catalog/endpoints`: what connected systems can do.

use std::{future::ready, sync::Arc};

use actix_web::{
    Either, HttpResponse,
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
    systems::CatalogReview,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_engine::validate::Schema;
use satchel_model::{
    caller::{Caller, Credential},
    catalog::{
        directory::Registered,
        draft::EndpointDraft,
        endpoint::{Endpoint, EndpointId},
        system::SystemId,
    },
    egress::{Origin, Part},
    error::{Error, Result},
    spec::Risk,
};
use satchel_services::catalog::{
    change::Changing,
    offer,
    rest::Target,
    risk,
    trial::{self, Trial},
};
use satchel_store::people::Actor;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Permission("catalog:read")),
        route!(create, Permission("catalog:write")),
        route!(get_one, Permission("catalog:read")),
        route!(change, Permission("catalog:write")),
        route!(remove, Permission("catalog:write")),
        route!(review, PersonWith("catalog:write")),
        route!(test, Permission("settings:manage")).calls_others(),
    ]
}

/// Endpoints that are made ready where they are; of more their schemas are weighed beside the async threads.
const FEW: usize = 50;

/// An endpoint, with what a model sees of it.
#[derive(Serialize, utoipa::ToSchema)]
struct EndpointView {
    #[serde(flatten)]
    endpoint: Endpoint,
    /// The risk a call has now.
    effective_risk: Risk,
    /// The id of its tool.
    tool: String,
    /// JSON Schema of the tool's arguments.
    #[schema(value_type = Object)]
    #[schema(value_type = Value)]
    schema: Arc<Value>,
    /// The cost in a model's context.
    tokens: u64,
}

fn view(found: &Registered, endpoint: &Endpoint) -> EndpointView {
    let spec = offer::spec(&found.system, endpoint);
    EndpointView {
        effective_risk: endpoint.effective_risk(),
        tool: spec.id(),
        tokens: spec.tokens(),
        schema: spec.parameters.document(),
        endpoint: endpoint.clone(),
    }
}

fn shown(state: &State, id: EndpointId) -> Result<EndpointView> {
    let directory = state.app.stores.catalog.get();
    let (found, endpoint) = directory.endpoint(id)?;
    Ok(view(found, endpoint))
}

/// The endpoints of a system, by path.
#[utoipa::path(get, path = "/api/catalog/systems/{id}/endpoints",
    tag = "catalog", params(("id" = String, Path,)), responses((status = 200, body = Vec<EndpointView>)))]
async fn list(state: Data<State>, Who(caller): Who<Caller>, path: Path<String>) -> HttpResult<Json<Vec<EndpointView>>> {
    let found = Arc::clone(state.app.stores.catalog.get().get(id(&path)?)?);
    let views = |found: &Registered| found.endpoints.iter().map(|endpoint| view(found, endpoint)).collect();
    if found.endpoints.len() <= FEW {
        return Ok(Json(views(&found)));
    }
    Ok(state.delivery.page(caller.user, ready(Ok(found)), move |found| Ok(views(&found))).await.map(Json)?)
}

/// Registers an endpoint.
#[utoipa::path(post, path = "/api/catalog/systems/{id}/endpoints",
    request_body = EndpointDraft, tag = "catalog", params(("id" = String, Path,)), responses((status = 201, body = EndpointView)))]
async fn create(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<EndpointDraft>,
) -> HttpResult<HttpResponse> {
    let system: SystemId = id(&path)?;
    let endpoint = Changing::new(&state.invoker, by).create_endpoint(system, body.0).await?;
    Ok(HttpResponse::Created().json(shown(&state, endpoint.id)?))
}

/// One endpoint.
#[utoipa::path(get, path = "/api/catalog/endpoints/{id}",
    tag = "catalog", params(("id" = String, Path,)), responses((status = 200, body = EndpointView)))]
async fn get_one(state: Data<State>, path: Path<String>) -> HttpResult<Json<EndpointView>> {
    Ok(Json(shown(&state, id(&path)?)?))
}

/// Changes an endpoint; what is left out stays. What is changed by hand survives the next import.
#[utoipa::path(patch, path = "/api/catalog/endpoints/{id}",
    request_body = EndpointDraft, tag = "catalog", params(("id" = String, Path,)), responses((status = 200, body = EndpointView)))]
async fn change(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<EndpointDraft>,
) -> HttpResult<Json<EndpointView>> {
    let endpoint = Changing::new(&state.invoker, by).change_endpoint(id(&path)?, body.0).await?;
    Ok(Json(shown(&state, endpoint.id)?))
}

/// Forgets an endpoint.
#[utoipa::path(delete, path = "/api/catalog/endpoints/{id}",
    tag = "catalog", params(("id" = String, Path,)), responses((status = 204, description = "Forgotten.")))]
async fn remove(state: Data<State>, Who(by): Who<Actor>, path: Path<String>) -> HttpResult<HttpResponse> {
    Changing::new(&state.invoker, by).delete_endpoint(id(&path)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Lets an endpoint count that a tool wrote, or throws it away. Only a person reviews, never a key.
#[utoipa::path(post, path = "/api/catalog/endpoints/{id}/review",
    request_body = CatalogReview, tag = "catalog", params(("id" = String, Path,)), responses(
    (status = 200, body = EndpointView),
    (status = 204, description = "Thrown away."),
))]
async fn review(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<CatalogReview>,
) -> HttpResult<Either<Json<EndpointView>, HttpResponse>> {
    let CatalogReview { verdict, read } = body.0;
    match Changing::new(&state.invoker, by).review_endpoint(id(&path)?, read, verdict).await? {
        Some(endpoint) => Ok(shown(&state, endpoint.id).map(Json).map(Either::Left)?),
        None => Ok(Either::Right(HttpResponse::NoContent().finish())),
    }
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
struct EndpointTry {
    /// The arguments, as its tool takes them.
    #[serde(default)]
    #[schema(value_type = Object)]
    arguments: Map<String, Value>,
}

/// Calls an endpoint of any protocol once, whatever the status of its system: before a draft is activated, for
/// instance. What changes more than a little is tried by a person only, never with a key.
#[utoipa::path(post, path = "/api/catalog/endpoints/{id}/test",
    request_body = EndpointTry, tag = "catalog", params(("id" = String, Path,)), responses((status = 200, body = Trial)))]
async fn test(
    state: Data<State>,
    Who(by): Who<Actor>,
    path: Path<String>,
    body: Body<EndpointTry>,
) -> HttpResult<Json<Trial>> {
    let directory = state.app.stores.catalog.get();
    let (found, endpoint) = directory.endpoint(id(&path)?)?;
    let arguments = Schema::from_document(endpoint.schema()).check(Value::Object(body.0.arguments))?;
    let risk = endpoint.effective_risk().max(risk::of_endpoint(&directory, endpoint.id, &arguments)?);
    if risk >= Risk::HighWrite && matches!(by.caller.credential, Credential::Key(_)) {
        return Err(
            Error::denied("This call changes things: sign in and try it in the console, not with a key.").into()
        );
    }
    let http = state.app.outbound(Origin::part(Part::Catalog, Some(by.caller.user)))?;
    state.app.stores.catalog.note_try(&by, endpoint).await?;
    let target = Target { app: &state.app, cx: None, http: &http, system: &found.system, endpoint: Some(endpoint) };
    Ok(Json(trial::run(&target, endpoint, &arguments, &by.caller).await))
}
