//! Calls to connected systems, one tool a protocol.

mod call_graphql_endpoint;
mod call_grpc_endpoint;
mod call_rest_endpoint;
mod call_soap_endpoint;
mod call_websocket;
mod given;

use crate::engine::tool::Tool;

/// The tools of this category.
pub fn tools() -> Vec<Tool> {
    vec![
        call_rest_endpoint::tool(),
        call_graphql_endpoint::tool(),
        call_soap_endpoint::tool(),
        call_grpc_endpoint::tool(),
        call_websocket::tool(),
    ]
}
