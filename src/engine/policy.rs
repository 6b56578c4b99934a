//! Policies applied to tools: which of the nine layers hold in a situation, and what they say of each tool. One function
//! judges, whether a call is checked, a list is made or a person asks why.

mod cache;
mod view;

use satchel_model::policy::ToolNames;

pub use self::{
    cache::PolicySet,
    view::{Denial, View},
};
pub(super) use cache::PolicyCache;

/// What policies judge: a tool, by its names. They know no more of it.
pub trait Named {
    /// Its name.
    fn name(&self) -> &str;

    /// Every name that a policy may call it by.
    fn names(&self) -> ToolNames;
}

/// A list of what policies judge, in an order that stays.
pub(super) trait NamedList: Send + Sync {
    /// What stands in it.
    fn all(&self) -> Box<dyn Iterator<Item = &dyn Named> + '_>;
}
