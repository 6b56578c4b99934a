//! Messages of GraphQL over a WebSocket (graphql-transport-ws, and graphql-ws before it): whether one can change something.

use serde_json::{Map, Value};

use crate::formats::graphql::{self, Kind};

/// Members that say what a message does.
const DECIDING: &[&str] = &["\"type\"", "\"payload\"", "\"query\"", "\"operationname\""];
/// Members of a message; servers take some others for these, such as `Type`.
const MEMBERS: &[&str] = &["id", "type", "payload"];
/// Members of what subscribes; any other may name a document that is not here.
const PLAIN: &[&str] = &["query", "variables", "operationName"];

/// Returns whether a message does no more than open, keep or end a connection, or subscribe. Whatever else it says may
/// run a mutation.
pub(super) fn changes_nothing(message: &str) -> bool {
    // An escape would hide a member's name, and of two members with one name servers take either.
    let small = message.to_lowercase();
    let is_plain = !message.contains("\\u") && DECIDING.iter().all(|key| small.matches(key).count() <= 1);
    let Ok(Value::Object(said)) = serde_json::from_str(message) else { return false };
    let is_plain = is_plain && said.keys().all(|key| MEMBERS.contains(&key.as_str()));
    let is_harmless = match said.get("type").and_then(Value::as_str) {
        Some("connection_init" | "ping" | "pong" | "complete" | "stop" | "connection_terminate") => true,
        Some("subscribe" | "start") => said.get("payload").and_then(Value::as_object).is_some_and(subscribes),
        _ => false,
    };
    is_plain && is_harmless
}

fn subscribes(payload: &Map<String, Value>) -> bool {
    let text = |name: &str| payload.get(name).and_then(Value::as_str);
    let operation = text("query").and_then(|document| graphql::operation(document, text("operationName")).ok());
    payload.keys().all(|name| PLAIN.contains(&name.as_str()))
        && operation.is_some_and(|operation| operation.kind == Kind::Subscription)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_seen_to_subscribe_changes_nothing() {
        for (message, harmless) in [
            (r#"{"type":"connection_init"}"#, true),
            (r#"{"id":"1","type":"subscribe","payload":{"query":"subscription { orders { id } }"}}"#, true),
            (r#"{"id":"1","type":"subscribe","payload":{"query":"mutation { deleteAll }"}}"#, false),
            (r#"{"id":"1","type":"start","payload":{"query":"{ orders { id } }"}}"#, false),
            (r#"{"id":"1","type":"subscribe","payload":{"extensions":{"persistedQuery":{"sha256Hash":"a"}}}}"#, false),
            (r#"{"payload":{"query":"mutation { a }","query":"subscription { a }"},"type":"subscribe"}"#, false),
            (r#"{"payload":{"qu\u0065ry":"mutation { a }","query":"subscription { a }"},"type":"subscribe"}"#, false),
            (
                r#"{"type":"subscribe","payload":{"operationName":"B","query":"subscription A { a } mutation B { b }"}}"#,
                false,
            ),
            (r#"{"type":"ping","Type":"subscribe","payload":{"query":"mutation { a }"}}"#, false),
            (r#"{"type":"ping","Payload":{"Query":"mutation { a }"}}"#, false),
            (
                r#"{"id":"1","type":"subscribe","payload":{"query":"subscription A { a } mutation B { b }","operationName":"A","operationName":"B"}}"#,
                false,
            ),
            (r#"[{"type":"connection_init"}]"#, false),
            ("hello", false),
        ] {
            assert_eq!(changes_nothing(message), harmless, "{message}");
        }
    }
}
