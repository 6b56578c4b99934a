//! `satchel eval`: how well tools and documents are found, measured on sets of needs whose answers are known. It needs
//! no server, and goes through the same functions as a search does.

pub mod args;
pub mod docs;
mod doubts;
mod set;
mod table;
pub mod tools;
