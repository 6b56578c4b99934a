//! The Model Context Protocol as it is spoken: revisions, messages, headers, sessions. It knows no tools.

#[cfg(debug_assertions)]
pub mod extra;
pub(super) mod given;
pub(super) mod headers;
pub(super) mod kept;
pub(super) mod peer;
pub(super) mod principal;
pub(super) mod revision;
pub(super) mod rpc;
pub(super) mod seal;
pub(super) mod session;
