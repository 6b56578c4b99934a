//! Answers of `/v1/responses` that are kept: what they say stands in the messages of their run.

use serde_json::Value;

use super::{
    call::CallId,
    conversation::ConversationId,
    id::{Id, Noun},
    run::RunId,
    time::Time,
};

/// A response's id.
pub type ResponseId = Id<StoredResponse>;

/// An answer that was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredResponse {
    /// Stable id.
    pub id: ResponseId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its run.
    pub run: RunId,
    /// Calls whose questions were decided by it: it begins with what came of them. Empty if it begins with its run.
    pub decided: Vec<CallId>,
    /// The fields of its request that it repeats.
    pub request: Value,
    /// The items that were sent.
    pub input: Vec<Value>,
    /// The time at which it was asked for.
    pub created_at: Time,
}

impl Noun for StoredResponse {
    const NAME: &'static str = "response";
}
