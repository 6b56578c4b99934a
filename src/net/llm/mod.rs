//! Models over HTTP: three dialects behind one request and one stream of events.

pub mod answer;
mod anthropic;
mod bounds;
pub mod breaker;
pub mod chain;
mod dialect;
mod failure;
pub mod models;
mod ollama;
mod openai;
mod own_key;
mod probe;
mod raw;
