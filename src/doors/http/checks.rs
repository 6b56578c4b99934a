//! What the doctor looks at, one function for each thing.

use std::time::Duration;

use serde::Serialize;

use super::providers::{self, Verdict};
use crate::{
    agent::chat::Agent,
    app::App,
    host::sandbox::{Level, Part},
    model::{
        error::{Error, Kind, Result},
        llm::Provider,
    },
    net::llm::chain::Models,
    store::{dir, health},
};

/// How long a model is waited for.
const PATIENCE: Duration = Duration::from_secs(3);
/// Most models a fix names.
const NAMED: usize = 8;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(super) struct Check {
    /// What: `database`, `vault`, …
    name: String,
    /// Whether it is as it should be.
    ok: bool,
    /// What was found.
    message: String,
    /// What to do, where it is not.
    fix: Option<String>,
}

fn check(name: impl Into<String>, found: Result<String>, fix: impl FnOnce(&Error) -> String) -> Check {
    match found {
        Ok(message) => Check { name: name.into(), ok: true, message, fix: None },
        Err(error) => {
            Check { name: name.into(), ok: false, fix: Some(fix(&error)), message: error.message().to_owned() }
        }
    }
}

/// Only its owner may enter the data directory.
pub(super) fn directory(app: &App) -> Check {
    let found = dir::demand_private(&app.config.data).map(|()| "Only its owner may enter.".to_owned());
    check("data directory", found, |_| format!("Run: chmod 700 {}", app.config.data.display()))
}

/// Every page and index of the database reads.
pub(super) async fn database(app: &App) -> Check {
    let found = health::examine(&app.db).await.map(|report| report.to_string());
    check("database", found, |_| "Stop Satchel and restore the last backup.".to_owned())
}

/// The key opens the vault.
pub(super) async fn vault(app: &App) -> Check {
    let found = app.vault.prove().await.map(|id| format!("Its key {id} opens it."));
    check("vault", found, |_| "Put the right key back from a backup, and start again.".to_owned())
}

/// There is somebody who may do everything.
pub(super) async fn owner(app: &App) -> Check {
    let found = app.people.owner_name().await.map(|name| format!("{name} may do everything."));
    check("owner", found, |_| "Open the set-up link the start printed.".to_owned())
}

/// Whether a model is connected: to have none is a choice, not a fault.
pub(super) async fn model(agent: &Agent) -> Check {
    let found = agent.providers().chain(None).await.map(|asked| match asked.as_slice() {
        [] => "No model is connected: tools can be found and run all the same.".to_owned(),
        [one] => format!("{} is asked.", one.name),
        [first, rest @ ..] => format!("{} is asked first, then {} others.", first.name, rest.len()),
    });
    check("model", found, |_| "Connect the model anew under Settings, Models.".to_owned())
}

/// Whether search goes by meaning. To go by words alone is a choice, where it was chosen.
pub(super) fn embedding(app: &App) -> Check {
    let wanted = app.settings.get().embeddings.model.clone();
    let found = match (app.embedder.change().failed, app.embedder.model()) {
        (Some(reason), _) => {
            Err(Error::conflict(format!("Going over to the embedding model '{wanted}' failed. {reason}")))
        }
        (None, Some(model)) => Ok(format!("Search goes by words and by meaning, with {}.", model.id)),
        (None, None) => Ok("No embedding model: search goes by words alone.".to_owned()),
    };
    check("embeddings", found, |_| "Choose another under Settings, Search, or mend what the message names.".to_owned())
}

/// The model answers, takes the key and has the model that was chosen.
pub(super) async fn provider(models: &Models, provider: &Provider) -> Check {
    let name = format!("model {}", provider.name);
    let asked = tokio::time::timeout(PATIENCE, providers::ask(models, provider)).await;
    let late = || Error::new(Kind::Timeout, format!("{} did not answer within 3 s.", provider.name));
    match asked.unwrap_or_else(|_| Err(late())) {
        Ok(Verdict { has: true, message, .. }) => check(name, Ok(message), |_| String::new()),
        Ok(Verdict { message, models, .. }) => {
            let some = models.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            check(name, Err(Error::conflict(message)), |_| mend(provider, &format!("choose a model it has: {some}")))
        }
        Err(error) => check(name, Err(error), |error| match error.kind() {
            Kind::Unconfigured => mend(provider, "correct its key and address"),
            _ => mend(provider, "start the model server, correct its address, or switch it off"),
        }),
    }
}

/// Where to do something about a provider.
fn mend(provider: &Provider, what: &str) -> String {
    let place = match provider.from_environment {
        true => "In SATCHEL_MODEL, SATCHEL_MODEL_URL and SATCHEL_MODEL_KEY",
        false => "Under Settings, Models",
    };
    format!("{place}: {what}.")
}

/// How commands are confined, and what this machine's kernel lacks for more.
pub(super) async fn sandbox(app: &App) -> Check {
    let found = app.sandbox.capabilities().await;
    let missing: Vec<String> = found.missing.iter().map(|(part, why)| format!("{part} ({why})")).collect();
    let missing = missing.join(", ");
    let said = match found.level {
        Level::Full => Ok("Commands can be confined fully.".to_owned()),
        Level::Reduced => Err(format!("Commands are confined, but these parts are missing: {missing}.")),
        Level::Off => Err(format!("No command can run here, because these parts are missing: {missing}.")),
    };
    let mut fixes: Vec<&str> = Vec::new();
    for (part, _) in &found.missing {
        let fix = enable(*part);
        if !fixes.contains(&fix) {
            fixes.push(fix);
        }
    }
    check("sandbox", said.map_err(Error::conflict), |_| fixes.join(" "))
}

/// What a machine needs for a part.
fn enable(part: Part) -> &'static str {
    match part {
        Part::Landlock => "Landlock: a kernel of 5.13 or later, with landlock among `lsm=` of its command line.",
        Part::Seccomp => "seccomp: a kernel with CONFIG_SECCOMP_FILTER.",
        Part::Proc => "An own /proc: in a container, start it with --security-opt systempaths=unconfined.",
        _ => {
            "Namespaces: allow them to users with sysctl kernel.unprivileged_userns_clone=1 and \
             kernel.apparmor_restrict_unprivileged_userns=0; in a container, start it with --security-opt \
             seccomp=unconfined."
        }
    }
}
