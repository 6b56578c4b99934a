//! The only place with SQL. Each noun has narrow functions or a handle of its own.

pub mod audit;
pub mod credentials;
pub mod db;
pub mod dir;
pub mod keys;
mod lockout;
pub mod password;
pub mod people;
mod roles;
mod rows;
pub mod sessions;
pub mod settings;
pub mod setup;
pub mod tickets;
pub mod token;
pub mod tool_config;
pub mod users;
