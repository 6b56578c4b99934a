//! The situation of a chat turn, which decides the policy layers that apply to its calls.

use satchel_model::{agent::ASSISTANT, caller::Caller, policy::Situation};

/// The situation of what a provider's model asks for in a turn of this caller.
pub(super) fn situation(caller: &Caller, provider: Option<&str>) -> Situation {
    let agent = caller.agent.as_ref().map_or(ASSISTANT, |agent| agent.id.as_str());
    Situation { agent: Some(agent.to_owned()), provider: provider.map(str::to_owned), ..Situation::default() }
}
