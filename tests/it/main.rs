//! The integration tests: one binary, one module for each noun.

#![cfg(test)]
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]
#![expect(unreachable_pub, reason = "one binary: pub says what a support module offers")]

mod calls;
mod chat;
mod crash;
mod data;
mod engine;
mod examples;
mod exec;
mod guard;
mod list;
mod memory;
mod operations;
mod parallel;
mod people;
mod providers;
mod routes;
mod support;
mod tidy;
mod turns;
mod vault;
mod web;
