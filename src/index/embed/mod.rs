//! Texts as vectors, computed on this machine: the model, what runs it, and the handle everybody else holds.
//!
//! `model` says what a model is and `folder` where others come from, `tokens` knows what it reads of a text, `encoder`
//! runs it, `queue` and `workers` join what many ask for at once, `embedder` is the handle.

pub mod embedder;
mod encoder;
pub mod folder;
pub mod model;
mod queue;
mod tokens;
pub mod workers;
