//! The risk of a call to a system: that of what is registered for it, else that of its method.
//!
//! A caller chooses what they send, so nothing they can write differently for the same effect may lower it: where a
//! call can be read in two ways, the riskier one counts. Nor may what nobody has let through lower it.

use std::collections::HashSet;

use serde_json::Value;

use super::{endpoint_call, graphql_socket, soap_message::Message};
use crate::{
    formats::{
        graphql::{self, Kind},
        soap,
    },
    model::{
        catalog::{
            directory::{Directory, Registered},
            endpoint::{Endpoint, EndpointId, Operation, risk_of_method},
            place::Template,
        },
        error::{Error, Result},
        spec::Risk,
    },
};

/// The risk of what nothing is known of but that it is sent: SOAP, gRPC and WebSocket name no harmless method.
const UNKNOWN: Risk = Risk::HighWrite;

/// The system somebody means, which may be called now: nobody is asked about a call that cannot be made.
fn callable<'a>(directory: &'a Directory, asked: &str) -> Result<&'a Registered> {
    let found = directory.find(asked)?;
    found.system.demand_callable()?;
    Ok(found)
}

/// The risk of a request.
pub fn of_rest(directory: &Directory, asked: &str, method: &str, path: &str) -> Result<Risk> {
    Ok(requested(callable(directory, asked)?, method, path))
}

/// The risk of a GraphQL operation: the highest of its outermost fields, and at least that of its kind where it asks for a field
/// that no registered operation asks for.
pub fn of_graphql(directory: &Directory, asked: &str, document: &str, name: Option<&str>) -> Result<Risk> {
    queried(callable(directory, asked)?, document, name)
}

/// The risk of a SOAP call. Some services go by the action, some by the element in the body: both are looked up.
pub fn of_soap(directory: &Directory, asked: &str, action: &str, body: &str, path: &str) -> Result<Risk> {
    let found = callable(directory, asked)?;
    let request = soap::Request::new(body, soap::Version::V11)?;
    let message = Message::read(&request.envelope)?;
    let actions = message.actions.iter().map(String::as_str).chain([action]).filter(|action| !action.trim().is_empty());
    let by_action = actions.map(|action| acted(found, action)).max().unwrap_or(Risk::Read);
    let by_element = message.elements.iter().map(|element| named(found, element)).max().unwrap_or(UNKNOWN);
    Ok(by_element.max(by_action).max(posted(found, path)))
}

/// The risk of a gRPC method.
pub fn of_grpc(directory: &Directory, asked: &str, service: &str, method: &str) -> Result<Risk> {
    Ok(remote(callable(directory, asked)?, service, method))
}

/// The risk of messages over a WebSocket. Where GraphQL is spoken, too, it runs mutations as it does over HTTP.
pub fn of_websocket<'a>(
    directory: &Directory,
    asked: &str,
    path: &str,
    mut messages: impl Iterator<Item = &'a str>,
) -> Result<Risk> {
    let found = callable(directory, asked)?;
    let risk = connected(found, path);
    if messages.all(graphql_socket::changes_nothing) {
        return Ok(risk);
    }
    let place =
        |endpoint: &Endpoint| matches!(endpoint.operation, Operation::Graphql { .. }).then(|| endpoint.path.clone());
    Ok(risk.max(found.highest_at(path, place)))
}

/// Returns the risk of an endpoint's own tool with these arguments: what they make of its path may be another
/// endpoint's.
///
/// # Errors
///
/// If they make no path.
pub fn of_endpoint(directory: &Directory, id: EndpointId, arguments: &Value) -> Result<Risk> {
    let (found, endpoint) = directory.endpoint(id)?;
    let own = endpoint.effective_risk();
    let has_values = Template::parse(&endpoint.path)?.names().next().is_some();
    let as_sent = match &endpoint.operation {
        Operation::Rest => requested(found, &endpoint.method, &endpoint_call::path(endpoint, arguments)?),
        Operation::Websocket => connected(found, &endpoint_call::path(endpoint, arguments)?),
        Operation::Grpc { service, rpc } if !endpoint.reviewed => remote(found, service, rpc),
        Operation::Grpc { .. } => Risk::Read,
        // What a person has let through is weighed as they have it, unless its place is the caller's choice.
        _ if endpoint.reviewed && !has_values => Risk::Read,
        _ if endpoint.reviewed => posted(found, &endpoint_call::path(endpoint, arguments)?),
        Operation::Graphql { query, operation_name } => queried(found, query, operation_name.as_deref())?,
        Operation::Soap { action, element, .. } => {
            acted(found, action).max(named(found, element)).max(posted(found, &endpoint.path))
        }
    };
    Ok(own.max(as_sent))
}

/// A request, which may speak another protocol that is registered at its place.
fn requested(found: &Registered, method: &str, path: &str) -> Risk {
    let by_request = found.weigh(path, risk_of_method(method), |endpoint| endpoint.takes(method));
    let method = method.trim().to_ascii_uppercase();
    let place = |endpoint: &Endpoint| match &endpoint.operation {
        // Some servers take an operation from the query, too.
        Operation::Graphql { .. } if method != "OPTIONS" => Some(endpoint.path.clone()),
        _ if matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS") => None,
        Operation::Soap { .. } => Some(endpoint.path.clone()),
        Operation::Grpc { service, rpc } => Some(format!("/{service}/{rpc}")),
        _ => None,
    };
    by_request.max(found.highest_at(path, place))
}

