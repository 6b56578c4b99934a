//! The audit's rows: what happened, who, through which door, and the chain that binds them.

pub mod extract;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::extract::{LARGEST, MAX_TEXT, Unmasked, clip, extract};
use super::{
    call::{CallId, Edit},
    caller::Door,
    conversation::ConversationId,
    error::{Error, Result},
    json::fits,
    policy::Situation,
    spec::Risk,
    time::Time,
    user::UserId,
};

/// The format rows are written in. Rows of format 1 have neither `approved_by` nor `edited`, those before format 3 neither
/// `agent` nor `situation`.
pub const FORMAT: i64 = 3;

/// The kind of thing that happened.
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

/// The outcome.
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
    /// It was stopped before it was done. Nothing went wrong.
    Stopped,
}

impl AuditOutcome {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Refused => "refused",
            Self::Waiting => "waiting",
            Self::Stopped => "stopped",
        }
    }
}

/// One thing that happened, before it has its place in the chain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Event {
    /// The time.
    pub time: Time,
    /// The kind of event.
    pub event_type: EventType,
    /// The user; `None` if nobody was signed in.
    pub user_id: Option<UserId>,
    /// Their name then.
    pub user: String,
    /// The conversation it belongs to.
    pub topic: Option<ConversationId>,
    /// Canonical id of the tool.
    pub tool: Option<String>,
    /// The way it came in.
    pub door: Door,
    /// The action, a verb phrase: `invoke`, `login`, `user.create`.
    pub action: String,
    /// Arguments, redacted.
    pub arguments: Value,
    /// The call's risk.
    pub risk: Option<Risk>,
    /// The outcome.
    pub outcome: AuditOutcome,
    /// The reason it did not work.
    pub error: Option<String>,
    /// Wall time.
    pub duration_ms: Option<u64>,
    /// The call.
    pub call_id: Option<CallId>,
    /// The person who approved it, where one was asked.
    #[serde(default)]
    pub approved_by: Option<String>,
    /// Changes that person made, redacted as the arguments are.
    #[serde(default)]
    pub edited: Vec<Edit>,
    /// The name then of the agent that did it, if one did.
    #[serde(default)]
    pub agent: Option<String>,
    /// The circumstances by which policies judged a call; `None` where there were none.
    #[serde(default)]
    pub situation: Option<Situation>,
    /// `true` if all its words are its user's own, a person's, as far as its conversation is clean. No part of the
    /// chain.
    #[serde(default)]
    pub own_words: bool,
}

impl Event {
    /// The event of an action that succeeded, with everything optional left out.
    pub fn new(time: Time, event_type: EventType, door: Door, action: impl Into<String>) -> Self {
        Self {
            time,
            event_type,
            user_id: None,
            user: String::new(),
            topic: None,
            tool: None,
            door,
            action: action.into(),
            arguments: json!({}),
            risk: None,
            outcome: AuditOutcome::Success,
            error: None,
            duration_ms: None,
            call_id: None,
            approved_by: None,
            edited: Vec::new(),
            agent: None,
            situation: None,
            own_words: false,
        }
    }

    /// The event with no more of its arguments and of its reason than a row keeps, whoever made it.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        if !fits(&self.arguments, LARGEST) {
            self.arguments = extract(&self.arguments, LARGEST, Unmasked);
        }
        self.error = self.error.map(|error| clip(&error, 2 * MAX_TEXT, Unmasked));
        self
    }

    /// The text the chain's hash covers in [`FORMAT`], as JSON: every field, keys in this order.
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
            approved_by: self.approved_by.as_deref(),
            edited: &self.edited,
            agent: self.agent.as_deref(),
            situation: self.situation.as_ref(),
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
    approved_by: Option<&'a str>,
    edited: &'a [Edit],
    agent: Option<&'a str>,
    situation: Option<&'a Situation>,
}

/// A row of the audit: an event and its place in the chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Entry {
    /// Its number, from 1, without gaps.
    pub seq: i64,
    /// The time.
    pub time: Time,
    /// The kind of event.
    pub event_type: String,
    /// The user.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub user_id: Option<UserId>,
    /// The user's name then.
    pub user: String,
    /// The conversation it belongs to.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub topic: Option<ConversationId>,
    /// Canonical id of the tool.
    pub tool: Option<String>,
    /// The way it came in.
    pub door: String,
    /// The action.
    pub action: String,
    /// Arguments, redacted.
    pub arguments: Value,
    /// The call's risk.
    pub risk: Option<String>,
    /// The outcome.
    pub outcome: String,
    /// The reason it did not work.
    pub error: Option<String>,
    /// Wall time.
    pub duration_ms: Option<u64>,
    /// The call.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub call_id: Option<CallId>,
    /// The person who approved it, where one was asked.
    #[serde(default)]
    pub approved_by: Option<String>,
    /// Changes that person made, redacted as the arguments are.
    #[serde(default)]
    pub edited: Vec<Edit>,
    /// The name then of the agent that did it, if one did.
    #[serde(default)]
    pub agent: Option<String>,
    /// The circumstances by which policies judged a call; null where there were none.
    #[serde(default)]
    pub situation: Option<Situation>,
    /// `true` if all its words are its user's own, a person's, as far as its conversation is clean.
    #[serde(skip_serializing)]
    #[schema(ignore)]
    pub own_words: bool,
    /// Hash of the row before, hex.
    pub prev_hash: String,
    /// SHA-256 over the row before's hash, the number and the body, hex.
    pub hash: String,
}

/// A point of the chain kept outside it: cutting the chain before it is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Anchor {
    /// The row.
    pub seq: i64,
    /// Its hash.
    pub hash: String,
    /// The time at which the anchor was taken.
    pub at: Time,
}

/// The result of verifying the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Verification {
    /// `true` if every row stands as it was written.
    pub ok: bool,
    /// Rows read.
    pub entries: i64,
    /// The last row's hash.
    pub head: Option<String>,
    /// The first thing that is wrong, in words.
    pub problem: Option<String>,
    /// The time at which it was verified.
    pub verified_at: Time,
}

/// Counts of the rows that fit, and of those under each value of a facet.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct AuditFacets {
    /// Rows that fit.
    pub total: i64,
    /// `{facet: {value: count}}`: how many would fit with that value chosen in place of what is, the commonest first. Tools that
    /// were not found, and whoever failed to sign in under an unknown name, are told once their name is asked for.
    #[schema(value_type = Object)]
    pub facets: serde_json::Map<String, Value>,
    /// Only so many of the newest rows were looked at; null where all were.
    pub among: Option<i64>,
    /// Number of the oldest rows, from before there were counts, that are not counted yet.
    pub uncounted: i64,
    /// `true` if the time was rounded out to five minutes, because very many rows were written in those at its ends.
    pub rounded: bool,
}

/// Rows over time.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct AuditHistogram {
    /// The beginning of the first stretch.
    pub start: Time,
    /// Length of each, in milliseconds.
    pub every_ms: i64,
    /// The stretches, in order.
    pub bins: Vec<AuditBin>,
    /// Only so many of the newest rows were looked at; null where all were.
    pub among: Option<i64>,
    /// Number of the oldest rows, from before there were counts, that are not counted yet.
    pub uncounted: i64,
    /// `true` if the time was rounded out to five minutes, because very many rows were written in those at its ends.
    pub rounded: bool,
}

/// Rows of a stretch of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct AuditBin {
    /// Number of rows.
    pub all: i64,
    /// Number of those that failed or were refused.
    pub wrong: i64,
}
