//! Usage as its readers see it: tokens and what they cost, by day, person, agent, model or tool.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::price::Cost;

/// The dimension by which usage is summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageBy {
    /// Days (UTC).
    Day,
    /// People.
    Person,
    /// Agents.
    Agent,
    /// Models.
    Model,
    /// Tools.
    Tool,
}

/// The usage of one day, person, agent, model or tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct UsageRow {
    /// The day, the person's name, the agent's id, the model or the tool's id; empty where that is not known.
    pub key: String,
    /// The name of the agent, or of the model's provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Requests to models, or calls of the tool in conversations.
    pub requests: u64,
    /// Calls of the tool that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
    /// Tokens that were sent.
    pub input_tokens: u64,
    /// Tokens that were answered. Of a tool, about as many as models read of its answers.
    pub output_tokens: u64,
    /// Tokens of models without a price.
    pub unpriced_tokens: u64,
    /// The cost of the others, by currency.
    pub costs: Vec<Cost>,
}

/// A budget of tokens for a day (UTC), and how much of it is used today.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct UsageBudget {
    /// The person whose tokens are counted.
    pub person: String,
    /// The agent's id, where it is what the agent may take for that person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The agent's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// Tokens used.
    pub used: u64,
    /// The most; left out where nothing limits them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}
