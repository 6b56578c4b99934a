//! The chat turn: what a model is asked, what it wants done, and what becomes of it.

mod ask;
mod attached;
mod calls;
pub mod chat;
mod choose;
mod compact;
mod data;
mod episodes;
pub mod export;
pub mod exposure;
mod history;
mod knowledge;
pub mod log;
mod prompt;
mod repetition;
mod request;
mod resume;
mod settle;
mod turn;
mod view;
