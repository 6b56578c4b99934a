//! The only place with SQL. Each noun has narrow functions or a handle of its own.

pub mod audit;
pub mod credentials;
pub mod db;
pub mod dir;
mod envelope;
pub mod health;
mod key_file;
pub mod keys;
mod lockout;
pub mod outcomes;
pub mod password;
pub mod people;
pub mod promotions;
mod roles;
pub mod rotation;
mod rows;
pub mod sessions;
pub mod settings;
pub mod setup;
pub mod tickets;
pub mod token;
pub mod tool_config;
pub mod users;
pub mod vault;
mod vault_key;
