//! Indexes: what is derived from the database to find things fast, and can be made from it again.

pub mod text;
pub mod vectors;
