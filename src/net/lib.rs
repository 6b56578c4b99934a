//! Outbound bytes: one guarded gate, and what speaks through it.

mod clients;
pub mod dial;
pub mod gate;
pub mod grpc;
pub mod guard;
pub mod http;
pub mod llm;
pub mod meter;
pub mod rate_limits;
mod reply;
mod resolve;
pub mod retry_after;
pub mod room;
pub mod sse;
pub mod tls;
mod unpack;
pub mod ws;
