//! What tests share.

pub(crate) mod app;
