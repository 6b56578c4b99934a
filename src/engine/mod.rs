//! The engine: what a tool is, and the one pipeline every call goes through.

pub mod answer;
pub mod authorise;
pub mod capabilities;
pub mod catalog;
pub mod configure;
pub mod confirm;
pub mod context;
pub mod decide;
pub mod embeddings;
pub mod entries;
pub mod find;
pub mod graph;
pub mod ingest;
pub mod invoker;
pub mod knowledge;
pub mod launcher;
pub mod model;
pub mod overview;
pub mod record;
pub mod registry;
pub mod remembering;
pub mod run;
pub mod sanitise;
mod secret_forms;
pub mod tool;
pub mod validate;
pub mod wire;
