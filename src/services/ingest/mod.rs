//! Taking documents in: fetched, read, embedded, found. Everything is rows; these workers only move them on.

mod embedding;
mod fetch;
mod folders;
mod reading;
pub mod workers;
