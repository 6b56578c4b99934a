//! The integration tests: one binary, one module for each noun.

#![cfg(test)]

mod crash;
mod tidy;
