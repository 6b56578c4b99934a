//! What is derived from the database to find things by: embeddings.

pub mod embed;
