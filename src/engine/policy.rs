//! Policies applied to tools: which of the nine layers hold in a situation, and what they say of each tool. One function
//! judges, whether a call is checked, a list is made or a person asks why.

mod cache;
mod view;

pub use self::{
    cache::PolicySet,
    view::{Denial, View},
};
pub(super) use cache::PolicyCache;
