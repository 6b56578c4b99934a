//! GraphQL that other doors carry: in the body or the query of a request, or in a message over a WebSocket.

use reqwest::Method;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use url::form_urlencoded;

use super::super::rest::{Body, RestRequest};
use satchel_formats::graphql::{self, Kind, Operation};
use satchel_model::error::Result;

/// Members of what carries a document; any other may name one that is not here.
const PLAIN: &[&str] = &["query", "variables", "operationName"];
/// Members that say what a message does.
const DECIDING: &[&str] = &["\"type\"", "\"payload\"", "\"query\"", "\"operationname\""];
/// Members of a message; servers take some others for these, such as `Type`.
const MEMBERS: &[&str] = &["id", "type", "payload"];
/// Most bytes of documents that are read for one call.
const MAX_BYTES: usize = 1 << 18;

/// What is carried.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::catalog) enum Carried {
    /// Nothing that runs.
    Nothing,
    /// These operations.
    Operations(Vec<Operation>),
    /// It cannot be said what runs.
    Unclear,
}

/// A document, and the name of its operation.
struct Document {
    text: String,
    name: Option<String>,
}

/// Returns the operations a request carries.
pub(in crate::catalog) fn of_request(request: RestRequest) -> Carried {
    let RestRequest { method, path, query, body, .. } = request;
    let in_path = path.split_once('?').map(|(_, query)| query.split('#').next().unwrap_or_default());
    // Some servers part a query at semicolons, too, and find another document behind one.
    if in_path.is_some_and(|query| query.contains(';')) {
        return Carried::Unclear;
    }
    let in_path = form_urlencoded::parse(in_path.unwrap_or_default().as_bytes()).into_owned();
    let pairs: Vec<(String, String)> = in_path.chain(query).collect();
    let of_body = match body {
        Body::None => Some(Vec::new()),
        Body::Json(media, value) if is_utf8(&media) => of_json(value),
        Body::Form(fields) => of_pairs(fields),
        Body::Text(media, text) if is_utf8(&media) && essence(&media) == "application/graphql" => {
            Some(vec![Document { text, name: None }])
        }
        Body::Json(..) | Body::Text(..) | Body::Bytes(..) => None,
    };
    match (of_pairs(pairs), of_body) {
        (Some(found), Some(none)) | (Some(none), Some(found)) if none.is_empty() => match found.is_empty() {
            // Servers that run what they have kept are told which in a header.
            true if !matches!(method, Method::GET | Method::HEAD) => Carried::Unclear,
            _ => read(found),
        },
        // One server takes the name from here, another from there.
        _ => Carried::Unclear,
    }
}

/// Returns the operations in the query of a request that goes where no GraphQL is registered: what can be read as an operation, and what a
/// server may read as a mutation. All else may be of any API.
pub(in crate::catalog) fn of_query(request: &RestRequest) -> Carried {
    let in_path = request.path.split_once('?').map_or("", |(_, query)| query);
    // Some servers part a query at semicolons, too.
    let parted = in_path.split(';').filter(|part| part.len() < in_path.len());
    let in_path = [in_path].into_iter().chain(parted).flat_map(|query| form_urlencoded::parse(query.as_bytes()));
    let said = in_path.chain(request.query.iter().map(|(name, value)| (name.into(), value.into())));
    let (mut operations, mut left) = (Vec::new(), MAX_BYTES);
    for (_, text) in said.filter(|(name, _)| name.trim().eq_ignore_ascii_case("query")) {
        let still = left.checked_sub(text.len());
        left = still.unwrap_or(left);
        match still.and_then(|_| graphql::operation(&text, None).ok()) {
            Some(operation) => operations.push(operation),
            None if may_mutate(&text) => return Carried::Unclear,
            None => {}
        }
    }
    if operations.is_empty() { Carried::Nothing } else { Carried::Operations(operations) }
}

/// Returns whether a server may find a mutation in a text that cannot be read here: it has the word and a selection, and is no JSON.
fn may_mutate(text: &str) -> bool {
    text.contains("mutation") && text.contains('{') && serde_json::from_str::<IgnoredAny>(text).is_err()
}

/// What messages carry. Those that do no more than open, keep or end a connection, or subscribe, carry nothing.
pub(in crate::catalog) fn of_messages<'a>(messages: impl Iterator<Item = &'a str>) -> Carried {
    let (mut documents, mut left) = (Vec::new(), MAX_BYTES);
    for message in messages {
        let Some(still) = left.checked_sub(message.len()) else { return Carried::Unclear };
        left = still;
        match of_message(message) {
            Some(found) => documents.extend(found),
            None => return Carried::Unclear,
        }
    }
    match read(documents) {
        Carried::Operations(all) => {
            let runs: Vec<Operation> = all.into_iter().filter(|one| one.kind != Kind::Subscription).collect();
            if runs.is_empty() { Carried::Nothing } else { Carried::Operations(runs) }
        }
        other => other,
    }
}

