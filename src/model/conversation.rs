//! Conversations: messages, turns, and the steps a turn takes.

mod queued;
mod step;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    agent::AgentId,
    error::{Error, Result},
    id::{Id, Noun},
    knowledge::Citation,
    llm::Usage,
    origin::Origin,
    provider::failure::ProviderFailure,
    time::Time,
};

pub use queued::{Moment, QueuedMessage};
pub use step::{Step, StepState};

/// A conversation's id; tools and audit call it the topic.
pub type ConversationId = Id<Conversation>;
/// A turn's id.
pub type TurnId = Id<Turn>;
/// A message's id.
pub type MessageId = Id<Message>;

/// One person's talk with the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Conversation {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: ConversationId,
    /// Its title: the first words of the first message until somebody renames it.
    pub title: String,
    /// The folder it lies in.
    pub folder: Option<String>,
    /// The time at which it was begun.
    pub created_at: Time,
    /// The time at which something last happened in it.
    pub updated_at: Time,
    /// The state of a conversation: whether a turn is under way.
    pub state: ConversationState,
    /// The agent that answers in it.
    #[schema(value_type = String)]
    pub agent: AgentId,
    /// `true` if content from outside has entered it.
    pub tainted: bool,
    /// The place that content came from.
    pub tainted_by: Option<String>,
    /// The time at which the first of it came in.
    pub tainted_at: Option<Time>,
    /// In the answer to a search: the line of a message that holds what was searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

impl Conversation {
    /// Origin of the content from outside that is in it.
    pub fn origin(&self) -> Option<Origin> {
        let source = self.tainted_by.clone()?;
        Some(Origin::new(source, self.tainted_at.unwrap_or(self.updated_at)))
    }
}

/// A conversation that begins with the same messages as another: one was branched from the other, or both from a third.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Branch {
    /// Its id.
    #[schema(value_type = String)]
    pub id: ConversationId,
    /// Its title.
    pub title: String,
    /// The time at which it was begun: what is older was there first.
    pub created_at: Time,
    /// Number of messages both have.
    pub shared: u32,
}

impl Noun for Conversation {
    const NAME: &'static str = "conversation";
}

/// A conversation as its page shows it.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct ConversationView {
    /// The conversation.
    #[serde(flatten)]
    pub conversation: Conversation,
    /// Its messages, in order.
    pub messages: Vec<Message>,
    /// The last turn.
    pub turn: Option<Turn>,
}

/// The state of a conversation: whether a turn is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConversationState {
    /// No.
    Idle,
    /// The model or a tool is at work.
    Running,
    /// A person must decide something.
    Waiting,
}

/// From a person's message to the end of the model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Turn {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: TurnId,
    /// Its state.
    pub state: TurnState,
    /// The reason it failed.
    pub error: Option<String>,
    /// The provider that failed, where that is why.
    pub failure: Option<ProviderFailure>,
    /// The cost so far.
    pub usage: Usage,
    /// The make-up of the last request to the model.
    pub context: Option<ContextBill>,
    /// The time at which the message came.
    pub started_at: Time,
    /// The time at which it ended.
    pub finished_at: Option<Time>,
    /// The last event whose effect stands in the messages: a stream that begins after it misses nothing.
    pub last_event_id: String,
}

impl Noun for Turn {
    const NAME: &'static str = "turn";
}

/// The state of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    /// The model or a tool is at work.
    Running,
    /// A person must decide something.
    Waiting,
    /// It ended with an answer.
    Done,
    /// It ended with an error.
    Failed,
    /// The person stopped it.
    Cancelled,
}

