//! The binary: parse, run, print the error chain, exit code.

fn main() {}
