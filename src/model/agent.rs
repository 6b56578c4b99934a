//! Agents: who answers in a conversation, as a person writes it down, and what each may do.

pub mod draft;
pub mod session;

use std::{
    fmt,
    str::FromStr,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use self::draft::AgentDraft;
use super::{
    error::{Error, Result},
    id::shorten,
    origin::Origin,
    policy::{CompiledLayer, Layer, Situation, ToolNames},
    spec::Risk,
    time::Time,
};

/// The id of the built-in agent.
pub const ASSISTANT: &str = "assistant";
/// The tool that reads skills: following one never shuts it out.
const READS_SKILLS: &str = "skill";

/// An agent's id: `assistant` for the built-in one, a UUID for every other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentId(Arc<str>);

impl AgentId {
    /// A new, unique id.
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string().into())
    }

    /// The id of the built-in agent.
    pub fn assistant() -> Self {
        Self(ASSISTANT.into())
    }

    /// Returns whether it is that of the built-in agent.
    pub fn is_assistant(&self) -> bool {
        &*self.0 == ASSISTANT
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for AgentId {
    fn default() -> Self {
        Self::assistant()
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for AgentId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == ASSISTANT {
            return Ok(Self::assistant());
        }
        let id = Uuid::from_str(text).map_err(|_| unknown(text))?;
        Ok(Self(id.to_string().into()))
    }
}

impl TryFrom<String> for AgentId {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<AgentId> for String {
    fn from(id: AgentId) -> Self {
        id.0.as_ref().to_owned()
    }
}

/// The one answer for an agent that is not there and for one that is not shared with whoever asks.
pub fn unknown(asked: &str) -> Error {
    let asked = shorten(asked);
    Error::not_found(format!("There is no agent '{asked}', or it is not shared with you: see the list of agents."))
}

/// An agent as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Agent {
    /// Stable id; `assistant` for the built-in one.
    #[schema(value_type = String)]
    pub id: AgentId,
    /// The text somebody wrote of it, checked.
    #[serde(flatten)]
    pub content: AgentDraft,
    /// The number of the version; counted at every change.
    pub version: u32,
    /// `true` if it is part of Satchel: it can be changed and put back, not deleted.
    pub built_in: bool,
    /// The name of the person it belongs to.
    pub owner: Option<String>,
    /// `true` if the caller may change it.
    pub may_change: bool,
    /// The time at which it was made.
    pub created_at: Time,
    /// The last change.
    pub updated_at: Time,
    /// The origin of its text, if that is from outside for the caller: written by a program, or by somebody else who is no
    /// administrator. A conversation that it answers in has content from outside.
    pub origin: Option<Origin>,
}

impl Agent {
    /// The agent at the version that counts.
    pub fn at(self) -> AgentAt {
        let Self { id, version, content, origin, .. } = self;
        AgentAt { id, version, content, origin }
    }
}

/// A version of an agent, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct AgentVersion {
    /// Its number, from 1.
    pub version: u32,
    /// The name of whoever wrote it.
    pub author: String,
    /// The key that a program wrote it with; null where a person did.
    pub key: Option<String>,
    /// The time at which it was written.
    pub at: Time,
    /// `true` if it counts.
    pub current: bool,
}

/// An agent at one version: what a turn is held to from its beginning to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentAt {
    /// The agent.
    pub id: AgentId,
    /// The version; 0 for a draft that is tried.
    pub version: u32,
    /// The text.
    pub content: AgentDraft,
    /// The origin of the text, if that is from outside for whoever asks.
    pub origin: Option<Origin>,
}

impl AgentAt {
    /// The bounds of what it may do.
    pub fn acting(&self) -> ActingAgent {
        let AgentDraft { name, profile, allow, deny, collections, skills, max_risk, tools, .. } = self.content.clone();
        ActingAgent {
            id: self.id.clone(),
            version: self.version,
            name,
            profile,
            allow,
            deny,
            collections,
            max_risk,
            tools,
            skills,
            of_skill: false,
            within: None,
            session: None,
            ready: Ready::default(),
        }
    }
}

