//! PDF: the text of its pages, merging, and new ones. `hayro-syntax` reads the objects.

mod breaks;
mod cmap;
mod content;
mod encoding;
pub(super) mod face;
mod file;
mod font;
mod fonts;
mod layout;
mod line;
pub(super) mod merge;
pub(super) mod read;
mod stream;
mod words;
pub(super) mod write;
