//! What every handler can reach.

use std::sync::Arc;

use bytes::Bytes;

use super::{meters::Meters, openapi, origin::Hosts, path::Queries, routes::Table};
use crate::{
    agent::chat::Agent,
    app::App,
    engine::{invoker::Invoker, scripts::Library},
    model::error::Result,
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
    pub(super) table: Table,
    pub(super) queries: Queries,
    pub(super) hosts: Hosts,
    pub(super) meters: Meters,
    pub(super) document: Bytes,
}

impl State {
    /// Checks the route table against the handlers; fails where one has no row, or a row no handler.
    pub fn new(app: Arc<App>, invoker: Invoker, agent: Agent, scripts: Library) -> Result<Self> {
        let document = openapi::document();
        let table = Table::new(&document)?;
        let queries = Queries::of(&document);
        let hosts = Hosts::new(&app.config);
        let meters = Meters::new();
        let document = openapi::text(&document)?.into();
        Ok(Self { app, invoker, agent, scripts, table, queries, hosts, meters, document })
    }
}
