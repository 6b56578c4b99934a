//! The risk of a call to a system (R6): that of what is registered for it, else that of its method.
//!
//! A caller chooses what he sends, so nothing he can write differently for the same effect may lower it: where a call
//! can be read in two ways, the riskier one counts.

use crate::{
    formats::{
        graphql::{self, Kind},
        soap, xml,
    },
    model::{
        catalog::{
            directory::{Directory, Registered},
            endpoint::{Endpoint, Operation, risk_of_method},
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
    let found = callable(directory, asked)?;
    Ok(found.matching(method, path).map_or_else(|| risk_of_method(method), Endpoint::effective_risk))
}

/// The risk of a GraphQL operation: the highest of its outermost fields.
pub fn of_graphql(directory: &Directory, asked: &str, document: &str, name: Option<&str>) -> Result<Risk> {
    let found = callable(directory, asked)?;
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
            Operation::Graphql { query, operation_name } => {
                let operation = graphql::operation(query, operation_name.as_deref()).ok()?;
                (operation.kind == asked.kind).then(|| (operation, endpoint.effective_risk()))
            }
            _ => None,
        })
        .collect();
    let of_field = |field: &String| {
        let known = registered.iter().filter(|(operation, _)| operation.fields.contains(field));
        known.map(|(_, risk)| *risk).max().unwrap_or(by_kind)
    };
    Ok(asked.fields.iter().map(of_field).max().unwrap_or(by_kind).max(posted(found, &graphql_path(found))))
}

/// The risk of a SOAP call. Some services go by the action, some by the element in the body: both are looked up.
pub fn of_soap(directory: &Directory, asked: &str, action: &str, body: &str, path: &str) -> Result<Risk> {
    let found = callable(directory, asked)?;
    let request = soap::Request::new(body, soap::Version::V11)?;
    let envelope = xml::parse(&request.envelope)?;
    let elements: Vec<&str> =
        envelope.first("Body").map(|body| body.children.iter().map(xml::Element::local).collect()).unwrap_or_default();
    let by = |fits: &dyn Fn(&str, &str) -> bool| {
        let risks = found.endpoints.iter().filter_map(|endpoint| match &endpoint.operation {
            Operation::Soap { action, element, .. } => fits(action, element).then(|| endpoint.effective_risk()),
            _ => None,
        });
        risks.max().unwrap_or(UNKNOWN)
    };
    let by_element = elements.iter().map(|name| by(&|_, element| element == *name)).max().unwrap_or(UNKNOWN);
    let by_action = if action.is_empty() { Risk::Read } else { by(&|known, _| known == action) };
    Ok(by_element.max(by_action).max(posted(found, path)))
}

/// The risk of a gRPC method.
pub fn of_grpc(directory: &Directory, asked: &str, service: &str, method: &str) -> Result<Risk> {
    let found = callable(directory, asked)?;
    let known = found.endpoints.iter().filter(|endpoint| {
        matches!(&endpoint.operation, Operation::Grpc { service: of, rpc } if of == service && rpc == method)
    });
    let known = known.map(Endpoint::effective_risk).max().unwrap_or(UNKNOWN);
    Ok(known.max(posted(found, &format!("/{service}/{method}"))))
}

/// The risk of a message over a WebSocket.
pub fn of_websocket(directory: &Directory, asked: &str, path: &str) -> Result<Risk> {
    let found = callable(directory, asked)?;
    let fitting = found.endpoints.iter().filter(|endpoint| {
        endpoint.operation == Operation::Websocket
            && Template::parse(&endpoint.path).is_ok_and(|template| template.matches(path).is_some())
    });
    Ok(fitting.map(Endpoint::effective_risk).max().unwrap_or(UNKNOWN))
}

/// The risk of a plain POST that is registered at the place another protocol is spoken.
fn posted(found: &Registered, path: &str) -> Risk {
    found.matching("POST", path).map_or(Risk::Read, Endpoint::effective_risk)
}

/// Where a system takes GraphQL: where its registered operations have it, else at its base URL itself.
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
