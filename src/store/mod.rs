//! The only place with SQL. Each noun has narrow functions or a handle of its own.

pub mod audit;
pub mod db;
pub mod dir;
pub mod lists;
pub mod memory;
mod memory_search;
pub mod results;
pub mod settings;
pub mod tickets;
pub mod tool_config;
