//! Platform settings.

use actix_web::{
    get, put,
    web::{Data, Json},
};
use serde_json::{Map, Value};

use super::{body::Body, services::Services, state::State};
use crate::{
    host::files,
    model::{
        error::{Error, Result},
        id::shorten,
        settings::Settings,
    },
    store::people::Actor,
};

pub(super) fn services(config: &mut Services<'_>) {
    config.service(read).service(change).service(schema);
}

/// The settings in force.
#[utoipa::path(tag = "settings", responses((status = 200, body = Settings)))]
#[get("/api/settings")]
async fn read(state: Data<State>) -> Json<Settings> {
    Json((*state.app.settings.get()).clone())
}

/// Changes what the body names, whole or in part; the rest stays. An unknown key changes nothing.
#[utoipa::path(tag = "settings", request_body = Settings, responses((status = 200, body = Settings)))]
#[put("/api/settings")]
async fn change(state: Data<State>, by: Actor, mut body: Body<Map<String, Value>>) -> Result<Json<Settings>> {
    let now = state.app.settings.get();
    if let Some(Value::Array(names)) = body.0.get_mut("disabled_tools") {
        names.iter_mut().try_for_each(|name| resolve(&state, name, "disabled_tools", &now.disabled_tools))?;
    }
    if let Some(Value::Array(names)) = body.0.get_mut("chat").and_then(|chat| chat.get_mut("selected")) {
        names.iter_mut().try_for_each(|name| resolve(&state, name, "chat.selected", &now.chat.selected))?;
    }
    demand_roots(&state, &body.0)?;
    let settings = state.app.settings.update(&by, Value::Object(body.0)).await?;
    Ok(Json((*settings).clone()))
}

/// The own name of a tool that a setting names, which may do so by an alias. One that stood there before may be gone.
fn resolve(state: &State, name: &mut Value, setting: &str, before: &[String]) -> Result<()> {
    let Value::String(text) = name else { return Ok(()) };
    let registry = state.invoker.registry();
    let found = registry.find(text).or_else(|_| registry.find(&text.trim().to_lowercase()));
    match found {
        Ok(found) => found.tool.spec().name.clone_into(text),
        Err(_) if before.contains(text) => {}
        Err(_) => {
            let named = shorten(text);
            return Err(Error::invalid(format!("`{setting}`: there is no tool '{named}': GET /api/tools lists them.")));
        }
    }
    Ok(())
}

/// Fails where a directory that is to be opened to file tools is none. One that was entered before may be gone.
fn demand_roots(state: &State, patch: &Map<String, Value>) -> Result<()> {
    let wanted = patch.get("files").and_then(|files| files.get("roots")?.as_array());
    let before = &state.app.settings.get().files.roots;
    let mut new = wanted.into_iter().flatten().filter_map(Value::as_str);
    new.try_for_each(|root| if before.iter().any(|one| one == root) { Ok(()) } else { files::demand_root(root) })
}

/// The JSON Schema of the settings, for forms.
#[utoipa::path(tag = "settings", responses((status = 200, body = Value)))]
#[get("/api/settings/schema")]
async fn schema() -> Result<Json<Value>> {
    serde_json::to_value(schemars::schema_for!(Settings)).map(Json).map_err(Error::internal)
}
