//! Outbound bytes: one guarded HTTP client, and what speaks over it.

pub mod grpc;
pub mod guard;
pub mod http;
pub mod llm;
mod names;
mod reply;
pub mod sse;
pub mod ws;
