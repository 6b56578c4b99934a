//! `/v1`: what OpenAI's and Anthropic's clients speak, as a door to the agents and to the models that are connected.

mod again;
pub(super) mod completions;
pub(super) mod dialect;
pub(super) mod embeddings;
mod follow;
mod gateway;
mod images;
pub(super) mod messages;
mod model;
pub(super) mod models;
mod pieces;
pub(super) mod responses;
mod rows;
mod target;
mod thread;
mod tools;
mod writer;
