//! The situation of a chat turn, which decides the policy layers that apply to its calls.

use satchel_model::{agent::ASSISTANT, caller::Caller, policy::Situation};

/// The situation of what a provider's model asks for in a turn of this caller.
pub(super) fn situation(caller: &Caller, provider: Option<&str>) -> Situation {
    if let Some(agent) = &caller.agent {
        return agent.situation(provider);
    }
    Situation { agent: Some(ASSISTANT.to_owned()), provider: provider.map(str::to_owned), ..Situation::default() }
}
