//! Connected systems in use: which one is meant, how it is called, and its endpoints as tools.

pub mod answer;
pub mod change;
pub mod credential;
pub mod endpoint_call;
pub mod import;
pub mod offer;
pub mod resolve;
pub mod rest;
mod retry;
mod soap;
mod token;
