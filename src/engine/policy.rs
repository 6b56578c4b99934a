//! Policies applied to tools: which of the nine layers hold in a situation, and what they say of each tool. One function
//! judges, whether a call is checked, a list is made or a person asks why.

mod cache;
mod named;
mod view;

pub(super) use self::{cache::PolicyCache, named::NamedList};
pub use self::{
    cache::PolicySet,
    named::Named,
    view::{Denial, View},
};
