//! What every handler can reach.

use std::sync::Arc;

use super::{delivery::Delivery, meters::Meters, origin::Hosts};
use crate::{
    agent::chat::Agent,
    app::App,
    engine::{backups::service::Backups, invoker::Invoker, scripts::Library},
};

/// The HTTP door's handles, one for all workers.
pub struct State {
    /// The services.
    pub app: Arc<App>,
    /// What runs calls.
    pub invoker: Invoker,
    /// The chat.
    pub agent: Agent,
    /// The scripts.
    pub scripts: Library,
    /// Backups.
    pub backups: Arc<Backups>,
    pub(super) hosts: Hosts,
    pub(super) meters: Meters,
    pub(super) delivery: Delivery,
}

impl State {
    /// The handles of these services.
    pub fn new(app: Arc<App>, invoker: Invoker, agent: Agent, scripts: Library, backups: Arc<Backups>) -> Self {
        let hosts = Hosts::new(&app.config);
        Self { app, invoker, agent, scripts, backups, hosts, meters: Meters::new(), delivery: Delivery::new() }
    }
}
