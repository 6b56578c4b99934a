//! The services that tools stand on: each holds the handles it needs, and the engine knows none of them.

pub mod backups;
pub mod capabilities;
pub mod catalog;
pub mod embeddings;
pub mod entries;
pub mod graph;
pub mod ingest;
pub mod knowledge;
pub mod launcher;
pub mod model;
pub mod overview;
pub mod own_files;
pub mod processes;
pub mod reading;
pub mod remembering;
pub mod scripts;
