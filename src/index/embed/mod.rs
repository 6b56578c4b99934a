//! Texts as vectors, computed on this machine: the model, what runs it, and the handle everybody else holds.
//!
//! `model` says what a model is and `folder` where others come from, `tokens` makes token numbers of texts, `onnx` runs the
//! model over them in threads that `spread` has placed, `pooling` makes one vector of a text's, `encoder` does these in
//! turn, `queue` and `workers` join what many ask for at once, `embedder` is the handle.

pub mod embedder;
mod encoder;
pub mod folder;
pub mod model;
mod onnx;
mod pooling;
mod queue;
mod spread;
mod tokens;
pub mod workers;
