//! The ways in. A door authenticates, builds a `Call`, and renders what comes of it.

mod checks;
pub mod cli;
pub mod http;
