//! Messages that a person sends while an answer is under way.

use serde::{Deserialize, Serialize};

use super::{Attachment, MessageId};
use crate::{
    error::{Error, Result},
    time::Time,
};

/// The moment at which a message is taken that is sent while an answer is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// Once the answer is there, as a question of its own.
    Next,
    /// At the next step of the turn under way, which goes on with it; where there is no further step, as the next question.
    Now,
}

impl Moment {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Now => "now",
        }
    }

    /// Reads the word.
    ///
    /// # Errors
    ///
    /// If there is no such moment.
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "next" => Ok(Self::Next),
            "now" => Ok(Self::Now),
            other => Err(Error::invalid(format!("'{other}' is no moment to send a message: use next or now."))),
        }
    }
}

/// A message that waits for its turn. Where the last answer broke off or was stopped, it waits until somebody sends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct QueuedMessage {
    /// The id, which its message keeps.
    #[schema(value_type = String, format = "uuid")]
    pub id: MessageId,
    /// The text.
    pub text: String,
    /// Files with it, without their data.
    pub attachments: Vec<Attachment>,
    /// The moment at which it is taken.
    pub when: Moment,
    /// The time at which it was sent.
    pub created_at: Time,
}
