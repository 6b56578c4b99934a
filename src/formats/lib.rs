//! Documents: bytes in, text with its structure out, and back. Pure: nothing here reads a file or a socket.
//!
//! Bytes from outside are read in a process of their own: [`worker`] says what it can do. The kernel bounds its memory and
//! time; what comes out of it, and what a PDF makes grow, is counted against [`limits::Limits`].

pub mod api;
mod charset;
pub mod chunk;
#[cfg(test)]
mod chunk_tests;
mod code;
mod contain;
pub mod convert;
pub mod create;
mod csv;
mod docx;
pub mod extracted;
pub mod fragment;
pub mod graphql;
mod html;
mod json;
mod kind;
mod layout;
pub mod limits;
mod markdown;
pub mod media;
pub mod modify;
mod office;
pub mod page;
mod page_text;
mod page_tree;
pub mod payload;
mod pdf;
pub mod picture;
mod pieces;
mod pptx;
pub mod processes;
pub mod read;
pub mod skill;
pub mod soap;
mod text;
pub mod types;
pub mod worker;
mod xlsx;
pub mod xml;
