//! `satchel vault rotate` and `satchel doctor`.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    client::Client,
    run::Exit,
    screen::{Screen, cell},
};
use crate::{
    doors::checks,
    host::sandbox::Sandbox,
    model::error::{Error, Result},
};

pub(super) async fn rotate(new_key: Option<String>, client: &Client, screen: &Screen) -> Result<Exit> {
    let done: Value = client.post("/api/vault/rotate", &json!({"new_key": new_key})).await?;
    let next = match new_key {
        Some(_) => " From now on, start with the new one in place of the old.",
        None => "",
    };
    screen.show(&done, |d| {
        format!("{} secrets are wrapped with the new key {}.{next}", cell(d, "records"), cell(d, "key_id"))
    })?;
    Ok(Exit::Done)
}

pub(super) async fn doctor(client: &Client, screen: &Screen) -> Result<Exit> {
    report(&client.get("/api/doctor").await?, screen)
}

/// The doctor's report where no server starts: what can be looked at all the same.
pub async fn ailing(data: &Path, sandbox: &Sandbox, why: Error, json: bool) -> Result<Exit> {
    let checks = checks::without_server(data, sandbox, why).await;
    report(&json!({"checks": checks}), &Screen::new(json))
}

fn report(report: &Value, screen: &Screen) -> Result<Exit> {
    let checks = report.get("checks").and_then(Value::as_array).cloned().unwrap_or_default();
    let well = checks.iter().all(is_well);
    screen.show(report, |_| checks.iter().map(told).collect::<Vec<_>>().join("\n"))?;
    Ok(if well { Exit::Done } else { Exit::Failed })
}

fn is_well(check: &Value) -> bool {
    check.get("ok").and_then(Value::as_bool).unwrap_or_default()
}

fn told(check: &Value) -> String {
    let mark = if is_well(check) { "ok " } else { "bad" };
    let fix = cell(check, "fix");
    let fix = if fix.is_empty() { String::new() } else { format!("\n     {fix}") };
    format!("{mark}  {}: {}{fix}", cell(check, "name"), cell(check, "message"))
}
