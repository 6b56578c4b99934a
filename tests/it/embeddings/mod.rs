//! Embedding: what the vectors are, and going over to another model.

mod change;
mod vectors;
