//! The service handles everything above works with. Built once in `boot`; it never holds the Invoker.

pub mod calling;
pub mod counting;
pub mod departures;
pub mod indexing;
pub mod outgoing;

use calling::Calling;
use indexing::Indexing;
use outgoing::Outgoing;
use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use url::Url;

use satchel_config::Config;
use satchel_host::{
    clipboard::Desktop,
    clock::Clock,
    disk,
    files::{Rooted, Workspaces},
    process::Processes,
    sandbox::Sandbox,
    work::Work,
    workers::{Readers, Workers},
};
use satchel_index::embed::embedder::Embedder;
use satchel_model::{
    egress::Origin,
    error::{Error, Kind, Result},
    figure,
    user::UserId,
};
use satchel_net::{
    gate::Gate,
    guard::{self, Exceptions, HostPort},
    http::Http,
    llm::breaker::Breakers,
};
use satchel_store::{
    audit::Audit, catalog::Catalog, db::Db, jobs::Jobs, knowledge::Knowledge, memory::MemoryStore, people::People,
    policies::PolicyStore, rules::Rules, settings::SettingsStore, tickets::Tickets, tool_config::ToolConfig,
    vault::Vault,
};

/// All handles, shared in one `Arc`.
pub struct App {
    /// The configuration the process was started with.
    pub config: Config,
    /// The time.
    pub clock: Clock,
    /// The database, for noun handles made on the spot.
    pub db: Db,
    /// Platform settings.
    pub settings: SettingsStore,
    /// The nouns in the database.
    pub stores: Stores,
    /// The indexes, and the model that embeds.
    pub search: Search,
    /// This machine: files, processes, heavy work.
    pub host: Host,
    /// Requests to other machines.
    pub net: Net,
    /// Background tasks, and their end.
    pub lifecycle: Lifecycle,
}

/// Handles of the nouns in the database.
pub struct Stores {
    /// The audit log.
    pub audit: Audit,
    /// The people who may sign in.
    pub people: People,
    /// The memories of people.
    pub memories: MemoryStore,
    /// Questions to people.
    pub tickets: Tickets,
    /// The layers that narrow what calls may use.
    pub policies: PolicyStore,
    /// Rules for arguments.
    pub rules: Rules,
    /// Secrets.
    pub vault: Vault,
    /// The configuration of tools, from the vault.
    pub tool_config: ToolConfig,
    /// Connected systems and their endpoints.
    pub catalog: Catalog,
    /// Documents.
    pub knowledge: Knowledge,
    /// Scheduled and triggered jobs.
    pub jobs: Jobs,
}

/// Indexes derived from the database.
pub struct Search {
    /// Search by word and meaning.
    pub indexes: Indexing,
    /// Texts as vectors.
    pub embedder: Embedder,
}

/// Files, processes and the desktop, and turns at heavy work.
pub struct Host {
    /// The sandbox that commands run in.
    pub sandbox: Sandbox,
    /// Every user's background processes.
    pub processes: Processes,
    /// The desktop's clipboard, where there is a desktop.
    pub desktop: Option<Desktop>,
    /// Every user's files.
    pub workspaces: Workspaces,
    /// Turns at heavy work.
    pub work: Work,
    /// Processes that run what may get out of hand.
    pub workers: Workers,
    /// Processes that read what comes from outside.
    pub readers: Readers,
}

/// Requests to others.
pub struct Net {
    /// The one way out.
    pub gate: Gate,
    /// The ledger of what went out.
    pub egress: Outgoing,
    /// The circuit breakers of the model providers.
    pub breakers: Breakers,
    /// Rate limits and tokens that the calls of a connected system share.
    pub calling: Calling,
}

/// Tasks of the process, and the signals that end them.
pub struct Lifecycle {
    /// The multi-thread runtime tools run on; HTTP workers have their own.
    pub runtime: Handle,
    /// Everything that must end before the process does.
    pub tracker: TaskTracker,
    /// Fires when the process is asked to end.
    pub shutdown: CancellationToken,
    /// Fires a while later: what changes things and has not ended by then is stopped.
    pub overdue: CancellationToken,
}

impl App {
    /// The way out for one who asks, with the exceptions an administrator made.
    pub fn outbound(&self, origin: Origin) -> Result<Http> {
        Ok(self.net.gate.on_behalf(origin).allowing(&self.exceptions()))
    }

    /// Checks that there is room for so many more bytes in the data directory.
    ///
    /// # Errors
    ///
    /// If they would leave too little of its disk free.
    pub fn ensure_room(&self, bytes: u64) -> Result<()> {
        disk::ensure_room(&self.config.data, &self.settings.get().files, bytes)
    }

    /// Checks that a person's documents may have so many more bytes.
    ///
    /// # Errors
    ///
    /// [`Kind::DiskFull`] if they may not: nothing was taken in.
    pub async fn ensure_document_room(&self, user: UserId, bytes: u64) -> Result<()> {
        let most = u64::from(self.settings.get().knowledge.person_mb) << 20;
        let held = self.stores.knowledge.documents.bytes_of(user).await?;
        if held.saturating_add(bytes) <= most {
            return Ok(());
        }
        let message = format!(
            "The documents of one person may have {}, and yours have {}: nothing was taken in. Delete some for good, or ask \
             an administrator to raise knowledge.person_mb.",
            figure::bytes(most),
            figure::bytes(held)
        );
        Err(Error::new(Kind::DiskFull, message))
    }

    /// The files a person's tools may reach, and what they may write there, as the settings have it now.
    ///
    /// # Errors
    ///
    /// If no directory is open, or one of the settings' cannot be opened.
    pub fn files_of(&self, user: UserId) -> Result<Rooted> {
        self.host.workspaces.open(user, &self.settings.get().files)
    }

    /// An entry that names no place opens none: such entries were kept before they were checked.
    fn exceptions(&self) -> Vec<HostPort> {
        self.settings.get().outbound.exceptions.iter().filter_map(|place| place.parse().ok()).collect()
    }

    /// Returns why an address is refused for what its text says, if so, and what an administrator can do.
    pub fn refused(&self, url: Option<&Url>) -> Option<String> {
        let refusal = guard::inspect(url?, &Exceptions::new(self.exceptions())).err();
        refusal.map(|error| error.message().to_owned())
    }
}
