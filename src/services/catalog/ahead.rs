//! The question a person is asked about a call to a system, and whether it can be made: all that shows before it is sent.

use serde_json::Value;

use super::{
    endpoint_call::{self, Spoken},
    graphql_call::{self, Query},
    grpc_call::{self, GrpcAsk},
    resolve,
    rest::{self, RestRequest},
    soap_call::{self, SoapAsk},
    websocket_call::{self, SocketAsk},
};
use crate::{
    engine::context::Context,
    formats::graphql,
    model::{
        catalog::{
            endpoint::{EndpointId, Operation},
            system::System,
        },
        error::Result,
        question::{Question, clipped},
    },
};

/// Returns the question asked about a request.
///
/// # Errors
///
/// If it cannot be sent.
pub fn rest(cx: &Context, system: &str, request: &RestRequest) -> Result<Question> {
    let found = resolve::callable_for(cx, system)?;
    sending(&found.system, request)
}

/// Returns the question asked about a GraphQL operation.
///
/// # Errors
///
/// If it cannot be sent.
pub fn graphql(cx: &Context, system: &str, query: &Query) -> Result<Question> {
    let found = resolve::callable_for(cx, system)?;
    rest::build(&found.system, &graphql_call::request(&found, query))?;
    let operation = graphql::operation(&query.query, query.operation_name.as_deref())?;
    Ok(in_system("Run", &operation.actions().join(", "), &found.system.name))
}

/// Returns the question asked about a SOAP call.
///
/// # Errors
///
/// If it cannot be sent.
pub fn soap(cx: &Context, system: &str, ask: &SoapAsk) -> Result<Question> {
    let found = resolve::callable_for(cx, system)?;
    soap_call::ensure_sendable(&found, ask)?;
    let action = ask.action.rsplit(['/', '#', ':']).find(|part| !part.is_empty()).unwrap_or("an operation");
    Ok(in_system("Call", action, &found.system.name))
}

/// Returns the question asked about a gRPC call.
///
/// # Errors
///
/// If it cannot be sent.
pub fn grpc(cx: &Context, system: &str, ask: &GrpcAsk) -> Result<Question> {
    let found = resolve::callable_for(cx, system)?;
    grpc_call::given(&found.system, &ask.headers)?;
    Ok(in_system("Call", &ask.method, &found.system.name))
}

/// Returns the question asked about a WebSocket.
///
/// # Errors
///
/// If it cannot be opened.
pub fn websocket(cx: &Context, system: &str, ask: &SocketAsk) -> Result<Question> {
    let found = resolve::callable_for(cx, system)?;
    let system = &found.system;
    websocket_call::upgrade(system, ask)?;
    let text = format!("Send messages to {} of {}?", clipped(&ask.path), clipped(&system.name));
    Ok(Question::with(&text, &ask.path))
}

/// Returns the question asked about a call of a registered endpoint.
///
/// # Errors
///
/// If it cannot be made.
pub(super) async fn endpoint(cx: &Context, id: EndpointId, arguments: &Value) -> Result<Question> {
    let (to, endpoint) = resolve::callable_endpoint(cx.app(), id)?;
    let system = &to.system;
    match endpoint_call::spoken(&endpoint, system, arguments)? {
        Spoken::Grpc(ask) => grpc_call::given(system, &ask.headers).map(drop)?,
        Spoken::Websocket(ask) => websocket_call::upgrade(system, &ask).map(drop)?,
        Spoken::Request => endpoint_call::ensure_sendable(cx, system, &endpoint, arguments).await?,
    }
    match &endpoint.operation {
        // Its path, filled, says which thing it is about; its name only says what is done.
        Operation::Rest => sending(system, &endpoint_call::request(&endpoint, arguments)?.0),
        _ => Ok(in_system("Call", &endpoint.name, &system.name)),
    }
}

/// Returns the question about a request: where it goes, and which query it has, whose values may be long. The path
/// under the base URL is what is typed.
///
/// # Errors
///
/// If it cannot be sent.
fn sending(system: &System, request: &RestRequest) -> Result<Question> {
    let url = rest::build(system, request)?.url;
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    let keys: Vec<String> = url.query_pairs().map(|(key, _)| format!("{key}=…")).collect();
    let query = if keys.is_empty() { String::new() } else { format!("?{}", clipped(&keys.join("&"))) };
    let path = request.path.split(['?', '#']).next().unwrap_or_default();
    let place = if path.is_empty() { "/" } else { path };
    let (method, to) = (&request.method, clipped(&system.name));
    Ok(Question::with(&format!("Send {method} {host}{port}{}{query} to {to}?", clipped(url.path())), place))
}

fn in_system(verb: &str, name: &str, system: &str) -> Question {
    Question::with(&format!("{verb} “{}” of {}?", clipped(name), clipped(system)), name)
}
