//! What tests share.

pub mod app;
