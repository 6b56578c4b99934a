//! The learning from use: needs, and the tools that were called for them.

use serde::Serialize;

use super::{conversation::ConversationId, time::Time, user::UserId};

/// A tool after a need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// The tool's id.
    pub tool: String,
    /// The number of times it did what was asked.
    pub successes: u32,
    /// The number of times it failed.
    pub failures: u32,
}

/// A need that tools were called for.
#[derive(Debug, Clone, PartialEq)]
pub struct PastNeed {
    /// Its row.
    pub id: i64,
    /// The person whose it was: nobody else is ever shown the text.
    pub user: UserId,
    /// The text that was asked for.
    pub text: String,
    /// Its meaning, where the model that was asked for has embedded it.
    pub vector: Option<Vec<f32>>,
    /// The tools called for it.
    pub used: Vec<Used>,
}

/// A call that ended, to be learned from.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// The person whose need it was.
    pub user: UserId,
    /// The conversation it was told in.
    pub topic: ConversationId,
    /// The need.
    pub need: String,
    /// The need's vector, with the model it is of.
    pub vector: Option<(String, Vec<f32>)>,
    /// The tool's id.
    pub tool: String,
    /// `true` if it did what was asked.
    pub success: bool,
    /// The time.
    pub at: Time,
}

/// A summary of what was learned of one tool.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Learned {
    /// Needs it was called for, everybody's.
    pub needs: u32,
    /// People who had them.
    pub people: u32,
    /// Calls that did what was asked.
    pub successes: u32,
    /// Calls that failed.
    pub failures: u32,
    /// The most a past success can add to its score in a search.
    pub bound: f32,
    /// The caller's own needs, the newest first; those of others are counted and never shown.
    pub own: Vec<OwnNeed>,
}

/// A need of the caller.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct OwnNeed {
    /// The text that was asked for.
    pub need: String,
    /// Calls that did what was asked.
    pub successes: u32,
    /// Calls that failed.
    pub failures: u32,
    /// The last call.
    pub last_at: Time,
}
