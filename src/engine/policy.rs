//! Policies applied to tools: which of the nine layers hold in a situation, and what they say of each tool. One function
//! judges, whether a call is checked, a list is made or a person asks why.

mod cache;
mod view;

pub use self::{
    cache::PolicySet,
    view::{Denial, View},
};
pub(super) use cache::PolicyCache;

use crate::tool::Tool;
use satchel_model::policy::ToolNames;

/// Every name of a tool that a policy may call it by.
pub fn names_of(tool: &Tool) -> ToolNames {
    let (source, aliases) = (tool.spec().source.as_str(), tool.aliases());
    let ids: Vec<String> = aliases.iter().map(|alias| format!("{source}:{}", alias.name())).collect();
    let bare = std::iter::once(tool.spec().name.as_str()).chain(aliases.iter().map(|alias| alias.name()));
    ToolNames::new(&tool.spec().id(), bare.chain(ids.iter().map(String::as_str)))
}
