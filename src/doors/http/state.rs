//! The state every handler can reach.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::{delivery::Delivery, meters::Meters, origin::Hosts, protocol::kept::Mcp};
use satchel_agent::chat::Agent;
use satchel_app::App;
use satchel_engine::invoker::Invoker;
use satchel_services::{
    backups::service::Backups, find::finder::Finder, jobs::service::Jobs, running::Services, scripts::Library,
};

/// Most bodies of webhooks that are read at once: each may have the largest one.
const HOOKS: usize = 16;

/// The HTTP door's handles, one for all workers.
pub struct State {
    /// The services.
    pub app: Arc<App>,
    /// The invoker that runs calls.
    pub invoker: Invoker,
    /// The chat.
    pub agent: Agent,
    /// The tool finder.
    pub finder: Finder,
    /// The scripts.
    pub scripts: Library,
    /// Backups.
    pub backups: Arc<Backups>,
    /// Scheduled and triggered jobs.
    pub jobs: Jobs,
    /// Places for the bodies of webhooks.
    pub(super) hooks: Arc<Semaphore>,
    pub(super) hosts: Hosts,
    pub(super) meters: Meters,
    pub(super) delivery: Delivery,
    /// What is known of MCP clients.
    pub(super) mcp: Mcp,
}

impl State {
    /// The handles of these services.
    pub fn new(app: Arc<App>, invoker: Invoker, agent: Agent, services: Services) -> Self {
        let Services { finder, scripts, backups, jobs } = services;
        let hooks = Arc::new(Semaphore::new(HOOKS));
        let (hosts, meters, delivery) = (Hosts::new(&app.config), Meters::new(), Delivery::new());
        let mcp = Mcp::new();
        Self { app, invoker, agent, finder, scripts, backups, jobs, hooks, hosts, meters, delivery, mcp }
    }

    /// The place of a test's fixtures for MCP clients.
    #[cfg(debug_assertions)]
    pub fn mcp_fixtures(&self) -> super::protocol::extra::Extras {
        self.mcp.extras.clone()
    }
}
