//! Platform settings.

use actix_web::{
    get, put,
    web::{Data, Json},
};
use serde_json::{Map, Value};

use super::{body::Body, services::Services, state::State};
use crate::{
    model::{
        error::{Error, Result},
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
            let named: String = text.chars().take(80).collect();
            return Err(Error::invalid(format!("`{setting}`: there is no tool '{named}': GET /api/tools lists them.")));
        }
    }
    Ok(())
}

/// The JSON Schema of the settings, for forms.
#[utoipa::path(tag = "settings", responses((status = 200, body = Value)))]
#[get("/api/settings/schema")]
async fn schema() -> Result<Json<Value>> {
    serde_json::to_value(schemars::schema_for!(Settings)).map(Json).map_err(Error::internal)
}
