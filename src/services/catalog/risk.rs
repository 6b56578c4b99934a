//! The risk of a call to a system: that of what is registered for it, else that of its method.
//!
//! A caller chooses what they send, so nothing they can write differently for the same effect may lower it: where a
//! call can be read in two ways, the riskier one counts. Nor may what nobody has let through lower it.

mod soap;

use std::{borrow::Cow, cell::LazyCell};

use reqwest::Method;
use serde_json::Value;

use super::{
    endpoint_call::{self, Spoken},
    fixed,
    graphql::{
        self,
        carried::{self, Carried},
    },
    rest::{Body, RestRequest},
};
use satchel_model::{
    catalog::{
        directory::{Directory, Registered},
        endpoint::{Endpoint, EndpointId, Operation, risk_of_method},
        place::Template,
    },
    error::Result,
    spec::Risk,
};

/// The risk of what nothing is known of but that it is sent: SOAP, gRPC and WebSocket name no harmless method.
const UNKNOWN: Risk = Risk::HighWrite;

/// The system somebody means, which may be called now: nobody is asked about a call that cannot be made.
fn callable<'a>(directory: &'a Directory, asked: &str) -> Result<&'a Registered> {
    let found = directory.find(asked)?;
    found.system.require_callable()?;
    Ok(found)
}

/// The risk of a request of this method and path. `request` makes it, where it matters what it carries.
pub fn of_rest(
    directory: &Directory,
    asked: &str,
    (method, path): (&str, &str),
    request: impl FnOnce() -> Result<RestRequest>,
) -> Result<Risk> {
    Ok(requested(callable(directory, asked)?, None, (method, path), || request().ok()))
}

/// The risk of a GraphQL operation: the highest of its outermost fields, and at least that of its kind where it asks for
/// something that no registered operation asks for.
pub fn of_graphql(directory: &Directory, asked: &str, document: &str, name: Option<&str>) -> Result<Risk> {
    let found = callable(directory, asked)?;
    let path = graphql::risk::path(found);
    Ok(graphql::risk::queried(found, &path, document, name)?.max(posted(found, &path)))
}

/// The risk of a SOAP call. Some services go by the action, some by the element in the body: both are looked up where it goes.
pub fn of_soap(directory: &Directory, asked: &str, action: &str, body: &str, path: &str) -> Result<Risk> {
    let found = callable(directory, asked)?;
    Ok(soap::sent(found, path, action, body)?.max(posted(found, path)))
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
    messages: impl Iterator<Item = &'a str>,
) -> Result<Risk> {
    Ok(connected(callable(directory, asked)?, None, path, &messages.collect::<Vec<_>>()))
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
        Operation::Rest => {
            let path = endpoint_call::path(endpoint, arguments)?;
            requested(found, Some(id), (&endpoint.method, &path), || {
                match endpoint_call::request(endpoint, arguments) {
                    Ok((request, None)) => Some(request),
                    // What a file holds is not known yet.
                    _ => None,
                }
            })
        }
        Operation::Websocket => match endpoint_call::spoken(endpoint, &found.system, arguments)? {
            Spoken::Websocket(ask) => connected(found, Some(id), &ask.path, &[ask.message.as_str()]),
            Spoken::Request | Spoken::Grpc(_) => UNKNOWN,
        },
        Operation::Grpc { service, rpc } if !endpoint.reviewed => remote(found, service, rpc),
        Operation::Grpc { .. } => Risk::Read,
        // What a person has let through is weighed as they have it, unless its place is the caller's choice.
        _ if endpoint.reviewed && !has_values => Risk::Read,
        _ if endpoint.reviewed => posted(found, &endpoint_call::path(endpoint, arguments)?),
        Operation::Graphql { query, operation_name } => {
            let path = endpoint_call::path(endpoint, arguments)?;
            graphql::risk::queried(found, &path, query, operation_name.as_deref())?.max(posted(found, &path))
        }
        Operation::Soap { action, element, namespace, .. } => {
            let path = endpoint_call::path(endpoint, arguments)?;
            let by_element = soap::named(found, &path, (element, namespace));
            soap::acted(found, &path, action).max(by_element).max(posted(found, &path))
        }
    };
    Ok(own.max(as_sent))
}

