//! Taking in what a document says a system can do: reading it, comparing it with what is known, writing what was chosen.

pub mod difference;
pub mod kept;
mod known;
mod rename;
pub mod source;
