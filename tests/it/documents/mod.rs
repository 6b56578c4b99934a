//! Documents: read, made, changed. The fixtures were made by the programs they are named after.

mod bomb;
mod bombs;
mod change;
mod damage;
pub(super) mod fixture;
mod office;
mod read;
mod reader;
mod stored;
mod tools;
