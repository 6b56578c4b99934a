//! Vectors in memory: quantised, searched exactly or through a graph, kept on the disk as a snapshot.

mod best;
pub(crate) mod dot;
mod graph;
mod hnsw;
pub mod index;
mod library;
mod rows;
pub mod snapshot;
mod upkeep;
mod walk;
