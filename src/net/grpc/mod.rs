//! gRPC without generated code: frames, statuses, the two transports, and types learned from server reflection.

pub mod details;
pub mod frames;
pub mod line;
pub mod message;
mod native;
pub mod reflection;
pub mod schema;
pub mod status;
mod web;
