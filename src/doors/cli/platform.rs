//! `satchel vault rotate` and `satchel doctor`.

use serde_json::{Value, json};

use super::{
    args::RotateArgs,
    client::Client,
    run::Exit,
    screen::{Screen, cell, confirm},
};
use crate::checks;
use satchel_config::Config;
use satchel_host::{sandbox::Sandbox, workers::Workers};
use satchel_model::error::{Error, Result};

/// Asks first: the secrets of a backup made before stay sealed with the old key.
pub(super) async fn rotate(RotateArgs { yes, new_key }: RotateArgs, client: &Client, screen: &Screen) -> Result<Exit> {
    let facts: Value = client.get("/api/vault").await?;
    let question = format!("{} {}", cell(&facts, "lies"), cell(&facts, "change"));
    // Where no new one is named and Satchel cannot choose it, there is nothing to ask: the answer says what to do.
    let idle = new_key.is_none() && facts.get("own") == Some(&Value::Bool(false));
    let agreed = if yes || idle { Some(true) } else { confirm(&format!("{question}\nChange the key?"))? };
    if agreed != Some(true) {
        let next = if agreed.is_none() { " Say --yes to change it." } else { "" };
        screen.show(&facts, |_| format!("{question}\nNothing was changed.{next}"))?;
        return Ok(if agreed.is_none() { Exit::Unconfirmed } else { Exit::Done });
    }
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
pub async fn ailing(config: &Config, why: Error, json: bool) -> Result<Exit> {
    let (data, program) = (config.data.as_path(), config.program.clone());
    let (sandbox, workers) = (Sandbox::new(program.clone(), data), Workers::new(program));
    let checks = checks::without_server(data, &sandbox, &workers, why).await;
    report(&json!({"checks": checks}), &Screen::new(json))
}

fn report(report: &Value, screen: &Screen) -> Result<Exit> {
    let checks = report.get("checks").and_then(Value::as_array).cloned().unwrap_or_default();
    let well = checks.iter().all(is_well);
    screen.show(report, |_| checks.iter().map(line).collect::<Vec<_>>().join("\n"))?;
    Ok(if well { Exit::Done } else { Exit::Failed })
}

fn is_well(check: &Value) -> bool {
    check.get("ok").and_then(Value::as_bool).unwrap_or_default()
}

fn line(check: &Value) -> String {
    let mark = if is_well(check) { "ok " } else { "bad" };
    let fix = cell(check, "fix");
    let fix = if fix.is_empty() { String::new() } else { format!("\n     {fix}") };
    format!("{mark}  {}: {}{fix}", cell(check, "name"), cell(check, "message"))
}
