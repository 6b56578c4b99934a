//! What tests share.

pub(crate) mod app;
pub mod http;
pub(crate) mod chat;
pub(crate) mod fake_llm;
