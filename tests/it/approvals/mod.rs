//! Approvals: the call a yes is bound to, its scope, and the places calls may lead to after it.

mod asker;
mod bound;
mod graphql;
mod hosts;
mod inner;
mod scopes;
mod turn;
