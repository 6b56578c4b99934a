//! The situation of a chat turn, which decides the policy layers that apply to its calls.

use satchel_model::{agent::ASSISTANT, caller::Caller, policy::Situation};

/// The situation of what a provider's model asks for in a turn of this caller.
pub(super) fn situation(caller: &Caller, provider: Option<&str>) -> Situation {
    match &caller.agent {
        Some(agent) => agent.situation(provider),
        None => {
            let provider = provider.map(str::to_owned);
            Situation { agent: Some(ASSISTANT.to_owned()), provider, ..Situation::default() }
        }
    }
}
