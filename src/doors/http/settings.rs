//! Platform settings.

use actix_web::web::Data;
use serde_json::{Map, Value, json};
use url::Url;

use super::{
    body::Body,
    gate::require_administrator,
    json::Json,
    route::{
        Guard::{Permission, SignedIn},
        Route, route,
    },
    state::State,
};
use crate::http::caller::Who;
use crate::http::error::HttpResult;
use satchel_model::{
    caller::Caller,
    error::{Error, Result},
    id::shorten,
    settings::{Embeddings, MediaPart, Settings, endpoint_address},
};
use satchel_net::guard::HostPort;
use satchel_services::{backups::settings as backups, embeddings::offered};
use satchel_store::people::Actor;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(read, Permission("settings:manage")),
        route!(change, Permission("settings:manage")),
        route!(schema, SignedIn),
    ]
}

/// The settings in force.
#[utoipa::path(get, path = "/api/settings", tag = "settings", responses((status = 200, body = Settings)))]
async fn read(state: Data<State>) -> Json<Settings> {
    Json((*state.app.settings.get()).clone())
}

/// Changes what the body names, whole or in part; the rest stays. An unknown key changes nothing.
#[utoipa::path(put, path = "/api/settings",
    tag = "settings", request_body = Settings, responses((status = 200, body = Settings)))]
async fn change(
    state: Data<State>,
    Who(by): Who<Actor>,
    mut body: Body<Map<String, Value>>,
) -> HttpResult<Json<Settings>> {
    check(&state, &mut body.0)?;
    check_media(&state.app.settings.get(), &body.0)?;
    check_embeddings(&state, &body.0).await?;
    ensure_whole(&by.caller, &state.app.settings.get(), &body.0)?;
    // Who says where backups go and who can open them has everything.
    if changes_backups(&state.app.settings.get(), &body.0) {
        require_administrator(&by.caller)?;
    }
    backups::require_usable(&state.app.config.data, &Value::Object(body.0.clone()))?;
    let settings = state.app.settings.update(&by, Value::Object(body.0)).await?;
    Ok(Json((*settings).clone()))
}

/// Settings that open the machine itself: what commands may do, which folders are open, and which addresses of its own
/// network.
const OF_THE_MACHINE: [&str; 3] = ["/exec", "/files/roots", "/outbound/exceptions"];

/// Fails where a patch changes a setting that opens the machine, and the caller does not hold all of it.
fn ensure_whole(caller: &Caller, now: &Settings, patch: &Map<String, Value>) -> Result<()> {
    let now = serde_json::to_value(now).map_err(Error::internal)?;
    let asked = Value::Object(patch.clone());
    for place in OF_THE_MACHINE {
        if changes(now.pointer(place), asked.pointer(place)) && caller.require("*").is_err() {
            let name = place.trim_start_matches('/').replace('/', ".");
            return Err(Error::denied(format!(
                "{name} opens the machine itself: only an administrator, who holds the permission '*', changes it."
            )));
        }
    }
    Ok(())
}

/// Returns whether a part of a patch changes what is there.
fn changes(now: Option<&Value>, asked: Option<&Value>) -> bool {
    match (now, asked) {
        (_, None) => false,
        (Some(Value::Object(now)), Some(Value::Object(asked))) => {
            asked.iter().any(|(name, value)| now.get(name) != Some(value))
        }
        (now, asked) => now != asked,
    }
}

/// Returns whether a patch changes a setting of backups.
fn changes_backups(now: &Settings, patch: &Map<String, Value>) -> bool {
    changes(serde_json::to_value(&now.backups).ok().as_ref(), patch.get("backups"))
}

/// Brings the names among the changes to their own form.
///
/// # Errors
///
/// If one names nothing there is.
fn check(state: &State, patch: &mut Map<String, Value>) -> Result<()> {
    let now = state.app.settings.get();
    let tool = |text: &str| own_name(state, text);
    check_list(patch, "disabled_tools", &now.disabled_tools, tool)?;
    check_list(patch, "chat.selected", &now.chat.selected, tool)?;
    let root = |text: &str| state.app.host.workspaces.ensure_root(text).map(|()| text.to_owned());
    check_list(patch, "files.roots", &now.files.roots, root)?;
    check_list(patch, "outbound.exceptions", &now.outbound.exceptions, own_place)
}

