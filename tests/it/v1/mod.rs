//! `/v1`: OpenAI's and Anthropic's clients ask agents, and models without one.

mod again;
mod completions;
mod embeddings;
mod gateway;
mod messages;
mod models;
mod own_tools;
mod refused;
mod responses;
mod sdks;
mod stage;
mod threads;
