//! `/v1/chat/completions`.

mod ask;
pub(in crate::http) mod serve;
pub(super) mod tell;
