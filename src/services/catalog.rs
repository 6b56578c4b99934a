//! Connected systems in use: which one is meant, how it is called, and its endpoints as tools.

pub mod ahead;
pub mod answer;
pub mod calls;
pub mod change;
pub mod credential;
pub mod endpoint_call;
mod fixed;
pub mod graphql;
pub mod grpc_call;
pub mod grpc_import;
pub mod import;
mod intake;
pub mod offer;
mod override_names;
pub mod resolve;
pub mod rest;
mod retry;
pub mod risk;
mod soap;
pub mod soap_call;
mod soap_message;
mod spelling;
#[cfg(test)]
mod testing;
mod token;
pub mod trial;
pub mod upload;
pub mod websocket_call;
