//! Calls to connected systems, one tool a protocol.

mod call_graphql_endpoint;
mod call_grpc_endpoint;
mod call_rest_endpoint;
mod call_soap_endpoint;
mod call_websocket;
mod given;

use satchel_engine::tool::Tool;
use satchel_services::handles::Handles;

/// The tools of this category.
pub fn tools(handles: &Handles) -> Vec<Tool> {
    vec![
        call_rest_endpoint::tool(handles),
        call_graphql_endpoint::tool(handles),
        call_soap_endpoint::tool(handles),
        call_grpc_endpoint::tool(handles),
        call_websocket::tool(handles),
    ]
}
