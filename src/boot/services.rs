//! The services: every handle of [`App`], built from the data directory and the configuration.

use std::path::Path;

use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use satchel_app::{
    App, Host, Lifecycle, Net, Search, Stores, calling::Calling, indexing::Indexing, outgoing::Outgoing,
};
use satchel_config::Config;
use satchel_host::{
    clipboard::Desktop,
    clock::Clock,
    files::Workspaces,
    process::Processes,
    sandbox::Sandbox,
    work::Work,
    workers::{Readers, Workers},
};
use satchel_index::embed::{embedder::Embedder, model::BUILTIN, workers::Limits};
use satchel_model::error::Result;
use satchel_net::{
    gate::{Gate, Ways},
    llm::breaker::{Background, Breakers, Pace},
};
use satchel_services::embeddings::offered;
use satchel_store::{
    audit::Audit,
    catalog::Catalog,
    db::{Commit, Db},
    dir::DataDir,
    embeddings::Embeddings,
    jobs::Jobs,
    knowledge::Knowledge,
    memory::MemoryStore,
    people::People,
    policies::PolicyStore,
    rules::Rules,
    settings::SettingsStore,
    tickets::Tickets,
    tool_config::ToolConfig,
    vault::Vault,
};

/// The embedder with the model the database was read with, for as long as no other one is ready.
async fn embedder_in_use(db: &Db, data: &Path) -> Result<Embedder> {
    let name = Embeddings::new(db).in_use().await?.unwrap_or_else(|| BUILTIN.to_owned());
    let model = offered::find(data, &name).unwrap_or_else(|error| {
        tracing::warn!(?error, "the embedding model cannot be found: search goes by words alone");
        None
    });
    Ok(Embedder::new(model, Limits::default()))
}

/// Opens the database and everything that stands on it.
pub(super) async fn services(dir: &DataDir, config: Config) -> Result<App> {
    let commit = if config.commit_each { Commit::Each } else { Commit::Grouped };
    let db = Db::open(&dir.database(), commit)?;
    let clock = Clock::new();
    let vault = Vault::open(db.clone(), dir.path(), &config.vault_key, clock.now()).await?;
    let people = People::open(db.clone()).await?;
    if let Some(owner) = &config.owner {
        people.ensure_owner(&owner.name, owner.password.clone(), clock.now()).await?;
    }
    let sandbox = Sandbox::new(config.program.clone(), dir.path());
    let embedder = embedder_in_use(&db, dir.path()).await?;
    let indexes = Indexing::open(&db, dir.path(), config.graph);
    indexes.use_model(embedder.model().map(|model| model.id));
    let settings = SettingsStore::load(db.clone()).await?;
    let egress = Outgoing::start(&db, &settings, &clock).await?;
    let ways = Ways { dns: config.outbound.dns, ca_file: config.outbound.ca_file.clone() };
    let gate = Gate::new(ways, egress.ledger());
    let (runtime, tracker, shutdown) = (Handle::current(), TaskTracker::new(), CancellationToken::new());
    let background = Background { runtime: runtime.clone(), tracker: tracker.clone(), shutdown: shutdown.clone() };
    let stores = Stores {
        audit: Audit::new(&db),
        people,
        memories: MemoryStore::new(&db),
        tickets: Tickets::new(&db),
        policies: PolicyStore::load(db.clone()).await?,
        rules: Rules::load(db.clone()).await?,
        tool_config: ToolConfig::new(&db, &vault),
        catalog: Catalog::load(db.clone(), &vault).await?,
        knowledge: Knowledge::new(&db, dir.path()),
        jobs: Jobs::new(&db, &vault),
        vault,
    };
    let host = Host {
        processes: Processes::new(sandbox.clone(), clock.clone()),
        sandbox,
        desktop: Desktop::find(),
        workspaces: Workspaces::new(dir.path()),
        work: Work::default(),
        workers: Workers::new(config.program.clone()),
        readers: Readers::new(config.program.clone()),
    };
    let net = Net { gate, egress, breakers: Breakers::new(background, Pace::default()), calling: Calling::default() };
    let lifecycle = Lifecycle { runtime, tracker, shutdown, overdue: CancellationToken::new() };
    let search = Search { indexes, embedder };
    Ok(App { config, clock, db, settings, stores, search, host, net, lifecycle })
}

#[cfg(test)]
mod tests;
