//! The doors: each authenticates, builds a `Call`, and renders what comes of it.

pub mod cli;
