//! The audit's rows: what happened, who, through which door, and the chain that binds them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    call::CallId,
    caller::Door,
    conversation::ConversationId,
    error::{Error, Result},
    spec::Risk,
    time::Time,
    user::UserId,
};

/// What kind of thing happened (R45).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// A tool was called, or refused.
    ToolInvocation,
    /// A chat turn ended.
    ChatTurn,
    /// Somebody signed in, or failed to.
    Auth,
    /// Somebody changed the platform.
    AdminAction,
}

impl EventType {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolInvocation => "tool_invocation",
            Self::ChatTurn => "chat_turn",
            Self::Auth => "auth",
            Self::AdminAction => "admin_action",
        }
    }
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditOutcome {
    /// It worked.
    Success,
    /// It failed.
    Failure,
    /// It was not allowed.
    Refused,
    /// A person was asked.
    Waiting,
}

impl AuditOutcome {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Refused => "refused",
            Self::Waiting => "waiting",
        }
    }
}

/// One thing that happened, before it has its place in the chain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Event {
    /// When.
    pub time: Time,
    /// What kind.
    pub event_type: EventType,
    /// Who; none where nobody was signed in.
    pub user_id: Option<UserId>,
    /// His name then.
    pub user: String,
    /// The conversation it belongs to.
    pub topic: Option<ConversationId>,
    /// Canonical id of the tool.
    pub tool: Option<String>,
    /// The way it came in.
    pub door: Door,
    /// What was done, a verb phrase: `invoke`, `login`, `user.create`.
    pub action: String,
    /// Arguments, redacted.
    pub arguments: Value,
    /// The call's risk.
    pub risk: Option<Risk>,
    /// How it ended.
    pub outcome: AuditOutcome,
    /// Why it did not work.
    pub error: Option<String>,
    /// Wall time.
    pub duration_ms: Option<u64>,
    /// The call.
    pub call_id: Option<CallId>,
}

impl Event {
    /// What the chain's hash covers, as JSON text: every field, keys in this order.
    pub fn body(&self) -> Result<String> {
        let body = Body {
            time: self.time.millis(),
            event_type: self.event_type.as_str(),
            user_id: self.user_id,
            user: &self.user,
            topic: self.topic,
            tool: self.tool.as_deref(),
            door: self.door.as_str(),
            action: &self.action,
            arguments: &self.arguments,
            risk: self.risk.map(Risk::as_str),
            outcome: self.outcome.as_str(),
            error: self.error.as_deref(),
            duration_ms: self.duration_ms,
            call_id: self.call_id,
        };
        serde_json::to_string(&body).map_err(Error::internal)
    }
}

/// Written straight into text: every call pays for it.
#[derive(Serialize)]
struct Body<'a> {
    time: i64,
    event_type: &'a str,
    user_id: Option<UserId>,
    user: &'a str,
    topic: Option<ConversationId>,
    tool: Option<&'a str>,
    door: &'a str,
    action: &'a str,
    arguments: &'a Value,
    risk: Option<&'a str>,
    outcome: &'a str,
    error: Option<&'a str>,
    duration_ms: Option<u64>,
    call_id: Option<CallId>,
}

/// A row of the audit: an event and its place in the chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Entry {
    /// Its number, from 1, without gaps.
    pub seq: i64,
    /// When.
    pub time: Time,
    /// What kind.
    pub event_type: String,
    /// Who.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// His name then.
    pub user: String,
    /// The conversation it belongs to.
    #[schema(value_type = Option<String>)]
    pub topic: Option<ConversationId>,
    /// Canonical id of the tool.
    pub tool: Option<String>,
    /// The way it came in.
    pub door: String,
    /// What was done.
    pub action: String,
    /// Arguments, redacted.
    pub arguments: Value,
    /// The call's risk.
    pub risk: Option<String>,
    /// How it ended.
    pub outcome: String,
    /// Why it did not work.
    pub error: Option<String>,
    /// Wall time.
    pub duration_ms: Option<u64>,
    /// The call.
    #[schema(value_type = Option<String>)]
    pub call_id: Option<CallId>,
    /// Hash of the row before, hex.
    pub prev_hash: String,
    /// SHA-256 over the row before's hash, the number and the body, hex.
    pub hash: String,
}

/// A point of the chain kept outside it: cutting the chain before it is found (R45).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Anchor {
    /// The row.
    pub seq: i64,
    /// Its hash.
    pub hash: String,
    /// When the anchor was taken.
    pub at: Time,
}

/// What verifying the chain found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Verification {
    /// Whether every row stands as it was written.
    pub ok: bool,
    /// Rows read.
    pub entries: i64,
    /// The last row's hash.
    pub head: Option<String>,
    /// The first thing that is wrong, in words.
    pub problem: Option<String>,
    /// When it was verified.
    pub verified_at: Time,
}
