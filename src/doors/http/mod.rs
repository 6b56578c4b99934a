//! The HTTP door: the REST API and the console.

mod auth;
mod body;
mod caller;
mod client;
mod doctor;
mod error;
mod gate;
mod headers;
mod health;
mod keys;
mod meters;
pub mod openapi;
mod origin;
mod path;
mod roles;
pub mod routes;
pub mod server;
mod sessions;
mod settings;
mod setup;
pub mod state;
mod ui;
mod users;
mod vault;
