//! Other people's systems: small real servers of each protocol on this machine.

pub mod described;
pub mod echo;
pub mod grpc;
pub mod http;
pub mod services;
pub mod subscriptions;
pub mod systems;
pub mod things;
pub mod ws;
