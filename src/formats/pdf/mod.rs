//! PDF: its objects, its pages, and the text on them. Everything is read when it is asked for, and counted.

mod cmap;
mod content;
mod crypt;
mod encoding;
mod file;
mod filters;
mod font;
mod layout;
mod lexer;
mod line;
mod lzw;
mod pages;
pub(super) mod read;
mod repair;
mod xref;