/// The operations of documents.
fn read(documents: Vec<Document>) -> Carried {
    if documents.is_empty() {
        return Carried::Nothing;
    }
    if documents.iter().map(|one| one.text.len()).sum::<usize>() > MAX_BYTES {
        return Carried::Unclear;
    }
    let all = documents.iter().map(|one| graphql::operation(&one.text, one.name.as_deref()));
    all.collect::<Result<Vec<Operation>>>().map_or(Carried::Unclear, Carried::Operations)
}

/// The documents of JSON: one, or a list of them.
fn of_json(body: Value) -> Option<Vec<Document>> {
    match body {
        Value::Object(one) => Some(vec![of_members(one)?]),
        Value::Array(all) if !all.is_empty() => {
            all.into_iter().map(|one| if let Value::Object(one) = one { of_members(one) } else { None }).collect()
        }
        _ => None,
    }
}

fn of_members(mut said: Map<String, Value>) -> Option<Document> {
    let is_plain = said.keys().all(|name| PLAIN.contains(&name.as_str()));
    let Some(Value::String(text)) = said.remove("query").filter(|_| is_plain) else { return None };
    match said.remove("operationName") {
        None | Some(Value::Null) => Some(Document { text, name: None }),
        Some(Value::String(name)) => Some(Document { text, name: Some(name) }),
        Some(_) => None,
    }
}

/// The document of a query or a form; none of an empty one.
fn of_pairs(pairs: Vec<(String, String)>) -> Option<Vec<Document>> {
    if pairs.is_empty() {
        return Some(Vec::new());
    }
    let mut members = Map::new();
    for (name, value) in pairs {
        // Of two with one name servers take either.
        if members.insert(name, Value::String(value)).is_some() {
            return None;
        }
    }
    of_members(members).map(|one| vec![one])
}

/// The document a message carries: none if it only opens, keeps or ends something. `None` if that is not clear.
fn of_message(message: &str) -> Option<Option<Document>> {
    // An escape would hide a member's name, and of two members with one name servers take either.
    let small = message.to_lowercase();
    let is_plain = !message.contains("\\u") && DECIDING.iter().all(|key| small.matches(key).count() <= 1);
    let Ok(Value::Object(mut said)) = serde_json::from_str(message) else { return None };
    if !is_plain || !said.keys().all(|key| MEMBERS.contains(&key.as_str())) {
        return None;
    }
    match said.get("type").and_then(Value::as_str)? {
        "connection_init" | "ping" | "pong" | "complete" | "stop" | "connection_terminate" => Some(None),
        "subscribe" | "start" => match said.remove("payload")? {
            Value::Object(payload) => of_members(payload).map(Some),
            _ => None,
        },
        _ => None,
    }
}

