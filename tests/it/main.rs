//! The integration tests: one binary, one module for each noun.

#![cfg(test)]
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]
#![expect(unreachable_pub, reason = "one binary: pub says what a support module offers")]

mod clipboard;
mod crash;
mod examples;
mod exec;
mod files;
mod process;
mod support;
mod tidy;
mod web;
