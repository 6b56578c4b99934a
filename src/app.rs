//! The service handles everything above works with. Built once in `boot`; it never holds the Invoker.

use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    config::Config,
    host::clock::Clock,
    store::{audit::Audit, db::Db, settings::SettingsStore, tickets::Tickets, tool_config::ToolConfig},
};

/// All handles. Each is cheap to clone; `App` itself is shared in an `Arc`.
pub struct App {
    /// How the process was started.
    pub config: Config,
    /// The time.
    pub clock: Clock,
    /// The database, for noun handles made on the spot.
    pub db: Db,
    /// What happened.
    pub audit: Audit,
    /// Platform settings.
    pub settings: SettingsStore,
    /// Questions to people.
    pub tickets: Tickets,
    /// The configuration of tools, from the vault.
    pub tool_config: ToolConfig,
    /// The multi-thread runtime tools run on; HTTP workers have their own.
    pub runtime: Handle,
    /// Everything that must end before the process does.
    pub tracker: TaskTracker,
    /// Fires when the process is asked to end.
    pub shutdown: CancellationToken,
}
