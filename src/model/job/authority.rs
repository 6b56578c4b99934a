//! The authority of a job: who wrote it down. A run has what its owner may do, as far as all of these may as well.

use serde::{Deserialize, Serialize};

use crate::{
    agent::AgentId,
    caller::Caller,
    error::{Error, Result},
    id::Id,
    user::ApiKey,
};

/// The keys and agents that a job was written by. It narrows: with none of either, a person wrote it down themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = JobAuthority)]
pub struct Authority {
    /// Keys: a run may do no more than each of them, and nothing once one is revoked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub keys: Vec<Id<ApiKey>>,
    /// Agents: a run keeps to the bounds that each of them has at that moment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub agents: Vec<AgentId>,
}

impl Authority {
    /// The authority of whoever calls.
    ///
    /// # Errors
    ///
    /// If an agent acts that is only tried: nobody could look up its bounds later. If it acts in a session: a job would shed
    /// the policy layers that hold there.
    pub fn new(caller: &Caller) -> Result<Self> {
        let keys = caller.credential.key().into_iter().collect();
        let acting: Vec<_> = caller.agent.iter().flat_map(|agent| agent.chain()).collect();
        if acting.iter().any(|agent| agent.version == 0) {
            return Err(Error::denied(
                "An agent that is only tried makes no jobs and lets none go on: save it first, then ask it in a \
                 conversation.",
            ));
        }
        if acting.iter().any(|agent| agent.session.as_ref().is_some_and(|session| session.depth > 0)) {
            return Err(Error::denied(
                "An agent in a session makes no jobs and lets none go on: say in your answer which job is wanted, and whoever \
                 began the session can make it.",
            ));
        }
        Ok(Self { keys, agents: acting.into_iter().map(|agent| agent.id.clone()).collect() })
    }

    /// Returns whether nothing narrows it: a person wrote it down.
    pub fn is_whole(&self) -> bool {
        self.keys.is_empty() && self.agents.is_empty()
    }

    /// The authority that this one and another have both.
    #[must_use]
    pub fn intersect(mut self, other: Self) -> Self {
        self.keys.extend(other.keys);
        self.agents.extend(other.agents);
        self.keys = each_once(self.keys);
        self.agents = each_once(self.agents);
        self
    }

    /// The authority after whoever calls has written the job anew: theirs if they are a person, who alone can widen it,
    /// else what it had and they have both.
    ///
    /// # Errors
    ///
    /// As [`Authority::new`].
    pub fn rewritten(self, by: &Caller) -> Result<Self> {
        let own = Self::new(by)?;
        Ok(if own.is_whole() { own } else { self.intersect(own) })
    }

    /// The agent that does a task which names none: the one in whose turn it was written.
    pub fn author(&self) -> AgentId {
        self.agents.first().cloned().unwrap_or_default()
    }
}

fn each_once<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    all.into_iter().fold(Vec::new(), |mut once, one| {
        if !once.contains(&one) {
            once.push(one);
        }
        once
    })
}
