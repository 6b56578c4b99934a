//! The counts of what the platform has, for its status.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use satchel_engine::{authorise, context::Context, registry::Registry, tool::Tool};
use satchel_model::error::Result;

/// Counts of all that is registered and known, whatever its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holdings {
    /// Systems: drafts and those that are switched off as well.
    pub systems: usize,
    /// Their endpoints, callable or not.
    pub endpoints: usize,
    /// Documents of the knowledge base.
    pub documents: u64,
}

/// The number of tools, and of those the caller may call now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolCounts {
    /// All tools.
    pub total: usize,
    /// Those nobody has switched off.
    pub enabled: usize,
    /// Those switched off.
    pub disabled: usize,
    /// Those the caller may call now.
    pub available_to_you: usize,
    /// The same by category.
    pub by_category: BTreeMap<String, usize>,
}

/// Counts all that is registered and known, documents as far as the caller may see them.
pub async fn holdings(cx: &Context) -> Result<Holdings> {
    let directory = cx.app().stores.catalog.get();
    let endpoints = directory.all().iter().map(|registered| registered.endpoints.len()).sum();
    let documents = cx.app().stores.knowledge.documents.count(cx.caller().reader()).await?;
    Ok(Holdings { systems: directory.all().len(), endpoints, documents })
}

/// The tools, counted for this caller.
pub fn tool_counts(cx: &Context) -> ToolCounts {
    let (registry, settings, policy) = (Registry::around(cx), cx.platform(), cx.policy());
    let all = registry.tools();
    let enabled = all.iter().filter(|tool| authorise::switched_on(tool, &settings).is_ok()).count();
    let mut by_category = BTreeMap::new();
    for tool in all.iter().filter(|tool| authorise::may_call(tool, cx.caller(), &settings, &policy)) {
        *by_category.entry(category(tool)).or_insert(0) += 1;
    }
    let available_to_you = by_category.values().sum();
    ToolCounts { total: all.len(), enabled, disabled: all.len() - enabled, available_to_you, by_category }
}

fn category(tool: &Tool) -> String {
    serde_json::to_value(tool.spec().category).ok().as_ref().and_then(Value::as_str).unwrap_or("other").to_owned()
}
