//! `/api/tools/{name}/config`: each tool's own configuration; secrets are write-only.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    body::Body,
    json::Json,
    route::{Guard::Permission, Route, route},
    state::State,
    tools::visible,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_engine::configure;
use satchel_model::{caller::Caller, error::Error, secret::MASK};
use satchel_store::{people::Actor, tool_config};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(read, Permission("settings:manage")),
        route!(change, Permission("settings:manage")),
        route!(forget, Permission("settings:manage")),
        route!(test, Permission("settings:manage")).calls_others(),
    ]
}

/// A tool's configuration: secrets show as `***`.
#[derive(Serialize, ToSchema)]
pub(super) struct Configuration {
    /// Every key of its schema; null where nothing is stored.
    values: Map<String, Value>,
}

/// A tool's configuration, secrets masked.
#[utoipa::path(get, path = "/api/tools/{name}/config", tag = "tools", responses((status = 200, body = Configuration)))]
async fn read(state: Data<State>, Who(caller): Who<Caller>, name: Path<String>) -> HttpResult<Json<Configuration>> {
    let tool = visible(&state, &caller, &name)?;
    let stored = state.app.stores.tool_config.values(&tool.spec().name).await?;
    Ok(Json(Configuration { values: tool_config::masked(&tool.spec().settings, &stored) }))
}

/// Stores configuration values. `***` keeps what is stored; unknown keys are refused.
#[utoipa::path(put, path = "/api/tools/{name}/config",
    tag = "tools", request_body = Object, responses((status = 200, body = Configuration)))]
async fn change(
    state: Data<State>,
    Who(by): Who<Actor>,
    name: Path<String>,
    Body(values): Body<Map<String, Value>>,
) -> HttpResult<Json<Configuration>> {
    let tool = visible(&state, &by.caller, &name)?;
    let spec = tool.spec();
    for (key, value) in &values {
        if let Some(text) = value.as_str().filter(|text| !text.is_empty() && *text != MASK) {
            tool.require_setting(key, text).map_err(|error| Error::invalid(error.message()))?;
        }
    }
    state.app.stores.tool_config.set(&by, &spec.name, &spec.settings, values).await?;
    let stored = state.app.stores.tool_config.values(&spec.name).await?;
    Ok(Json(Configuration { values: tool_config::masked(&spec.settings, &stored) }))
}

/// Deletes one configuration value.
#[utoipa::path(delete, path = "/api/tools/{name}/config/{key}", tag = "tools", responses((status = 204)))]
async fn forget(state: Data<State>, Who(by): Who<Actor>, at: Path<(String, String)>) -> HttpResult<HttpResponse> {
    let (name, key) = at.into_inner();
    let tool = visible(&state, &by.caller, &name)?;
    state.app.stores.tool_config.delete(&by, &tool.spec().name, &tool.spec().settings, &key).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// The completeness of a configuration.
#[derive(Serialize, ToSchema)]
pub(super) struct Completeness {
    /// `true` if it is complete.
    ok: bool,
    /// A description of what is missing or wrong.
    message: String,
}

/// Says whether all required configuration is there, and can be used.
#[utoipa::path(post, path = "/api/tools/{name}/test", tag = "tools", responses((status = 200, body = Completeness)))]
async fn test(state: Data<State>, Who(caller): Who<Caller>, name: Path<String>) -> HttpResult<Json<Completeness>> {
    let tool = visible(&state, &caller, &name)?;
    let stored = state.app.stores.tool_config.values(&tool.spec().name).await?;
    let missing = configure::missing(&tool.spec().settings, |key| stored.contains_key(key));
    let wrong = stored.iter().find_map(|(key, stored)| tool.require_setting(key, stored.value.expose()).err());
    let message = match (missing.as_slice(), &wrong) {
        ([], None) => "Configuration looks complete".to_owned(),
        ([], Some(wrong)) => wrong.message().to_owned(),
        (keys, _) => format!("Missing required config: {}", keys.join(", ")),
    };
    Ok(Json(Completeness { ok: missing.is_empty() && wrong.is_none(), message }))
}
