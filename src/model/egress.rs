//! Requests that leave this machine: who wanted them, and what became of them.

use std::{borrow::Cow, time::Duration};

use serde::Serialize;

use super::{
    call::{Call, CallId},
    conversation::ConversationId,
    time::Time,
    user::UserId,
};

/// A part of the product that reaches out without being a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Asking models, and which there are.
    Models,
    /// Fetching an embedding model.
    ModelDownload,
    /// Taking documents in from addresses.
    Ingest,
    /// Reading the documents of connected systems, and trying their endpoints.
    Catalog,
    /// Writing down what somebody says, and trying out endpoints for pictures and speech.
    Media,
    /// Taking skills in from addresses.
    Skills,
    /// The command line, to its own server.
    CommandLine,
    /// Fetching pictures that a program's message names.
    Pictures,
}

impl Part {
    /// As the ledger has it. A tool's id has a colon, a part's name has none.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::ModelDownload => "model_download",
            Self::Ingest => "ingest",
            Self::Catalog => "catalog",
            Self::Media => "media",
            Self::Skills => "skills",
            Self::CommandLine => "command_line",
            Self::Pictures => "pictures",
        }
    }
}

/// For whom something is sent. There is no sending without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Canonical id of the tool, or the name of the part.
    pub by: Cow<'static, str>,
    /// The person it is done for, where there is one.
    pub user: Option<UserId>,
    /// The call it is part of.
    pub call: Option<CallId>,
    /// The conversation that has reached the place by it; `None` where its call did not name that one.
    pub topic: Option<ConversationId>,
}

impl Origin {
    /// A tool's call.
    pub fn tool(id: String, call: &Call) -> Self {
        Self { by: id.into(), user: Some(call.caller.user), call: Some(call.id), topic: call.topic }
    }

    /// The same, to a place that its call did not name.
    #[must_use]
    pub fn aside(self) -> Self {
        Self { topic: None, ..self }
    }

    /// A part of the product, for itself or for somebody.
    pub fn part(part: Part, user: Option<UserId>) -> Self {
        Self { by: part.as_str().into(), user, call: None, topic: None }
    }
}

/// The end of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Passed {
    /// It is under way: it was about to be dialled, and nothing is known of its end yet.
    Open,
    /// A connection was made and used.
    Done,
    /// The guard refused it: nothing was sent.
    Refused,
    /// It was let through and came to nothing.
    Failed,
}

impl Passed {
    /// As the ledger has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    /// Reads what [`Passed::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Open, Self::Done, Self::Refused, Self::Failed].into_iter().find(|passed| passed.as_str() == text)
    }
}

/// One attempt to reach another machine: a request, or a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossing {
    /// For whom.
    pub origin: Origin,
    /// The host, as it was named.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The scheme of the address.
    pub protocol: String,
    /// Bytes sent above TLS. A request counts its head about and its body exactly.
    pub sent: u64,
    /// Bytes received above TLS. An answer counts its head about and its body as it was unpacked.
    pub received: u64,
    /// The status of an HTTP answer.
    pub status: Option<u16>,
    /// The outcome.
    pub passed: Passed,
    /// The reason it was refused or failed.
    pub reason: Option<String>,
    /// From the attempt to its end.
    pub took: Duration,
}

/// A row of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = EgressRow)]
pub struct Row {
    /// Its number; later is higher.
    pub id: i64,
    /// The time at which it began.
    pub at: Time,
    /// The host, as it was named.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The scheme of the address.
    pub protocol: String,
    /// The tool's canonical id, or the part of the product: `models`, `model_download`, `ingest`.
    pub by: String,
    /// The person it was done for.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub user_id: Option<UserId>,
    /// The user's name, while they exist.
    pub user: Option<String>,
    /// The call it was part of.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub call_id: Option<CallId>,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
    /// The status of an HTTP answer.
    pub status: Option<u16>,
    /// The outcome.
    pub outcome: Passed,
    /// The reason it was refused or failed.
    pub reason: Option<String>,
    /// The duration in milliseconds.
    pub duration_ms: u64,
}
