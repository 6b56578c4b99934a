//! Backups while the server runs: made when asked for or by the schedule, verified, kept by number and age.

pub mod drill;
mod first_run;
pub mod keys;
mod prune;
mod runs;
mod schedule;
pub mod service;
pub mod settings;
