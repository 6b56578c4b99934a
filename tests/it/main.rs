//! The integration tests: one binary, one module for each noun.

#![cfg(test)]
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]
#![expect(unreachable_pub, reason = "one binary: pub says what a support module offers")]

mod crash;
mod examples;
mod support;
mod tidy;
