//! What a yes is bound to, how far it goes, and where calls may lead after it.

mod asker;
mod bound;
mod hosts;
mod scopes;
mod turn;
