//! Skills: taken in, read by agents, found by what they are for.

pub mod find;
pub mod intake;
pub mod reading;