/// A request, which may speak another protocol that is registered at its place. `made` makes it, `None` if not all of it is
/// known. An endpoint's own tool, `own`, gives the values that are fixed of it.
fn requested(
    found: &Registered,
    own: Option<EndpointId>,
    (method, path): (&str, &str),
    made: impl FnOnce() -> Option<RestRequest>,
) -> Risk {
    let made = LazyCell::new(made);
    let gives = |endpoint: &Endpoint| own == Some(endpoint.id) || fixed::is_given(endpoint, || made.as_ref());
    let by_request = found.weigh_given(path, risk_of_method(method), |endpoint| endpoint.takes(method), gives);
    let method = method.trim().to_ascii_uppercase();
    let is_got = matches!(method.as_str(), "GET" | "HEAD");
    // Some servers take an operation from the query, too.
    let in_query = || if is_got { made.as_ref().map_or(Carried::Nothing, carried::of_query) } else { Carried::Nothing };
    let all = || (*made).clone().map_or(Carried::Unclear, carried::of_request);
    let by_document = if method == "OPTIONS" { Risk::Read } else { graphql::risk::carried(found, path, all, in_query) };
    if is_got || method == "OPTIONS" {
        return by_request.max(by_document);
    }
    let highest = found.highest_at(path, |endpoint| match &endpoint.operation {
        Operation::Soap { .. } => Some(Cow::from(&endpoint.path)),
        Operation::Grpc { service, rpc } => Some(Cow::from(format!("/{service}/{rpc}"))),
        _ => None,
    });
    by_request.max(by_document).max(highest)
}

fn remote(found: &Registered, service: &str, method: &str) -> Risk {
    let known = found.endpoints.iter().filter(|endpoint| {
        matches!(&endpoint.operation, Operation::Grpc { service: of, rpc } if of == service && rpc == method)
    });
    let known = known.map(Endpoint::effective_risk).max().unwrap_or(UNKNOWN);
    known.max(posted(found, &format!("/{service}/{method}")))
}

/// Messages over a WebSocket. It begins as a GET, which a server may answer as such.
fn connected(found: &Registered, own: Option<EndpointId>, path: &str, messages: &[&str]) -> Risk {
    let with = |body: Body| {
        let (query, headers) = (Vec::new(), Vec::new());
        RestRequest { method: Method::GET, path: path.to_owned(), query, headers, body }
    };
    let begins = with(Body::None);
    let said = LazyCell::new(|| messages.iter().map(|message| with(spoken_as(message))).collect::<Vec<_>>());
    let gives = |endpoint: &Endpoint| {
        own == Some(endpoint.id) || said.iter().all(|one| fixed::is_given(endpoint, || Some(one)))
    };
    let by_socket = found.weigh_given(path, UNKNOWN, |endpoint| endpoint.operation == Operation::Websocket, gives);
    let gives = |endpoint: &Endpoint| fixed::is_given(endpoint, || Some(&begins));
    let by_get = found.weigh_given(path, Risk::Read, |endpoint| endpoint.takes("GET"), gives);
    let in_query = || carried::of_query(&begins);
    let by_document = match (carried::of_messages(messages.iter().copied()), carried::of_request(begins.clone())) {
        (Carried::Nothing, Carried::Nothing) => Risk::Read,
        (said, Carried::Nothing) => graphql::risk::carried(found, path, || said, in_query),
        (Carried::Nothing, asked) => graphql::risk::carried(found, path, || asked, in_query),
        _ => graphql::risk::carried(found, path, || Carried::Unclear, in_query),
    };
    by_socket.max(by_get).max(by_document)
}

/// A message as the body of a request.
fn spoken_as(message: &str) -> Body {
    serde_json::from_str(message).map_or_else(|_| Body::Text("text/plain".to_owned(), message.to_owned()), Body::json)
}

