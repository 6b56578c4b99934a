//! The service handles everything above works with. Built once in `boot`; it never holds the Invoker.

use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    config::Config,
    host::{clipboard::Desktop, clock::Clock, files::Workspaces, process::Processes, sandbox::Sandbox, work::Work},
    net::http::Http,
    store::{
        audit::Audit, db::Db, people::People, settings::SettingsStore, tickets::Tickets, tool_config::ToolConfig,
        vault::Vault,
    },
};

/// All handles, shared in one `Arc`.
pub struct App {
    /// How the process was started.
    pub config: Config,
    /// The time.
    pub clock: Clock,
    /// The database, for noun handles made on the spot.
    pub db: Db,
    /// What happened.
    pub audit: Audit,
    /// Who may sign in.
    pub people: People,
    /// Platform settings.
    pub settings: SettingsStore,
    /// Questions to people.
    pub tickets: Tickets,
    /// Secrets.
    pub vault: Vault,
    /// The configuration of tools, from the vault.
    pub tool_config: ToolConfig,
    /// Where commands run.
    pub sandbox: Sandbox,
    /// Every user's background processes.
    pub processes: Processes,
    /// The desktop's clipboard, where there is a desktop.
    pub desktop: Option<Desktop>,
    /// Every user's files.
    pub workspaces: Workspaces,
    /// Turns at heavy work.
    pub work: Work,
    /// The one way out.
    pub http: Http,
    /// The multi-thread runtime tools run on; HTTP workers have their own.
    pub runtime: Handle,
    /// Everything that must end before the process does.
    pub tracker: TaskTracker,
    /// Fires when the process is asked to end.
    pub shutdown: CancellationToken,
}
