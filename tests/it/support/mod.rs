//! What tests share.

pub(crate) mod app;
pub mod http;
pub mod tools;
