//! Warnings about a document of policies: what in it fits nothing, or allows nothing.

use std::sync::Arc;

use satchel_engine::{policy::Named, registry::Registry};
use satchel_model::policy::{CompiledLayer, GROUPS, Layer, PROFILES, Patterns, Policies, ToolNames, normal};
use satchel_store::policies::StoredPolicies;

/// Most warnings that are told.
const MOST: usize = 100;

/// The things that a document may name.
pub struct Known<'a> {
    /// The tools.
    pub registry: &'a Registry,
    /// The names of the providers.
    pub providers: &'a [String],
}

/// Warnings, each a sentence that begins with the place it is about.
pub fn warnings(document: &Policies, known: &Known<'_>) -> Vec<String> {
    let tools: Vec<ToolNames> = known.registry.tools().iter().map(|tool| tool.names()).collect();
    let set = known.registry.under(Arc::<StoredPolicies>::default());
    let mut found = Vec::new();
    for (place, layer) in document.written() {
        of_layer(&place, layer, &tools, set.exec(), &mut found);
    }
    let by_provider =
        [("provider_profile", &document.provider_profile), ("global_provider", &document.global_provider)];
    let of_agents = document.agent_provider.values().flat_map(|layers| layers.keys());
    let named = by_provider.into_iter().flat_map(|(_, layers)| layers.keys()).chain(of_agents);
    let mut unknown: Vec<&String> = named.filter(|name| !known.providers.contains(name)).collect();
    unknown.sort();
    unknown.dedup();
    found.extend(unknown.iter().map(|name| format!("There is no provider '{name}': layers for it apply to nothing.")));
    found.truncate(MOST);
    found
}

fn of_layer(place: &str, layer: &Layer, tools: &[ToolNames], exec: &ToolNames, found: &mut Vec<String>) {
    if let Some(profile) = &layer.profile
        && !PROFILES.iter().any(|(name, _)| *name == normal(profile))
    {
        let names: Vec<&str> = PROFILES.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        found.push(format!(
            "`{place}`: there is no profile '{profile}', so this layer allows nothing. The profiles are {names}."
        ));
    }
    let fits = |patterns: &[String]| {
        let patterns = Patterns::new(patterns);
        tools.iter().any(|tool| patterns.find(tool).is_some())
    };
    if !layer.allow.is_empty() && !fits(&layer.allow) {
        found.push(format!("`{place}`: nothing in its allow list fits a tool, so this layer allows nothing."));
    }
    for (list, patterns) in [("allow", &layer.allow), ("deny", &layer.deny), ("ask", &layer.ask)] {
        for pattern in patterns {
            let group = normal(pattern).strip_prefix("group:").map(str::to_owned);
            match group {
                Some(group) if !GROUPS.iter().any(|(name, _)| *name == group) => {
                    found.push(format!("`{place}.{list}`: there is no group '{group}'."));
                }
                Some(_) => {}
                None if !fits(std::slice::from_ref(pattern)) => {
                    found.push(format!("`{place}.{list}`: '{pattern}' fits no tool there is now."));
                }
                None => {}
            }
        }
    }
    let compiled = CompiledLayer::new(layer, exec);
    if tools.iter().any(|tool| tool.is("builtin:apply_patch") && compiled.overrides(tool)) {
        found.push(format!(
            "`{place}`: apply_patch passes, as exec does. To deny it as well, name it: deny apply_patch."
        ));
    }
}
