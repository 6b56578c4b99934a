//! Outbound bytes: one guarded HTTP client, and what speaks over it.

pub mod guard;
pub mod http;
pub mod llm;
mod names;
mod reply;
pub mod sse;
