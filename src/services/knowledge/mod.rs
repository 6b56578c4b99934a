//! Finding passages: for tools, for the chat and for people, always through the eyes of somebody.

pub mod calls;
pub mod context;
pub mod search;
mod spans;
pub mod why;
