//! gRPC without generated code: frames, statuses, the two transports, and types learned from server reflection.

pub mod details;
pub mod frames;
mod from_json;
pub mod line;
pub mod message;
mod native;
pub mod reflection;
pub mod schema;
pub mod status;
mod to_json;
mod web;
