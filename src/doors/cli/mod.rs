//! The command line: a client of the server's own API, so that it can do nothing the API does not check and audit.

mod agents;
pub mod args;
mod audit;
pub mod backup;
pub mod client;
pub mod drill;
pub mod eval;
mod ingest;
mod jobs;
mod mcp;
mod people;
mod platform;
mod progress;
pub mod run;
mod runs;
mod screen;
pub mod scripts;
mod tools;
