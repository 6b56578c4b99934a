//! The tools a model is shown, their names there, and what that costs.

use std::{collections::BTreeSet, sync::Arc};

use satchel_engine::{authorise, policy::View, registry::Registry, tool::Tool};
use satchel_model::{
    caller::Caller,
    llm::{ToolDefinition, estimate_tokens, options::Brief},
    settings::{Exposure, Settings},
};
use satchel_services::exposure::{Wanted, settled, shows};

/// The tools that one request shows.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The tools.
    pub(super) tools: Vec<ToolDefinition>,
    /// Names of those among them that words from outside describe.
    pub(super) foreign: BTreeSet<String>,
    /// Tokens of those shown.
    pub(super) tokens: u64,
    /// Tools the caller may use.
    pub(super) total: usize,
    /// Tokens of all of those.
    pub(super) all_tokens: u64,
}

impl Shown {
    /// The same with a program's own tools: of two with one name, its own is meant. Their words are from outside.
    pub(super) fn with_own(mut self, brief: Option<&Brief>) -> Self {
        let Some(brief) = brief else { return self };
        self.tools.retain(|tool| !brief.has_tool(&tool.name));
        self.tokens += brief
            .tools
            .iter()
            .map(|tool| estimate_tokens(&tool.parameters.to_string()) + estimate_tokens(&tool.description))
            .sum::<u64>();
        self.foreign.extend(brief.tools.iter().map(|tool| tool.name.clone()));
        self.tools.extend(brief.tools.iter().cloned());
        self
    }
}

/// The one who is shown tools, and all that decides which.
pub(super) struct Viewer<'a> {
    pub(super) caller: &'a Caller,
    pub(super) settings: &'a Settings,
    /// The say of the policies in the turn's situation.
    pub(super) policy: &'a View,
    /// The agent's own rule. `None` if the settings' holds.
    pub(super) exposure: Option<Exposure>,
}

/// Picks the tools for a turn. `promoted` are those the model found in this conversation; `room` is the most tokens
/// all schemas together may take.
pub(super) fn pick(registry: &Registry, viewer: Viewer<'_>, promoted: &BTreeSet<String>, room: u64) -> Shown {
    let Viewer { caller, settings, policy, exposure } = viewer;
    let callable = registry.tools().iter().filter(|tool| authorise::may_call(tool, caller, settings, policy));
    // There may be very many, of which few are shown.
    let all: Vec<(&Arc<Tool>, u64)> = callable.map(|tool| (tool, tool.tokens())).collect();
    let (total, all_tokens) = (all.len(), all.iter().map(|(_, tokens)| tokens).sum());
    let budget = u64::from(settings.chat.tool_token_budget).min(room);
    // What an agent may call at all is what it selects.
    let selects = caller.agent.as_ref().is_some_and(|agent| exposure.is_some() && !agent.allow.is_empty());
    let wanted = Wanted { found: promoted, selected: (!selects).then_some(&settings.chat.selected) };
    let rule = settled(exposure.unwrap_or(settings.chat.exposure), all_tokens, budget);
    let shown: Vec<_> = all.into_iter().filter(|(tool, _)| shows(rule, tool, &wanted)).collect();
    let tokens = shown.iter().map(|(_, tokens)| tokens).sum();
    let foreign = shown.iter().filter(|(tool, _)| tool.has_foreign_words(caller));
    let foreign = foreign.map(|(tool, _)| tool.spec().wire_name()).collect();
    Shown {
        tools: shown.iter().map(|(tool, _)| tool.spec().tool_definition()).collect(),
        foreign,
        tokens,
        total,
        all_tokens,
    }
}
