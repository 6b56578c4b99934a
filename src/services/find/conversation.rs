//! Finding tools within a run: the conversation learns by the need, and keeps what was found.

use super::finder::{Asker, Finder, Found};
use satchel_engine::{context::Context, registry::Registry};
use satchel_model::error::Result;
use satchel_store::promotions;

impl Finder {
    /// The best tools for a need, among those the caller of this run may call. The need is one the conversation learns by.
    pub async fn find_for(&self, cx: &Context, need: &str, limit: usize) -> Result<Found> {
        let (registry, settings, policy) = (Registry::around(cx), cx.platform(), cx.policy());
        if let Some(topic) = cx.call().topic {
            self.learner().searched(topic, need);
        }
        let asker = Asker { registry: &registry, caller: cx.caller(), settings: &settings, policy: &policy };
        self.find(asker, need, limit).await
    }
}

/// Keeps tools in the context of this run's conversation; does nothing outside one.
pub async fn promote(cx: &Context, tools: Vec<String>) -> Result<()> {
    match cx.call().topic {
        Some(topic) if !tools.is_empty() => promotions::promote(&cx.app().db, topic, tools).await,
        _ => Ok(()),
    }
}
