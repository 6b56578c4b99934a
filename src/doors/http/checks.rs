//! The doctor's checks of a server that runs, one function for each thing.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::task::spawn_blocking;

use super::providers::{self, ProviderTest};
use crate::checks::check;
use satchel_agent::chat::Agent;
use satchel_app::App;
use satchel_model::{
    error::{Error, Kind},
    llm::Provider,
};
use satchel_net::llm::chain::Models;
use satchel_services::backups::service::Backups;

pub(super) use crate::checks::{Check, database, directory, disk, sandbox, scripts};

/// The time a model is waited for: a local one may have to be loaded first.
const PATIENCE: Duration = Duration::from_secs(15);
/// Time beyond which it is logged how long something took.
const SLOW: Duration = Duration::from_secs(3);
/// Most models a fix names.
const NAMED: usize = 8;

/// The key opens the vault.
pub(super) async fn vault(app: &App) -> Check {
    let found = app.stores.vault.prove().await.map(|id| format!("{} (Key {id}.)", app.stores.vault.key_place()));
    check("vault", found, |_| "Put the right key back from a backup, and start again.".to_owned())
}

/// Backups are made as the schedule says.
pub(super) async fn backups(backups: &Arc<Backups>) -> Check {
    // Their folder may be a disk that takes its time.
    let own = Arc::clone(backups);
    let found = spawn_blocking(move || own.scheduled()).await.map_err(Error::internal).flatten();
    check("backups", found, |_| {
        "Mend what the message names, then make a backup or choose another folder under Settings, Backup.".to_owned()
    })
}

/// There is somebody who may do everything.
pub(super) async fn owner(app: &App) -> Check {
    let found = app.stores.people.owner_name().await.map(|name| format!("{name} may do everything."));
    check("owner", found, |_| "Open the set-up link the start printed.".to_owned())
}

/// Checks whether a model is connected: to have none is a choice, not a fault.
pub(super) async fn model(agent: &Agent) -> Check {
    let found = agent.providers().chain(None).await.map(|asked| match asked.as_slice() {
        [] => "No model is connected: tools can be found and run all the same.".to_owned(),
        [one] => format!("{} is asked.", one.name),
        [first, rest @ ..] => format!("{} is asked first, then {} others.", first.name, rest.len()),
    });
    check("model", found, |_| "Connect the model anew under Settings, Models.".to_owned())
}

/// Checks whether search goes by meaning. To go by words alone is a choice, where it was chosen.
pub(super) fn embedding(app: &App) -> Check {
    let wanted = app.settings.get().embeddings.model.clone();
    let found = match (app.search.embedder.change().failed, app.search.embedder.model()) {
        (Some(reason), _) => {
            Err(Error::conflict(format!("Going over to the embedding model '{wanted}' failed. {reason}")))
        }
        (None, Some(model)) => Ok(format!("Search goes by words and by meaning, with {}.", model.id)),
        (None, None) => Ok("No embedding model: search goes by words alone.".to_owned()),
    };
    check("embeddings", found, |_| "Choose another under Settings, Search, or mend what the message names.".to_owned())
}

/// The provider answers, takes the key, and has the model that was chosen or answers with it.
pub(super) async fn provider(models: &Models, provider: &Provider) -> Check {
    // Two may have one name, or one model.
    let name = format!("model {} at {}", provider.model, provider.name);
    let began = Instant::now();
    let asked = tokio::time::timeout(PATIENCE, providers::ask(models, provider)).await;
    let took = began.elapsed();
    let late = || Error::new(Kind::Timeout, format!("{} did not answer within 15 s.", provider.name));
    match asked.unwrap_or_else(|_| Err(late())) {
        Ok(ProviderTest { ok: true, message, .. }) => match models.health(provider).cause {
            None => check(name, Ok(with_time(message, took)), |_| String::new()),
            Some(cause) => {
                let told = format!("{} lists its models, but does not answer questions. {cause}", provider.name);
                check(name, Err(Error::upstream(told)), |_| mend(provider, "see what the server says, then test it"))
            }
        },
        Ok(ProviderTest { message, models, .. }) => {
            let some = models.iter().flatten().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            check(name, Err(Error::conflict(message)), |_| mend(provider, &format!("choose a model it has: {some}")))
        }
        Err(error) => check(name, Err(error), |error| match error.kind() {
            Kind::Unconfigured => mend(provider, "correct its key and address"),
            _ => mend(provider, "start the model server, correct its address, or switch it off"),
        }),
    }
}

/// The findings, and how long they took where that was long.
fn with_time(message: String, took: Duration) -> String {
    if took > SLOW { format!("{message} It is slow: {} s.", took.as_secs()) } else { message }
}

/// Returns where to do something about a provider.
fn mend(provider: &Provider, what: &str) -> String {
    let place = match provider.from_environment {
        true => "In SATCHEL_MODEL, SATCHEL_MODEL_URL and SATCHEL_MODEL_KEY",
        false => "Under Settings, Models",
    };
    format!("{place}: {what}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_slow_model_is_told_with_its_time() {
        assert_eq!(with_time("It answers.".to_owned(), Duration::from_secs(3)), "It answers.");
        assert_eq!(with_time("It answers.".to_owned(), Duration::from_millis(7_900)), "It answers. It is slow: 7 s.");
    }
}
