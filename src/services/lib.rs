//! The services that tools stand on: each holds the handles it needs, and the engine knows none of them.

pub mod agents;
pub mod answer;
pub mod audit;
pub mod backups;
pub mod catalog;
pub mod clipboard;
pub mod embeddings;
pub mod entries;
pub mod exposure;
pub mod find;
pub mod graph;
pub mod handles;
pub mod ingest;
pub mod jobs;
pub mod knowledge;
pub mod launcher;
pub mod model;
pub mod overview;
pub mod own_files;
pub mod policies;
pub mod processes;
pub mod reading;
pub mod remembering;
pub mod results;
pub mod running;
pub mod scripts;
