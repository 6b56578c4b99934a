//! The nouns: plain data, no IO, no clock, no async.

pub mod audit;
pub mod call;
pub mod caller;
pub mod conversation;
pub mod error;
pub mod graph;
pub mod id;
pub mod index;
pub mod json;
pub mod knowledge;
pub mod launch;
pub mod learning;
pub mod likeness;
pub mod list;
pub mod llm;
pub mod memory;
pub mod output;
pub mod provider;
pub mod score;
pub mod secret;
pub mod settings;
pub mod spec;
pub mod strength;
pub mod time;
pub mod user;
pub mod words;
