//! Finding tools within a run: the conversation learns by the need, and keeps what was found; so does the key of an MCP
//! client, which has no conversation.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use parking_lot::Mutex;

use super::finder::{Asker, Finder, Found};
use satchel_engine::{context::Context, registry::Registry};
use satchel_model::{caller::Door, error::Result, id::Id, user::ApiKey};
use satchel_store::promotions;

/// Most tools that are kept for one key: the oldest makes room.
const OF_ONE: usize = 100;
/// Most keys for which tools are kept.
const KEYS: usize = 1_000;

/// Tools found with keys, until the server ends. Copies share them.
#[derive(Clone, Default)]
pub struct FoundByKey(Arc<Mutex<HashMap<Id<ApiKey>, VecDeque<String>>>>);

impl FoundByKey {
    fn keep(&self, key: Id<ApiKey>, tools: Vec<String>) {
        let mut all = self.0.lock();
        if all.len() >= KEYS && !all.contains_key(&key) {
            all.clear();
        }
        let kept = all.entry(key).or_default();
        for tool in tools {
            kept.retain(|before| *before != tool);
            kept.push_back(tool);
        }
        let over = kept.len().saturating_sub(OF_ONE);
        kept.drain(..over);
    }

    fn of(&self, key: Id<ApiKey>) -> BTreeSet<String> {
        self.0.lock().get(&key).map(|kept| kept.iter().cloned().collect()).unwrap_or_default()
    }
}

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

    /// Keeps tools, by id, in the context of this run's conversation, or with the key of an MCP client. Does nothing
    /// elsewhere.
    pub async fn promote(&self, cx: &Context, tools: Vec<String>) -> Result<()> {
        let (topic, caller) = (cx.call().topic, cx.caller());
        match (topic, caller.door, caller.credential.key()) {
            _ if tools.is_empty() => Ok(()),
            (Some(topic), ..) => promotions::promote(&cx.app().db, topic, tools).await,
            (None, Door::Mcp, Some(key)) => {
                self.learner().by_key().keep(key, tools);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The ids of the tools that an MCP client has found with a key.
    pub fn found_with(&self, key: Id<ApiKey>) -> BTreeSet<String> {
        self.learner().by_key().of(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_keeps_the_tools_that_were_found_last() {
        let (found, key) = (FoundByKey::default(), Id::new());
        found.keep(key, (0..OF_ONE).map(|n| format!("{n:03}")).collect());
        found.keep(key, vec!["000".to_owned(), "new".to_owned()]);
        let kept = found.of(key);
        assert_eq!(kept.len(), OF_ONE);
        assert!(kept.contains("000") && kept.contains("new") && !kept.contains("001"));
        assert!(found.of(Id::new()).is_empty());
    }
}
