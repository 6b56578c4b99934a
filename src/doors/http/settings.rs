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
async fn change(state: Data<State>, by: Actor, body: Body<Map<String, Value>>) -> Result<Json<Settings>> {
    let settings = state.app.settings.update(&by, Value::Object(body.0)).await?;
    Ok(Json((*settings).clone()))
}

/// The JSON Schema of the settings, for forms.
#[utoipa::path(tag = "settings", responses((status = 200, body = Value)))]
#[get("/api/settings/schema")]
async fn schema() -> Result<Json<Value>> {
    serde_json::to_value(schemars::schema_for!(Settings)).map(Json).map_err(Error::internal)
}
