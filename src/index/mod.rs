//! What is derived from the database to find things by, and can be made from it again: embeddings, words, vectors.

pub mod embed;
pub mod flat;
pub mod graph;
pub mod memory;
pub mod text;
pub mod vectors;
