//! The built-in tools: a file each, a list a category.

pub mod agents;
pub mod callers;
pub mod catalog;
pub mod data;
pub mod desktop;
pub mod documents;
pub mod files;
pub mod knowledge;
pub mod list;
pub mod media;
pub mod memory;
pub mod operations;
pub mod processes;
pub mod web;
