//! The composition root: from a configuration to everything running, and back down.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    app::App,
    config::Config,
    engine::{invoker::Invoker, registry::Registry},
    host::{clock::Clock, files::Workspaces},
    model::error::Result,
    net::{guard::Exceptions, http::Http},
    store::{
        audit::Audit,
        db::{Commit, Db},
        dir::DataDir,
        people::People,
        settings::SettingsStore,
        tickets::Tickets,
        tool_config::ToolConfig,
        vault::Vault,
    },
    tools,
};

/// Everything that runs, until [`Satchel::stop`].
pub struct Satchel {
    /// The service handles.
    pub app: Arc<App>,
    /// What runs calls.
    pub invoker: Invoker,
    _dir: DataDir,
}

impl Satchel {
    /// Opens the data directory and builds every service.
    pub async fn start(config: Config) -> Result<Self> {
        let dir = DataDir::hold(&config.data)?;
        let commit = if config.commit_each { Commit::Each } else { Commit::Grouped };
        let db = Db::open(&dir.database(), commit)?;
        let clock = Clock::new();
        let vault = Vault::open(db.clone(), dir.path(), &config.vault_key, clock.now()).await?;
        let app = Arc::new(App {
            clock,
            audit: Audit::of(&db),
            settings: SettingsStore::load(db.clone()).await?,
            tickets: Tickets::of(&db),
            tool_config: ToolConfig::of(&db, &vault),
            vault,
            people: People::open(db.clone()).await?,
            workspaces: Workspaces::new(dir.path()),
            http: Http::new(Exceptions::default()),
            runtime: Handle::current(),
            tracker: TaskTracker::new(),
            shutdown: CancellationToken::new(),
            config,
            db,
        });
        app.audit.close_interrupted(app.clock.now()).await?;
        app.tickets.close_interrupted().await?;
        let invoker = Invoker::new(Arc::clone(&app), Registry::of(tools::list::all())?);
        Ok(Self { app, invoker, _dir: dir })
    }

    /// Lets what runs finish, flushes, and lets the data directory go.
    pub async fn stop(self) {
        self.app.shutdown.cancel();
        self.app.tracker.close();
        self.app.tracker.wait().await;
    }
}
