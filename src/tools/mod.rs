//! The built-in tools: a file each, a list a category.

pub mod agents;
pub mod data;
pub mod list;
