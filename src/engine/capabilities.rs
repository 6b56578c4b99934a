//! The handles a tool gets from its context: each bound to the caller, so that nothing wider can be reached.

use super::{
    context::Context,
    search::{self, Hit},
};
use crate::{model::error::Result, store::promotions};

impl Context {
    /// The best tools for a need, among those the caller may call.
    pub fn find_tools(&self, need: &str, limit: usize) -> Vec<Hit> {
        search::find(&self.registry(), self.caller(), &self.platform(), need, limit)
    }

    /// Keeps tools in this conversation's context; does nothing outside one.
    pub async fn promote(&self, tools: Vec<String>) -> Result<()> {
        match self.topic() {
            Some(topic) if !tools.is_empty() => promotions::promote(&self.app().db, topic, tools).await,
            _ => Ok(()),
        }
    }
}
