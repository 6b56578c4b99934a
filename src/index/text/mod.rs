//! Texts on the disk, found by their words.

mod best;
pub mod index;
mod listed;
mod made;
pub mod words;
