//! The chat turn: what a model is asked, what it wants done, and what becomes of it.

mod ask;
mod attached;
pub mod begin;
mod calls;
pub mod chat;
mod choose;
mod compact;
mod data;
mod episodes;
pub mod export;
pub mod exposure;
mod follow;
mod history;
mod jobs;
mod knowledge;
pub mod log;
mod prompt;
mod repetition;
mod request;
mod resume;
mod runs;
mod sessions;
mod settle;
mod situation;
mod stop;
mod turn;
mod view;
