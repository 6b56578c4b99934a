//! `/v1/responses`.

mod approve;
mod ask;
mod items;
mod keep;
mod replay;
pub(in crate::http) mod serve;
mod tell;