/// The risk of a plain POST that is registered at the place another protocol is spoken.
fn posted(found: &Registered, path: &str) -> Risk {
    let gives = |endpoint: &Endpoint| fixed::is_given(endpoint, || None);
    found.weigh_given(path, Risk::Read, |endpoint| endpoint.takes("POST"), gives)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::catalog::testing::{endpoint, system};

    fn directory(endpoints: Vec<Endpoint>) -> Directory {
        Directory::new(vec![Arc::new(system(endpoints))])
    }

    fn rest(directory: &Directory, method: Method, path: &str, body: Body) -> Risk {
        let request = || {
            let (method, path) = (method.clone(), path.to_owned());
            Ok(RestRequest { method, path, query: Vec::new(), headers: Vec::new(), body })
        };
        of_rest(directory, "a", (method.as_str(), path), request).unwrap()
    }

    #[test]
    fn a_request_that_gives_another_value_than_the_registered_one_is_not_let_through_as_that() {
        let fixed = |place: &str, name: &str, schema: Value| json!([{"name": name, "in": place, "required": true, "schema": schema}]);
        let registered = |name: &str, path: &str, parameters: Value| json!({"name": name, "method": "POST", "path": path, "risk": "read", "parameters": parameters});
        let body = json!({"type": "object", "properties": {"method": {"const": "list"}}});
        let list = endpoint(registered("list", "/rpc", fixed("body", "body", body)));
        let wipe = registered("wipe", "/wipe", fixed("query", "sure", json!({"const": "no"})));
        let wipe = Endpoint { risk: Risk::Destructive, ..endpoint(wipe) };
        let id = list.id;
        let found = directory(vec![
            list,
            wipe,
            endpoint(registered("run", "/{service}/run", fixed("path", "service", json!({"enum": ["a b"]})))),
            endpoint(json!({"name": "get", "method": "GET", "path": "/act", "risk": "destructive"})),
        ]);
        for (path, body, wanted) in [
            ("/rpc", json!({"method": "list"}), Risk::Read),
            ("/rpc", json!({"method": "deleteAll"}), Risk::HighWrite),
            ("/rpc", json!([{"method": "deleteAll"}]), Risk::HighWrite),
            ("/a%20b/run", json!({}), Risk::Read),
            ("/other/run", json!({}), Risk::HighWrite),
            // What only raises the risk does so whatever is given.
            ("/wipe?sure=yes", json!({}), Risk::Destructive),
        ] {
            assert_eq!(rest(&found, Method::POST, path, Body::json(body.clone())), wanted, "{path} {body}");
        }
        assert_eq!(of_endpoint(&found, id, &json!({"body": {"method": "list"}})).unwrap(), Risk::Read);
    }

    #[test]
    fn a_mutation_by_get_is_as_risky_wherever_it_goes() {
        let graphql = |path: &str, query: &str, risk: Risk| {
            let operation = json!({"protocol": "graphql", "query": query});
            endpoint(json!({"name": query, "path": path, "risk": risk, "operation": operation}))
        };
        let at = |path: &str| {
            directory(vec![
                graphql(path, "mutation { rename }", Risk::Read),
                graphql(path, "mutation { wipe }", Risk::Destructive),
            ])
        };
        let get = |found: &Directory, path: &str| rest(found, Method::GET, path, Body::None);
        for (found, place) in [(at("/"), "/"), (at("/graphql"), "/graphql"), (directory(Vec::new()), "none")] {
            for path in ["/", "/x", "/api/graphql", "/graphqlx", "/graphql/x"] {
                let wanted = if path == place { Risk::Destructive } else { Risk::HighWrite };
                let asked = format!("{path}?query=mutation{{rename}}");
                // The riskiest that is registered at a place counts for all that goes there.
                assert_eq!(get(&found, &asked), wanted, "{asked} where it is registered at {place}");
                let asked = format!("{path}?x=1&query=mutation{{other}}");
                assert!(get(&found, &asked) >= Risk::HighWrite, "{asked} where it is registered at {place}");
            }
            assert_eq!(get(&found, "/x?query=a+mutation"), Risk::LowWrite);
        }
        assert_eq!(get(&at("/"), "/x?query=mutation{wipe}"), Risk::Destructive);
        let registered =
            json!({"name": "live", "path": "/live", "risk": "read", "operation": {"protocol": "websocket"}});
        let found = directory(vec![endpoint(registered)]);
        let over = |path: &str| of_websocket(&found, "a", path, ["x"].into_iter()).unwrap();
        assert_eq!((over("/live?query=mutation{a}"), over("/live")), (Risk::HighWrite, Risk::Read));
    }
}
