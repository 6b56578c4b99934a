//! The language of user tools: what a script says of itself, what it can call, and how it is run.
//!
//! Everything that parses or runs a script's body does so in a worker process; only [`header`] is read in the server.

pub mod helpers;
pub mod limits;
