//! Business processes: found, brought in as YAML, and proposed by a model.

pub mod import;
pub mod propose;
pub mod search;
pub mod view;
