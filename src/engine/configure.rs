//! Step 5: a tool's own settings, from the vault: it sees no other tool's.

use std::collections::BTreeMap;

use super::{settings::ToolSettings, tool::Tool};
use satchel_app::App;
use satchel_model::{
    error::{Error, Kind, Result},
    secret::Secret,
    spec::{Setting, Spec, Status},
};
use satchel_store::tool_config::Stored;

/// Reads a tool's settings; fails where a required one is missing.
pub async fn load(app: &App, tool: &Tool) -> Result<ToolSettings> {
    let spec = tool.spec();
    if spec.settings.is_empty() {
        return Ok(ToolSettings::default());
    }
    let stored = if tool.owns_its_name() { app.stores.tool_config.values(&spec.name).await? } else { BTreeMap::new() };
    let settings = merge(&spec.settings, stored);
    let missing = missing(&spec.settings, |key| settings.get(key).is_some());
    if missing.is_empty() { Ok(settings) } else { Err(unconfigured(spec, &missing)) }
}

/// A text that is another one once a setting of a tool was stored anew. It tells nothing of the values.
pub(super) async fn fingerprint(app: &App, tool: &Tool) -> Result<String> {
    if tool.spec().settings.is_empty() || !tool.owns_its_name() {
        return Ok(String::new());
    }
    app.stores.tool_config.fingerprint(&tool.spec().name).await
}

/// The required keys that are not set.
pub fn missing(settings: &[Setting], is_set: impl Fn(&str) -> bool) -> Vec<&str> {
    let lacking = |s: &&Setting| s.required && s.default.is_none() && !is_set(&s.key);
    settings.iter().filter(lacking).map(|s| s.key.as_str()).collect()
}

/// What R36 calls the state of a tool with these keys set.
pub fn status(spec: &Spec, is_set: impl Fn(&str) -> bool) -> Status {
    if spec.settings.is_empty() {
        Status::System
    } else if missing(&spec.settings, is_set).is_empty() {
        Status::Connected
    } else {
        Status::Available
    }
}

fn merge(settings: &[Setting], mut stored: BTreeMap<String, Stored>) -> ToolSettings {
    let mut merged = ToolSettings::default();
    for setting in settings {
        let stored = stored.remove(&setting.key);
        // A header may call plain what was given as a secret.
        if setting.secret || stored.as_ref().is_some_and(|stored| stored.secret) {
            merged.secret.push(setting.key.clone());
        }
        let value = stored.map(|stored| stored.value).or_else(|| setting.default.clone().map(Secret::new));
        if let Some(value) = value {
            merged.values.insert(setting.key.clone(), value);
        }
    }
    merged
}

fn unconfigured(spec: &Spec, missing: &[&str]) -> Error {
    Error::new(
        Kind::Unconfigured,
        format!(
            "Missing required config: {}. An administrator sets it on the page of the tool {}.",
            missing.join(", "),
            spec.name
        ),
    )
}
