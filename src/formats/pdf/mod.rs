//! PDF: its objects, its pages, and the text on them. Everything is read when it is asked for, and counted.

mod breaks;
mod cmap;
mod content;
mod crypt;
mod encoding;
pub(super) mod face;
mod file;
mod filters;
mod font;
mod layout;
mod lexer;
mod line;
mod lzw;
pub(super) mod merge;
mod pages;
pub(super) mod read;
mod repair;
pub(super) mod write;
mod xref;