/// Checks the addresses of endpoints for pictures and speech, as far as they are changed.
fn check_media(now: &Settings, patch: &Map<String, Value>) -> Result<()> {
    for part in MediaPart::ALL {
        let given = patch.get("media").and_then(|media| media.get(part.as_str())).and_then(|one| one.get("url"));
        if let Some(Value::String(url)) = given
            && !url.trim().is_empty()
            && *url != now.media.of(part).0
        {
            endpoint_address(url).map_err(|error| at(&format!("media.{part}.url"), &error))?;
        }
    }
    Ok(())
}

/// Checks the changes to embeddings.
///
/// # Errors
///
/// If another catalogue is no address, or another model is none that can be chosen.
async fn check_embeddings(state: &State, patch: &Map<String, Value>) -> Result<()> {
    let now = state.app.settings.get().embeddings.clone();
    let given = |name: &str| patch.get("embeddings").and_then(|embeddings| embeddings.get(name));
    if let Some(Value::String(text)) = given("catalogue")
        && *text != now.catalogue
    {
        ensure_address(text).map_err(|error| at("embeddings.catalogue", &error))?;
    }
    if let Some(Value::String(model)) = given("model")
        && *model != now.model
    {
        // It may be the same change that allows fetching it.
        let downloads = given("downloads").and_then(Value::as_bool).unwrap_or(now.downloads);
        let wanted = Embeddings { model: model.clone(), downloads, ..now };
        offered::ensure_choosable(&state.app, wanted).await.map_err(|error| at("embeddings.model", &error))?;
    }
    Ok(())
}

/// Puts what `check` makes of it in the place of each entry of a list. What stood there before may be gone and stays.
fn check_list(
    patch: &mut Map<String, Value>,
    setting: &str,
    before: &[String],
    check: impl Fn(&str) -> Result<String>,
) -> Result<()> {
    let list = match setting.split_once('.') {
        Some((group, name)) => patch.get_mut(group).and_then(|group| group.get_mut(name)),
        None => patch.get_mut(setting),
    };
    // What is no list, or no text in it, is refused where all is read.
    let entries = list.and_then(Value::as_array_mut).into_iter().flatten().enumerate();
    for (n, entry) in entries {
        if let Value::String(text) = entry
            && !before.contains(text)
        {
            *text = check(text).map_err(|error| at(&format!("{setting}[{n}]"), &error))?;
        }
    }
    Ok(())
}

/// The error, with the setting it is about.
fn at(field: &str, error: &Error) -> Error {
    let reason = error.message().trim_end_matches('.');
    Error::invalid(format!("`{field}`: {error}")).with_details(json!({"field": field, "reason": reason}))
}

/// The own name of a tool, which may be named by an alias.
fn own_name(state: &State, text: &str) -> Result<String> {
    let registry = state.invoker.registry();
    let found = registry.find(text).or_else(|_| registry.find(&text.trim().to_lowercase()));
    found
        .map(|found| found.tool.spec().name.clone())
        .map_err(|_| Error::invalid(format!("There is no tool '{}': GET /api/tools lists them.", shorten(text))))
}

/// A host and port as the guard names them.
fn own_place(text: &str) -> Result<String> {
    text.parse::<HostPort>().map(|place| place.to_string())
}

fn ensure_address(text: &str) -> Result<()> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(()),
        _ => Err(Error::invalid(format!("'{}' is no address that starts with https:// or http://.", shorten(text)))),
    }
}

/// The JSON Schema of the settings, for forms.
#[utoipa::path(get, path = "/api/settings/schema", tag = "settings", responses((status = 200, body = Value)))]
async fn schema() -> HttpResult<Json<Value>> {
    Ok(serde_json::to_value(schemars::schema_for!(Settings)).map(Json).map_err(Error::internal)?)
}
