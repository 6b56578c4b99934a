//! Sessions: conversations that an agent holds without a person at the keyboard, for whoever began them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::AgentId;
use crate::{
    conversation::{ConversationId, Role},
    error::{Error, Result},
    id::shorten,
    llm::Usage,
    price::Cost,
    run::{RunId, RunKind, RunState},
    time::Time,
};

/// Most sessions one below the other: the conversation that a person holds is above the first.
pub const DEEPEST: u8 = 3;

/// The key of a session: `agent:<agent>:<kind>:<id>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionKey {
    /// The agent that answers in it.
    pub agent: AgentId,
    /// The kind of its runs.
    pub kind: RunKind,
    /// The conversation it is.
    pub conversation: ConversationId,
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agent:{}:{}:{}", self.agent, self.kind.as_str(), self.conversation)
    }
}

impl FromStr for SessionKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts: Vec<&str> = text.trim().split(':').collect();
        let ["agent", agent, kind, id] = parts.as_slice() else { return Err(unknown(text)) };
        let kind = RunKind::parse(kind).map_err(|_| unknown(text))?;
        let (agent, conversation) = (agent.parse().ok(), id.parse().ok());
        let (Some(agent), Some(conversation)) = (agent, conversation) else { return Err(unknown(text)) };
        Ok(Self { agent, kind, conversation })
    }
}

impl TryFrom<String> for SessionKey {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<SessionKey> for String {
    fn from(key: SessionKey) -> Self {
        key.to_string()
    }
}

/// The one answer for a session that is not there and for one that was begun elsewhere.
pub fn unknown(asked: &str) -> Error {
    Error::not_found(format!(
        "There is no session '{}' among those begun here. sessions_list names them.",
        shorten(asked)
    ))
}

/// Whether a call waits for the end of the run that it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// The call gives it.
    Awaited,
    /// The conversation is told once the run is over.
    Due,
}

impl Report {
    /// The word as it stands in rows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Awaited => "awaited",
            Self::Due => "due",
        }
    }
}

/// A run of a session, as whoever began it is told of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionRun {
    /// The session.
    pub session_key: SessionKey,
    /// The run.
    pub run: RunId,
    /// Its state.
    pub state: RunState,
    /// Its answer, as far as it came.
    #[serde(skip)]
    pub answer: Option<String>,
    /// The reason it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionEntry {
    /// The session.
    pub session_key: SessionKey,
    /// The name of its agent.
    pub agent: String,
    /// The state of its last run.
    pub state: RunState,
    /// The session or the conversation it was begun in. `None` if it was begun outside of one.
    pub parent: Option<SessionKey>,
    /// The time at which it was begun.
    pub started_at: Time,
}

/// The standing of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionStatus {
    /// The session.
    pub session_key: SessionKey,
    /// The state of its last run.
    pub state: RunState,
    /// The name of its agent.
    pub agent: String,
    /// The model that answered last. `None` if none has yet.
    pub model: Option<String>,
    /// The tokens of all its runs.
    pub usage: Usage,
    /// Their cost. Left out where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

impl SessionRun {
    /// The run as a model reads of it, with its answer under this name.
    pub fn shown(&self, answer: &str) -> Value {
        let mut shown = json!(self);
        if let (Some(text), Some(shown)) = (&self.answer, shown.as_object_mut()) {
            shown.insert(answer.to_owned(), json!(text));
        }
        shown
    }
}

/// A message of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionMessage {
    /// The author: `user` is whoever began the session.
    pub role: Role,
    /// The text.
    pub text: String,
    /// The time.
    pub time: Time,
}

/// The session that a call of an agent has begun or written to, as its card shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct StepSession {
    /// The run.
    #[schema(value_type = String, format = "uuid")]
    pub run: RunId,
    /// The conversation that the session is.
    #[schema(value_type = String, format = "uuid")]
    pub conversation: ConversationId,
    /// The name of its agent.
    pub agent: String,
    /// The state of the run.
    pub state: RunState,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_agent_kind_and_conversation() {
        let key = SessionKey { agent: AgentId::assistant(), kind: RunKind::Sub, conversation: ConversationId::new() };
        let text = key.to_string();
        assert_eq!(text, format!("agent:assistant:sub:{}", key.conversation));
        assert_eq!(text.parse::<SessionKey>().unwrap(), key);
        for wrong in
            ["", "assistant", "agent:assistant:sub", "agent:assistant:sub:7", "agent:x:sub:y", &format!("{text}:")]
        {
            let told = wrong.parse::<SessionKey>().unwrap_err();
            assert!(told.message().starts_with("There is no session"), "{told}");
        }
    }
}
