//! `/v1/messages`.

mod ask;
pub(in crate::http) mod serve;
mod tell;
