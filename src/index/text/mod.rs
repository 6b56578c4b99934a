//! Texts on the disk, found by their words.

pub mod index;
pub mod words;
