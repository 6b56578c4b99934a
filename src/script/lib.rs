//! The language of user tools: what a script says of itself, what it can call, and how it is run.
//!
//! Everything that parses or runs a script's body does so in a worker process; only [`header`] is read in the server.

pub mod check;
mod faults;
mod given;
pub mod header;
pub mod helpers;
pub mod limits;
pub mod machine;
mod misfit;
pub mod names;
pub mod nearest;
pub mod outside;
mod recorded;
mod request;
pub mod state;
pub mod testing;
#[cfg(test)]
mod tests;
pub mod wire;
pub mod worker;
