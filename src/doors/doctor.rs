//! Looks at everything that can be wrong with an installation; each finding says how to mend it.

use serde::Serialize;

use crate::{
    agent::chat::Agent,
    app::App,
    host::sandbox::Level,
    model::error::Result,
    store::{dir, health},
};

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Check {
    /// What: `database`, `vault`, …
    pub name: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found.
    pub message: String,
    /// What to do, where it is not.
    pub fix: Option<String>,
}

/// Every check, in the order a person would want to read them.
pub async fn examine(app: &App, agent: &Agent) -> Vec<Check> {
    let database = health::examine(&app.db).await.map(|report| report.to_string());
    let vault = app.vault.prove().await.map(|id| format!("Its key {id} opens it."));
    let directory = dir::demand_private(&app.config.data).map(|()| "Only its owner may enter.".to_owned());
    let owner = owner(app).await;
    vec![
        check("data directory", directory, "Run: chmod 700 on the data directory."),
        check("database", database, "Stop Satchel and restore the last backup."),
        check("vault", vault, "Put the right key file back from a backup."),
        check("owner", owner, "Open the set-up link the start printed."),
        check("model", model(agent).await, "Look at the log, then connect the model anew under Settings."),
        sandbox(app).await,
    ]
}

fn check(name: &'static str, found: Result<String>, fix: &str) -> Check {
    match found {
        Ok(message) => Check { name, ok: true, message, fix: None },
        Err(error) => Check { name, ok: false, message: error.message().to_owned(), fix: Some(fix.to_owned()) },
    }
}

async fn model(agent: &Agent) -> Result<String> {
    Ok(match agent.providers().any().await? {
        true => "A model is connected.".to_owned(),
        false => "No model is connected: tools can be found and run all the same.".to_owned(),
    })
}

async fn sandbox(app: &App) -> Check {
    let found = app.sandbox.capabilities().await;
    let missing: Vec<String> = found.missing.iter().map(|(part, why)| format!("{part:?} ({why})")).collect();
    let (ok, message) = match found.level {
        Level::Full => (true, "Commands can be confined fully.".to_owned()),
        Level::Reduced => {
            (false, format!("Commands are confined, but these parts are missing: {}.", missing.join(", ")))
        }
        Level::Off => (false, format!("No command can run here, because these are missing: {}.", missing.join(", "))),
    };
    let fix = "Use a kernel of 5.13 or later with Landlock and user namespaces enabled.";
    Check { name: "sandbox", ok, message, fix: (!ok).then(|| fix.to_owned()) }
}

async fn owner(app: &App) -> Result<String> {
    let owner = app.people.owner_name().await?;
    Ok(format!("{owner} may do everything."))
}
