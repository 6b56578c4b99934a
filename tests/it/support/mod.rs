//! The parts that tests share.

pub(crate) mod app;
pub mod authority;
pub(crate) mod chat;
pub mod dns;
pub(crate) mod fake_llm;
pub mod http;
pub mod library;
pub mod mcp;
pub mod papers;
pub mod program;
pub mod remote;
pub mod site;
pub mod spellings;
pub mod system;
pub mod tools;
pub mod way;