fn essence(media: &str) -> String {
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a media type names no other letters than those that are sent.
fn is_utf8(media: &str) -> bool {
    let plain: String = media.to_ascii_lowercase().chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
    plain.split(';').skip(1).all(|said| said == "charset=utf-8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The kinds of what is carried.
    fn kinds(carried: Carried) -> Option<Vec<Kind>> {
        match carried {
            Carried::Nothing => Some(Vec::new()),
            Carried::Operations(all) => Some(all.into_iter().map(|one| one.kind).collect()),
            Carried::Unclear => None,
        }
    }

    #[test]
    fn only_what_can_be_seen_to_subscribe_changes_nothing() {
        let subscribe = |query: &str| json!({"id": "1", "type": "subscribe", "payload": {"query": query}}).to_string();
        for (message, runs) in [
            (r#"{"type":"connection_init"}"#, Some(vec![])),
            (&subscribe("subscription { orders { id } }"), Some(vec![])),
            (&subscribe("mutation { deleteAll }"), Some(vec![Kind::Mutation])),
            (&subscribe("mutation {"), None),
            (r#"{"id":"1","type":"start","payload":{"query":"{ orders { id } }"}}"#, Some(vec![Kind::Query])),
            (r#"{"id":"1","type":"subscribe","payload":{"extensions":{"persistedQuery":{"sha256Hash":"a"}}}}"#, None),
            (r#"{"payload":{"query":"mutation { a }","query":"subscription { a }"},"type":"subscribe"}"#, None),
            (r#"{"payload":{"qu\u0065ry":"mutation { a }","query":"subscription { a }"},"type":"subscribe"}"#, None),
            (
                r#"{"type":"subscribe","payload":{"operationName":"B","query":"subscription A { a } mutation B { b }"}}"#,
                Some(vec![Kind::Mutation]),
            ),
            (r#"{"type":"ping","Type":"subscribe","payload":{"query":"mutation { a }"}}"#, None),
            (r#"{"type":"ping","Payload":{"Query":"mutation { a }"}}"#, None),
            (
                r#"{"id":"1","type":"subscribe","payload":{"query":"subscription A { a } mutation B { b }","operationName":"A","operationName":"B"}}"#,
                None,
            ),
            (r#"[{"type":"connection_init"}]"#, None),
            ("hello", None),
        ] {
            assert_eq!(kinds(of_messages([message].into_iter())), runs, "{message}");
        }
        let long = subscribe(&format!("subscription {{ a(x: \"{}\") }}", "x".repeat(MAX_BYTES)));
        assert_eq!(of_messages([long.as_str()].into_iter()), Carried::Unclear);
    }

    #[test]
    fn a_request_carries_what_its_query_or_its_body_says() {
        let request = |method: Method, path: &str, body: Body| {
            let path = path.to_owned();
            kinds(of_request(RestRequest { method, path, query: Vec::new(), headers: Vec::new(), body }))
        };
        let mutation = || Some(vec![Kind::Mutation]);
        let (query, both) = (json!({"query": "{ a }"}), "query A { a } mutation B { b }");
        for (path, carried) in [
            ("/graphql", Some(vec![])),
            ("/graphql?query=mutation{a}", mutation()),
            ("/graphql?query=%7Ba%7D", Some(vec![Kind::Query])),
            ("/graphql?query={a}&query=mutation{a}", None),
            ("/graphql?Query=mutation{a}", None),
            ("/graphql?extensions=x", None),
        ] {
            assert_eq!(request(Method::GET, path, Body::None), carried, "{path}");
        }
        for (body, carried) in [
            (query.clone(), Some(vec![Kind::Query])),
            (json!({"query": both, "operationName": "B"}), mutation()),
            (json!({"query": both}), None),
            (json!([query, {"query": "mutation { a }"}]), Some(vec![Kind::Query, Kind::Mutation])),
            (json!([query, "x"]), None),
            (json!([]), None),
            (json!({"query": "{ a }", "extensions": {}}), None),
            (json!({"id": "kept"}), None),
            (json!("mutation { a }"), None),
        ] {
            assert_eq!(request(Method::POST, "/graphql", Body::json(body.clone())), carried, "{body}");
        }
        let text = |media: &str| Body::Text(media.to_owned(), "mutation { a }".to_owned());
        assert_eq!(request(Method::POST, "/graphql", text("application/graphql")), mutation());
        assert_eq!(request(Method::POST, "/graphql", text("text/plain")), None);
        assert_eq!(request(Method::POST, "/graphql", Body::None), None);
        assert_eq!(request(Method::POST, "/graphql?operationName=B", Body::json(query)), None);
        let form = Body::Form(vec![("query".to_owned(), "mutation { a }".to_owned())]);
        assert_eq!(request(Method::POST, "/graphql", form), mutation());
    }

    #[test]
    fn a_query_carries_an_operation_wherever_it_goes_and_nothing_if_it_is_of_another_api() {
        let mutation = || Some(vec![Kind::Mutation]);
        for (query, runs) in [
            ("query=mutation{a}", mutation()),
            ("x=1&Query=mutation%20%7Ba%7D&y=2", mutation()),
            ("x=1;query=mutation{a}", mutation()),
            ("query=%23%3B%0Amutation{a}", mutation()),
            ("query={a}&query=mutation{a}", Some(vec![Kind::Query, Kind::Mutation])),
            ("query={a}", Some(vec![Kind::Query])),
            ("query=query+A{a}mutation+B{b}&operationName=A", None),
            ("query=%23%0Dmutation{a}", None),
            ("query=mutation", Some(vec![])),
            ("query=a+mutation+of+the+gene", Some(vec![])),
            ("query={\"term\":\"mutation\"}", Some(vec![])),
            ("q=mutation{a}", Some(vec![])),
            ("", Some(vec![])),
        ] {
            let request = |path: String, query: Vec<(String, String)>| RestRequest {
                method: Method::GET,
                path,
                query,
                headers: Vec::new(),
                body: Body::None,
            };
            let in_path = request(format!("/x?{query}"), Vec::new());
            assert_eq!(kinds(of_query(&in_path)), runs, "{query}");
            if !query.contains(';') {
                let pairs = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
                assert_eq!(kinds(of_query(&request("/x".to_owned(), pairs))), runs, "{query}");
            }
        }
    }
}
