//! The situation of a chat turn, which decides the policy layers that apply to its calls.

use satchel_model::policy::Situation;

/// The id of the agent that answers.
const ASSISTANT: &str = "assistant";

/// The situation of what a provider's model asks for in a turn.
pub(super) fn situation(provider: Option<&str>) -> Situation {
    Situation { agent: Some(ASSISTANT.to_owned()), provider: provider.map(str::to_owned), ..Situation::default() }
}
