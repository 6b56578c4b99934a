//! Options of one request to a model, and requests that are passed on as they came.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ProviderKind, ToolDefinition};

/// Options of one request beside its conversation. Each comes before the provider's own parameter of that name; one that is
/// not set is not sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestOptions {
    /// Most tokens of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Freedom in the choice of words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Words are chosen among the likeliest whose probabilities add up to this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Texts before which an answer ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// A number that makes answers alike, as far as the model can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Reasoning before an answer, in the provider's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// The form of the answer, where it is not free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<AnswerFormat>,
    /// The tools that may or must be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// `true` if several tools may be called at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
}

impl RequestOptions {
    /// Options of an answer that has so many tokens at most.
    pub fn at_most(tokens: u32) -> Self {
        Self { max_tokens: Some(tokens), ..Self::default() }
    }
}

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnswerFormat {
    /// Any JSON object.
    Object,
    /// JSON by a schema.
    Schema {
        /// Its name.
        name: String,
        /// The schema.
        schema: Value,
        /// `true` if the model is held to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strict: Option<bool>,
    },
}

/// The tools that a model may or must call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// Whichever it likes, or none.
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// This one.
    Tool(String),
}

impl ToolChoice {
    /// Returns whether a call is demanded.
    pub fn is_forced(&self) -> bool {
        matches!(self, Self::Required | Self::Tool(_))
    }
}

/// The wishes of a program for its answer, beside the conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Brief {
    /// Its instructions.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// Tools that it runs itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// Options of the requests to the model.
    pub options: RequestOptions,
}

impl Brief {
    /// Returns whether a tool of this name is the program's own.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }
}

/// A request as it came, for providers that speak its dialect.
#[derive(Debug, Clone, PartialEq)]
pub struct RawRequest {
    /// The dialect.
    pub kind: ProviderKind,
    /// The body.
    pub body: Map<String, Value>,
    /// Headers of the dialect that go with it.
    pub headers: Vec<(&'static str, String)>,
    /// `true` if the answer is streamed.
    pub streamed: bool,
}

/// A request that is passed on, shared by all attempts.
pub type SharedRaw = Arc<RawRequest>;
