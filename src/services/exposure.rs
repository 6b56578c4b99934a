//! The rule by which a model is shown tools: all, those selected, or those it always needs and those it found.

use std::collections::BTreeSet;

use satchel_engine::tool::Tool;
use satchel_model::settings::Exposure;

/// The rule that holds where all tools together take so many tokens.
pub fn settled(rule: Exposure, all_tokens: u64, budget: u64) -> Exposure {
    match rule {
        Exposure::Auto if all_tokens <= budget => Exposure::All,
        Exposure::Auto => Exposure::Discover,
        rule => rule,
    }
}

/// Tools that are wanted by name.
pub struct Wanted<'a> {
    /// Ids of those that were found.
    pub found: &'a BTreeSet<String>,
    /// Those selected. `None` if all are.
    pub selected: Option<&'a [String]>,
}

/// Returns whether a rule shows a tool.
pub fn shows(rule: Exposure, tool: &Tool, wanted: &Wanted<'_>) -> bool {
    let spec = tool.spec();
    let found = || !wanted.found.is_empty() && wanted.found.contains(&spec.id());
    let named = |name: &String| {
        *name == spec.name || *name == spec.id() || tool.aliases().iter().any(|alias| alias.name() == name)
    };
    match rule {
        Exposure::All | Exposure::Auto => true,
        Exposure::Selected => wanted.selected.is_none_or(|names| names.iter().any(named)) || found(),
        Exposure::Discover => spec.innate || found(),
    }
}
