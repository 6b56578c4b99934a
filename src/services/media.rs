//! Pictures and speech: the endpoints that make them, asked through the guard.

pub mod endpoint;
pub mod images;
pub mod speech;
pub mod trial;
pub mod vision;