impl TurnState {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Tokens of a request to the model, by what they are for. All but the limit are estimates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ContextBill {
    /// Instructions.
    pub system: u64,
    /// Schemas of the tools shown.
    pub tools: u64,
    /// Memories.
    pub memory: u64,
    /// Passages of documents.
    #[serde(default)]
    pub knowledge: u64,
    /// Messages.
    pub conversation: u64,
    /// The number of tokens that fit.
    pub limit: u64,
    /// Tools shown.
    pub tools_count: usize,
    /// Tools the person may use.
    pub tools_total: usize,
    /// The cost of showing all of those.
    pub all_tools_tokens: u64,
}

/// One message, with the tool calls the model made in it.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Message {
    /// Stable id.
    #[schema(value_type = String, format = "uuid")]
    pub id: MessageId,
    /// The turn it belongs to.
    #[schema(value_type = String, format = "uuid")]
    pub turn_id: TurnId,
    /// The author.
    pub role: Role,
    /// The text, Markdown.
    pub text: String,
    /// The files the person attached.
    pub attachments: Vec<Attachment>,
    /// Tool calls, in the model's order.
    pub steps: Vec<Step>,
    /// The passages of documents its text cites, as `[number]`.
    pub citations: Vec<Citation>,
    /// The time.
    pub created_at: Time,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The name its provider had.
    pub provider: Option<String>,
    /// The provider that was to answer and did not, where this one stood in for it.
    pub instead_of: Option<ProviderFailure>,
    /// The cost.
    pub usage: Option<Usage>,
    /// The reason it is not whole.
    pub error: Option<String>,
    /// Of a question: how many answers gave way to the one that follows it.
    pub former: u32,
    /// The name of the agent that wrote it. `None` if it was the built-in one.
    pub agent: Option<String>,
}

impl Message {
    /// A message of which nothing but its text is known.
    pub fn new(id: MessageId, turn_id: TurnId, role: Role, text: String, created_at: Time) -> Self {
        Self {
            id,
            turn_id,
            role,
            text,
            attachments: Vec::new(),
            steps: Vec::new(),
            citations: Vec::new(),
            created_at,
            model: None,
            provider: None,
            instead_of: None,
            usage: None,
            error: None,
            former: 0,
            agent: None,
        }
    }
}

impl Noun for Message {
    const NAME: &'static str = "message";
}

/// The place of a former answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormerPlace {
    /// The conversation.
    pub conversation: ConversationId,
    /// The question it answered.
    pub question: MessageId,
    /// Its number among that question's former answers; 1 is the oldest that is kept.
    pub number: u32,
}

/// An answer that gave way to a later one.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct FormerAnswer {
    /// The text the question had then. Left out where it still has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Its messages as they were then, in order.
    #[schema(value_type = Vec<Message>)]
    pub messages: Vec<Value>,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Speaker)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Media type: an image, a text, or a document such as a PDF or an Office file.
    pub mime: String,
    /// The file's name.
    pub name: String,
    /// Base64; of a document with a `path` empty when it is sent, and then the text that was read.
    #[schema(value_type = String)]
    pub data: Arc<str>,
    /// The storage path of a document, as `POST /api/files` gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1)]
    pub path: Option<String>,
}

/// Most bytes, as base64, that one message may carry along.
const ATTACHMENTS: usize = 7 << 20;
/// Most attachments of a message.
const MOST_ATTACHMENTS: usize = 50;
/// Most characters of the name and of the media type of one.
const LONGEST_NAME: usize = 255;

impl Attachment {
    /// Returns whether a model sees it as an image.
    pub fn is_image(&self) -> bool {
        matches!(self.mime.as_str(), "image/png" | "image/jpeg" | "image/gif" | "image/webp")
    }

    /// Returns whether a model reads it as text.
    pub fn is_text(&self) -> bool {
        let mime = self.mime.split(';').next().unwrap_or_default().trim();
        mime.starts_with("text/")
            || matches!(mime, "application/json" | "application/xml" | "application/yaml" | "application/toml")
    }

    /// Returns whether it has to be read before a model reads it. What was read already, and is sent again, is text.
    pub fn is_document(&self) -> bool {
        match self.path {
            Some(_) => self.data.is_empty(),
            None => !self.is_image() && !self.is_text(),
        }
    }

    /// Checks that a message may carry these along.
    ///
    /// # Errors
    ///
    /// If they are more than it may.
    pub fn check_all(attachments: &[Self]) -> Result<()> {
        if attachments.len() > MOST_ATTACHMENTS {
            return Err(Error::invalid(format!("A message has at most {MOST_ATTACHMENTS} attachments.")));
        }
        let longest = attachments.iter().flat_map(|one| [&one.name, &one.mime]).map(|text| text.chars().count()).max();
        if longest.is_some_and(|longest| longest > LONGEST_NAME) {
            return Err(Error::invalid(format!(
                "The name and the media type of an attachment have at most {LONGEST_NAME} characters each."
            )));
        }
        if attachments.iter().map(|one| one.data.len()).sum::<usize>() > ATTACHMENTS {
            return Err(Error::invalid("The attachments are too large: 5 MB together are the most."));
        }
        Ok(())
    }
}
