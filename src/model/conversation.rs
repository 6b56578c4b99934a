//! Conversations: messages, turns, and the steps a turn takes.

use serde::{Deserialize, Serialize};

use super::{
    id::{Id, Noun},
    time::Time,
};

/// A conversation's id; tools and audit call it the topic (R44).
pub type ConversationId = Id<Conversation>;

/// One person's talk with the model.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Conversation {
    /// Stable id.
    #[schema(value_type = String)]
    pub id: ConversationId,
    /// Its title.
    pub title: String,
    /// The folder it lies in.
    pub folder: Option<String>,
    /// When it was begun.
    pub created_at: Time,
    /// When something last happened in it.
    pub updated_at: Time,
    /// Whether content from outside has entered it.
    pub tainted: bool,
}

impl Noun for Conversation {
    const NAME: &'static str = "conversation";
}
