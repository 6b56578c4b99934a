//! Settings of the chat.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Chat {
    /// The tools the model is shown.
    pub exposure: Exposure,
    /// The tools `selected` shows, by name.
    pub selected: Vec<String>,
    /// `auto` shows all permitted tools while their schemas fit this many tokens.
    pub tool_token_budget: u32,
    /// Most model calls in one turn.
    pub max_steps: u32,
    /// Tokens a user may spend in a day (UTC); `null` means no limit.
    pub daily_token_budget: Option<u64>,
    /// Tokens of context where the provider does not say.
    pub context_tokens: u32,
    /// The author of titles of conversations that no person has named.
    pub titles: Titles,
}

impl Default for Chat {
    fn default() -> Self {
        Self {
            exposure: Exposure::Auto,
            selected: Vec::new(),
            tool_token_budget: 8_000,
            max_steps: 25,
            daily_token_budget: None,
            context_tokens: 32_768,
            titles: Titles::Model,
        }
    }
}

/// The author of titles of conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Titles {
    /// The model, by a short request after the first answer.
    Model,
    /// Nobody: they are the first words of the first message.
    Words,
}

/// The tools the model is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exposure {
    /// All permitted tools if they fit the budget, else innate tools and `find_tools`.
    Auto,
    /// All permitted tools.
    All,
    /// Those selected.
    Selected,
    /// Innate tools and `find_tools`.
    Discover,
}

impl Exposure {
    /// The word as it stands in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::All => "all",
            Self::Selected => "selected",
            Self::Discover => "discover",
        }
    }
}
