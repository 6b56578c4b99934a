//! Calls to other systems, each protocol against a real server of it.

mod grpc;
mod websocket;
