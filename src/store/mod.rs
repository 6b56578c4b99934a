//! The only place with SQL. Each noun has narrow functions or a handle of its own.

pub mod audit;
pub mod db;
pub mod dir;
pub mod settings;
pub mod tickets;
