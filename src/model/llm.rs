//! Requests to a model and its answers, in no provider's dialect.

pub mod options;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use self::options::{RequestOptions, SharedRaw};
use super::{
    error::{Error, Result},
    id::{Id, Noun},
    provider::parameters::Parameters,
    secret::Secret,
};

/// The dialect a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// `/chat/completions`: OpenAI and everything compatible with it.
    Openai,
    /// `/messages`.
    Anthropic,
    /// `/api/chat`.
    Ollama,
}

impl ProviderKind {
    /// The word as it stands in rows, answers and `SATCHEL_MODEL`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
        }
    }

    /// The word read back.
    pub fn parse(text: &str) -> Result<Self> {
        [Self::Openai, Self::Anthropic, Self::Ollama]
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| Error::invalid(format!("'{text}' is no kind of provider: use openai, anthropic or ollama.")))
    }

    /// Returns the address it is asked at unless told otherwise.
    pub fn default_base_url(self) -> &'static str {
        match self {
            Self::Openai => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }
}

/// A provider's id.
pub type ProviderId = Id<Provider>;

/// A model that may be asked: where it is and what opens it.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// Stable id; the one made from the environment has one too.
    pub id: ProviderId,
    /// Its dialect.
    pub kind: ProviderKind,
    /// The name people call it by.
    pub name: String,
    /// The address it is asked at; its host and port are an exception to the outbound guard, made by an administrator.
    pub base_url: Url,
    /// The model's name there.
    pub model: String,
    /// The key, where it needs one.
    pub api_key: Option<Secret>,
    /// The lowest number is asked first, the others when it fails.
    pub priority: i64,
    /// `true` if it is asked at all.
    pub enabled: bool,
    /// Tokens that fit, where known.
    pub context_tokens: Option<u32>,
    /// Parameters of its requests.
    pub parameters: Parameters,
    /// Set by `SATCHEL_MODEL`: shown, not changed.
    pub from_environment: bool,
}

impl Noun for Provider {
    const NAME: &'static str = "provider";
}

/// One request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// Instructions before everything else.
    pub system: String,
    /// Data that stands behind them: memories, passages, what was said earlier.
    pub background: String,
    /// `true` if a person reads the answer: the provider's standing instructions are for those.
    pub for_person: bool,
    /// The conversation.
    pub messages: Vec<ChatMessage>,
    /// The tools it may call.
    pub tools: Vec<ToolDefinition>,
    /// Options of the answer. The provider's own limit of tokens holds besides.
    pub options: RequestOptions,
    /// The request as it came: it goes in place of all this to a provider that speaks its dialect.
    pub raw: Option<SharedRaw>,
}

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum ChatMessage {
    /// The person's words and pictures.
    User {
        /// The text.
        text: String,
        /// Images with it.
        images: Vec<Image>,
    },
    /// The model's words, and the calls it wants.
    Assistant {
        /// The text, perhaps empty.
        text: String,
        /// Its tool calls.
        calls: Vec<ToolCall>,
    },
    /// The results of its tool calls, each exactly once.
    Tool {
        /// In the order of the calls.
        results: Vec<ToolResult>,
    },
}

/// An image in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Media type.
    pub mime: String,
    /// Base64.
    pub data: Arc<str>,
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// The wire name.
    pub name: String,
    /// A description of what it does and when to use it.
    pub description: String,
    /// JSON Schema.
    pub parameters: Arc<Value>,
}

/// A call a model wants made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id for it, or one made here where the dialect has none.
    pub id: String,
    /// The wire name, as the model wrote it.
    pub name: String,
    /// The arguments; `{}` where they could not be read.
    pub arguments: Value,
    /// The reason the arguments could not be read: the model is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<String>,
}

/// The text a model reads of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call's id.
    pub call: String,
    /// The tool's wire name.
    pub name: String,
    /// The text.
    pub text: String,
    /// `true` if it failed.
    pub failed: bool,
}

/// A piece of an answer, as it arrives.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// More text.
    Text(String),
    /// A call, complete.
    ToolCall(ToolCall),
    /// The cost so far; the last one counts.
    Usage(Usage),
    /// The end.
    Stop(StopReason),
    /// A frame as it came, of an answer to a request that was passed on; the other events tell what is in it.
    Raw(String),
}

/// Tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Usage {
    /// Read by the model.
    pub input_tokens: u64,
    /// Written by it.
    pub output_tokens: u64,
    /// Of those it read, the ones that its provider still had. Not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Of those it wrote, the ones it reasoned with. Not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
}

fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl Usage {
    /// Tokens of which nothing else is known.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, ..Self::default() }
    }

    /// Both together: what budgets count.
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// The sum of two.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
        }
    }
}

/// The reason an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// It is complete.
    Complete,
    /// It wants tools called.
    ToolUse,
    /// It ran into its limit of tokens.
    Length,
    /// The provider held it back.
    Filtered,
}

/// About how many tokens a text is: four bytes each, the common rule for English and code; other scripts have
/// more bytes to a letter and so count higher, as they do.
pub fn estimate_tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

/// About what an image costs, whatever its size: providers scale large ones down to this.
pub const IMAGE_TOKENS: u64 = 1_200;
