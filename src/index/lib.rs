//! The indexes that are derived from the database, and can be made from it again: embeddings, words, vectors.

pub mod embed;
pub mod flat;
pub mod graph;
pub mod memory;
pub mod text;
pub mod vectors;
