//! Texts on the disk, found by their words.

pub mod index;
mod made;
pub mod words;
