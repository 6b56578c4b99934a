//! A firing: one run of a job, with what came of it.

use serde::{Deserialize, Serialize};

use super::{JobId, JobName};
use crate::{
    call::{CallId, TicketId},
    conversation::ConversationId,
    id::{Id, Noun},
    origin::Origin,
    run::{RunId, RunState},
    time::Time,
};

/// A firing's id.
pub type FiringId = Id<Firing>;

/// One run of a job.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[schema(as = JobRun)]
pub struct Firing {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: FiringId,
    /// Its job.
    #[schema(value_type = String, format = "uuid")]
    pub job: JobId,
    /// The reason it runs.
    pub cause: Cause,
    /// Its state.
    pub state: RunState,
    /// The time at which it was due, or asked for.
    pub due_at: Time,
    /// The number of the try, from 1 on.
    pub attempt: u32,
    /// The time of the next try, while it waits for one.
    pub retry_at: Option<Time>,
    /// The start of its last try.
    pub started_at: Option<Time>,
    /// Its end.
    pub ended_at: Option<Time>,
    /// The reason why it did not do its work, with what to do.
    pub error: Option<String>,
    /// The result, cut.
    pub output: Option<String>,
    /// The question it waits for, or waited for.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub ticket: Option<TicketId>,
    /// Its call, as the audit has it.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub call: Option<CallId>,
    /// The conversation of an agent's task.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub conversation: Option<ConversationId>,
    /// The agent's run.
    #[schema(value_type = Option<String>, format = "uuid")]
    pub run: Option<RunId>,
    /// The log, line by line.
    pub log: Vec<LogLine>,
    /// The origin of its result, if from outside.
    pub origin: Option<Origin>,
}

impl Noun for Firing {
    const NAME: &'static str = "run";
}

/// The reason a job runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = JobCause)]
pub enum Cause {
    /// It was due.
    Time,
    /// Somebody ran it.
    Asked,
    /// Its webhook was called.
    Webhook,
}

impl Cause {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Asked => "asked",
            Self::Webhook => "webhook",
        }
    }
}

/// A line of a run's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = JobLogLine)]
pub struct LogLine {
    /// When.
    pub at: Time,
    /// The event, in a sentence.
    pub text: String,
}

/// A message to a person, which stands in their inbox until they put it away.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Notice {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: Id<Notice>,
    /// The text.
    pub text: String,
    /// The job that sent it, where one did.
    pub job: Option<JobName>,
    /// `true` if it tells of something that went wrong.
    pub warns: bool,
    /// Number of times it was sent: the same again does not stand there twice.
    pub times: u32,
    /// The time at which it was sent last.
    pub sent_at: Time,
    /// The origin of the text, if from outside.
    pub origin: Option<Origin>,
}

impl Noun for Notice {
    const NAME: &'static str = "notice";
    const LISTED_AT: &'static str = "/api/notices";
}