/// The agent on whose behalf a call is made, and the bounds it has there. It narrows what its person may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActingAgent {
    /// The agent.
    pub id: AgentId,
    /// Its version.
    pub version: u32,
    /// Its name.
    pub name: String,
    /// The profile that its tools are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Tools it may call; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Tools it may not call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// Collections it searches; empty means all that its person sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<String>,
    /// The highest risk of a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_risk: Option<Risk>,
    /// `false` of a specialist, which calls nothing.
    pub tools: bool,
    /// Skills it has, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// `true` of the bounds of a skill that is followed, which has the name of that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_skill: bool,
    /// The agent within whose bounds it acts, where another one had it begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Arc<ActingAgent>>,
    /// The circumstances of the session that it acts in. `None` in a conversation that a person holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Arc<Situation>>,
    /// Profile and lists, made ready when they are first needed.
    #[serde(skip)]
    ready: Ready,
}

impl ActingAgent {
    /// The same agent within the bounds of others. It is within its own in any case.
    #[must_use]
    pub fn within(self, others: Option<Arc<Self>>) -> Self {
        let others: Vec<Self> = others.iter().flat_map(|first| first.chain()).cloned().collect();
        let others = others.into_iter().filter(|one| !one.has_bounds_of(&self)).rev();
        let outer = others.fold(None, |outer, one| Some(Arc::new(Self { within: outer, ..one })));
        Self { within: outer, ..self }
    }

    /// The bounds of two chains of agents: whoever acts within them keeps to all of either.
    #[must_use]
    pub fn joined(one: Option<Arc<Self>>, other: Option<Arc<Self>>) -> Option<Arc<Self>> {
        let mut all: Vec<Self> = Vec::new();
        for agent in one.iter().chain(&other).flat_map(|first| first.chain()) {
            if !all.iter().any(|known| known.has_bounds_of(agent)) {
                all.push(agent.clone());
            }
        }
        all.into_iter().rev().fold(None, |outer, agent| Some(Arc::new(Self { within: outer, ..agent })))
    }

    /// The same agent within the bounds of skills that it follows: each with the tools it asks for, and what reads skills.
    #[must_use]
    pub fn following(self, skills: Vec<(String, Vec<String>)>) -> Self {
        let bounds = |outer: Option<Arc<Self>>, (name, mut allow): (String, Vec<String>)| {
            allow.push(READS_SKILLS.to_owned());
            let draft = AgentDraft { allow, ..AgentDraft::named(name) };
            let at = AgentAt { id: AgentId::new(), version: 0, content: draft, origin: None };
            Some(Arc::new(Self { of_skill: true, within: outer, ..at.acting() }))
        };
        let within = skills.into_iter().fold(self.within.clone(), bounds);
        Self { within, ..self }
    }

    /// The same agent in a session; with `None`, in a conversation that a person holds.
    #[must_use]
    pub fn in_session(self, session: Option<Arc<Situation>>) -> Self {
        Self { session, ..self }
    }

    /// Returns whether both are one version of one agent. One that is only tried may be another text each time.
    fn has_bounds_of(&self, other: &Self) -> bool {
        self.id == other.id && self.version == other.version && self.version > 0
    }

    /// Itself, and all within whose bounds it acts.
    pub fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |one| one.within.as_deref())
    }

    /// The situation of what it asks for, on a provider's model or by itself.
    pub fn situation(&self, provider: Option<&str>) -> Situation {
        let agent = Some(self.id.to_string());
        let within = self.chain().skip(1).filter(|one| !one.of_skill).map(|one| one.id.to_string()).collect();
        let session = self.session.as_deref().cloned().unwrap_or_default();
        Situation { agent, within, provider: provider.map(str::to_owned), ..session }
    }

    /// Its profile and lists as a policy layer, among tools of which `exec` has these names; `None` where it has neither.
    pub fn layer(&self, exec: &ToolNames) -> Option<&CompiledLayer> {
        let Self { profile, allow, deny, .. } = self;
        if profile.is_none() && allow.is_empty() && deny.is_empty() {
            return None;
        }
        let layer = || Layer { profile: profile.clone(), allow: allow.clone(), deny: deny.clone(), ask: Vec::new() };
        Some(self.ready.0.get_or_init(|| CompiledLayer::new(&layer(), exec)))
    }
}

/// Worked out of the other fields, so it makes no difference between two agents.
#[derive(Debug, Clone, Default)]
struct Ready(OnceLock<CompiledLayer>);

impl PartialEq for Ready {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Ready {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_word_or_a_uuid() {
        assert!("assistant".parse::<AgentId>().unwrap().is_assistant());
        let id = AgentId::new();
        assert_eq!(id.to_string().to_uppercase().parse::<AgentId>().unwrap(), id);
        assert!("Assistant".parse::<AgentId>().is_err() && "".parse::<AgentId>().is_err());
    }
}