fn queried(found: &Registered, document: &str, name: Option<&str>) -> Result<Risk> {
    let asked = graphql::operation(document, name)?;
    let by_kind = match asked.kind {
        Kind::Query => Risk::LowWrite,
        Kind::Mutation => Risk::HighWrite,
        Kind::Subscription => {
            return Err(Error::invalid(
                "A subscription goes on and on: open it with call_websocket, which says how under further_messages.",
            ));
        }
    };
    let registered: Vec<(graphql::Operation, Risk)> = found
        .endpoints
        .iter()
        .filter_map(|endpoint| match &endpoint.operation {
            // One that names none of the fields has none of them.
            Operation::Graphql { query, operation_name } if asked.fields.iter().any(|field| query.contains(field)) => {
                let operation = graphql::operation(query, operation_name.as_deref()).ok()?;
                (operation.kind == asked.kind).then(|| (operation, endpoint.effective_risk()))
            }
            _ => None,
        })
        .collect();
    let of_field = |field: &String| {
        let with_it = registered.iter().filter(|(operation, _)| operation.fields.contains(field));
        with_it.map(|(_, risk)| *risk).max().unwrap_or(by_kind)
    };
    let outermost = asked.fields.iter().map(of_field).max().unwrap_or(by_kind);
    // Many systems group what they do: from `customer { rename }` nothing follows for `customer { deleteAll }`.
    let known: HashSet<&str> = registered.iter().flat_map(|(operation, _)| operation.leaves()).collect();
    let is_known = asked.leaves().all(|leaf| known.contains(leaf));
    let own = if is_known { outermost } else { outermost.max(by_kind) };
    Ok(own.max(posted(found, &graphql_path(found))))
}

/// Returns the risk registered for a SOAPAction. One that only looks like a registered one is not let through as that.
fn acted(found: &Registered, action: &str) -> Risk {
    let registered = found.endpoints.iter().filter_map(|endpoint| match &endpoint.operation {
        Operation::Soap { action, .. } => Some((action.as_str(), endpoint.effective_risk())),
        _ => None,
    });
    let (same, alike): (Vec<_>, Vec<_>) =
        registered.filter(|(known, _)| is_alike(known, action)).partition(|(known, _)| *known == action);
    let highest = |found: Vec<(&str, Risk)>| found.into_iter().map(|(_, risk)| risk).max();
    highest(same).unwrap_or(UNKNOWN).max(highest(alike).unwrap_or(Risk::Read))
}

/// Returns whether a lax service may take one action for another.
fn is_alike(one: &str, other: &str) -> bool {
    let plain = |action: &str| action.trim_matches([' ', '\t', '/', '"']).to_lowercase();
    plain(one) == plain(other)
}

/// Returns the risk registered for the element of a SOAP body.
fn named(found: &Registered, asked: &str) -> Risk {
    let known = found
        .endpoints
        .iter()
        .filter(|endpoint| matches!(&endpoint.operation, Operation::Soap { element, .. } if element == asked));
    known.map(Endpoint::effective_risk).max().unwrap_or(UNKNOWN)
}

fn remote(found: &Registered, service: &str, method: &str) -> Risk {
    let known = found.endpoints.iter().filter(|endpoint| {
        matches!(&endpoint.operation, Operation::Grpc { service: of, rpc } if of == service && rpc == method)
    });
    let known = known.map(Endpoint::effective_risk).max().unwrap_or(UNKNOWN);
    known.max(posted(found, &format!("/{service}/{method}")))
}

/// A WebSocket. It begins as a GET, which a server may answer as such.
fn connected(found: &Registered, path: &str) -> Risk {
    let by_socket = found.weigh(path, UNKNOWN, |endpoint| endpoint.operation == Operation::Websocket);
    by_socket.max(found.weigh(path, Risk::Read, |endpoint| endpoint.takes("GET")))
}

/// The risk of a plain POST that is registered at the place another protocol is spoken.
fn posted(found: &Registered, path: &str) -> Risk {
    found.weigh(path, Risk::Read, |endpoint| endpoint.takes("POST"))
}

/// Returns the path where a system takes GraphQL: where its registered operations have it, else its base URL itself.
pub(super) fn graphql_path(found: &Registered) -> String {
    let registered = found.endpoints.iter().find(|one| matches!(one.operation, Operation::Graphql { .. }));
    registered.map(|endpoint| endpoint.path.clone()).unwrap_or_default()
}

/// The version of SOAP registered for an action or an element.
pub(super) fn soap_version(found: &Registered, action: &str) -> soap::Version {
    let registered = found.endpoints.iter().find_map(|endpoint| match &endpoint.operation {
        Operation::Soap { action: known, version, .. } if known == action => Some(soap::Version::parse(version)),
        _ => None,
    });
    registered.unwrap_or(soap::Version::V11)
}
