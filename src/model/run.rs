//! Runs: whatever an agent does for one request.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    agent::session::Report,
    call::CallId,
    conversation::{ConversationId, TurnId},
    error::{Error, Result},
    id::shorten,
    job::JobName,
    llm::{Usage, options::Brief},
    policy::Situation,
    price::Cost,
    time::Time,
};

/// A run's id: a turn is one.
pub type RunId = TurnId;

/// The kind of request that a run is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// A message of a person.
    #[default]
    Chat,
    /// A session that another run began.
    Sub,
    /// The firing of a job.
    Job,
    /// A message that came by a channel.
    Channel,
    /// A call over `/v1`.
    Api,
    /// A prompt of an ACP client.
    Acp,
}

impl RunKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [Self::Chat, Self::Sub, Self::Job, Self::Channel, Self::Api, Self::Acp];

    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Sub => "sub",
            Self::Job => "job",
            Self::Channel => "channel",
            Self::Api => "api",
            Self::Acp => "acp",
        }
    }

    /// Reads the word.
    ///
    /// # Errors
    ///
    /// If there is no such kind.
    pub fn parse(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| {
            let all = Self::ALL.map(Self::as_str).join(", ");
            Error::invalid(format!("'{}' is no kind of run: write one of {all}.", shorten(text)))
        })
    }
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It has not begun yet.
    Queued,
    /// The model or a tool is at work.
    Running,
    /// A person must decide something.
    Waiting,
    /// It ended with an answer.
    Done,
    /// It ended with an error.
    Failed,
    /// It was stopped.
    Cancelled,
    /// It ended, and a call in it may have taken effect or not.
    Uncertain,
}

impl RunState {
    /// Every state.
    pub const ALL: [Self; 7] =
        [Self::Queued, Self::Running, Self::Waiting, Self::Done, Self::Failed, Self::Cancelled, Self::Uncertain];

    /// The word as it stands in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Uncertain => "uncertain",
        }
    }

    /// Reads the word.
    ///
    /// # Errors
    ///
    /// If there is no such state.
    pub fn parse(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or_else(|| {
            let all = Self::ALL.map(Self::as_str).join(", ");
            Error::invalid(format!("'{}' is no state of a run: write one of {all}.", shorten(text)))
        })
    }

    /// Returns whether it is over.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running | Self::Waiting)
    }
}

/// The reason for a run, beside the message it answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Purpose {
    /// The kind of request.
    pub kind: RunKind,
    /// The run that began it.
    pub parent: Option<RunId>,
    /// The job that began it.
    pub job: Option<JobName>,
    /// The circumstances of the session it is in, if it is in one.
    pub session: Option<Arc<Situation>>,
    /// The call that began it: it begins one run, however often it is made.
    pub call: Option<CallId>,
    /// The conversation that is told what comes of it, if one is, and how.
    pub tells: Option<(ConversationId, Report)>,
    /// The wishes of the program that asks, if one does.
    pub brief: Option<Arc<Brief>>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Run {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: RunId,
    /// The kind of request it is for.
    pub kind: RunKind,
    /// The id of the agent that acts in it.
    pub agent: String,
    /// The name of the person it acts for.
    pub user: String,
    /// The conversation it stands in.
    #[schema(value_type = String, format = "uuid")]
    pub conversation: ConversationId,
    /// The run that began it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = "uuid")]
    pub parent: Option<RunId>,
    /// The id of the job that began it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Its state.
    pub state: RunState,
    /// The time at which it began.
    pub started_at: Time,
    /// The time at which it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
    /// The tokens it took so far.
    pub usage: Usage,
    /// The cost so far. Left out where one of its requests has no price, or they have not one currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// The reason it failed. Left out of another person's run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
