//! Texts on the disk, found by their words.

mod best;
pub mod index;
mod made;
pub mod words;
