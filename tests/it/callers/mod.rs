//! Calls to other systems, each protocol against a real server of it.

mod credentials;
mod graphql;
mod graphql_doors;
mod grpc;
mod grpc_hostile;
mod grpc_things;
mod grpc_tool;
mod rest;
mod risk;
mod soap;
mod websocket;
mod websocket_tool;
