//! Questions that are decided, as their person finds them later.

use serde::Serialize;

use super::TicketId;
use crate::{
    conversation::ConversationId,
    error::{Error, Result},
    id::shorten,
    job::JobName,
    rule::RuleDecision,
    spec::Risk,
    time::Time,
};

/// The end of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TicketOutcome)]
pub enum Outcome {
    /// It was allowed, and ran or runs.
    Allowed,
    /// It was allowed, and failed.
    Failed,
    /// It was refused.
    Refused,
    /// Nobody decided in time.
    Expired,
}

impl Outcome {
    /// Every end.
    pub const ALL: [Self; 4] = [Self::Allowed, Self::Failed, Self::Refused, Self::Expired];

    /// The word as it stands in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Expired => "expired",
        }
    }

    /// Reads the word.
    ///
    /// # Errors
    ///
    /// If there is no such end.
    pub fn parse(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == text).ok_or_else(|| {
            let all = Self::ALL.map(Self::as_str).join(", ");
            Error::invalid(format!("'{}' is no end of a question: write one of {all}.", shorten(text)))
        })
    }
}

/// A question that is decided, without its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct DecidedTicket {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: TicketId,
    /// The conversation it was asked in, while there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = "uuid")]
    pub topic: Option<ConversationId>,
    /// The job whose run asked, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<JobName>,
    /// Canonical id of the tool.
    pub tool: String,
    /// The risk of the call.
    pub risk: Risk,
    /// The question.
    pub question: String,
    /// The rule that asked, in words.
    pub reason: String,
    /// The end.
    pub outcome: Outcome,
    /// The person's reason against it, or what went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The person who allowed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// The number of arguments that they changed.
    pub edited: usize,
    /// The rule that was made from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleMade>,
    /// The time at which it was asked.
    pub created_at: Time,
    /// The time at which it was decided, or lapsed. Left out of those that were decided before this was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Time>,
}

/// A rule that was made from a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct RuleMade {
    /// Its id.
    pub id: String,
    /// Its decision.
    pub decision: RuleDecision,
}
