<<<<<<< HEAD
//! The one integration-test binary: each module is named after the noun it tests.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod examples;
mod support;
=======
//! The integration tests: one binary, one module for each noun.

#![cfg(test)]

mod crash;
mod tidy;
>>>>>>> ops
