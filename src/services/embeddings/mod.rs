//! The embedding models there are, fetching one, and going over from one to another.

pub mod change;
mod download;
pub mod offered;
