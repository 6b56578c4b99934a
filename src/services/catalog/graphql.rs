//! GraphQL: how it is called, what other doors carry of it, and its risk.

pub mod call;
pub(super) mod carried;
pub(super) mod risk;
