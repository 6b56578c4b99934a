//! What a server says of a failure beside its words: the messages of `google.rpc`, which need no reflection.
//!
//! Format: <https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto>.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use prost::Message;
use prost_types::{Any, Duration};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A detail as JSON: its fields beside `@type`, or its bytes as base64 where its type is none of these.
pub fn told(detail: &Any) -> Value {
    let mut map = Map::from_iter([("@type".to_owned(), json!(detail.type_url))]);
    match fields(detail) {
        Some(Value::Object(fields)) => map.extend(fields),
        _ => drop(map.insert("value".to_owned(), json!(STANDARD.encode(&detail.value)))),
    }
    Value::Object(map)
}

fn fields(detail: &Any) -> Option<Value> {
    let (_, name) = detail.type_url.rsplit_once('/')?;
    let bytes = detail.value.as_slice();
    match name.strip_prefix("google.rpc.")? {
        "BadRequest" => read::<BadRequest>(bytes),
        "DebugInfo" => read::<DebugInfo>(bytes),
        "ErrorInfo" => read::<ErrorInfo>(bytes),
        "Help" => read::<Help>(bytes),
        "LocalizedMessage" => read::<LocalizedMessage>(bytes),
        "PreconditionFailure" => read::<PreconditionFailure>(bytes),
        "QuotaFailure" => read::<QuotaFailure>(bytes),
        "RequestInfo" => read::<RequestInfo>(bytes),
        "ResourceInfo" => read::<ResourceInfo>(bytes),
        "RetryInfo" => {
            let delay = RetryInfo::decode(bytes).ok()?.retry_delay.unwrap_or_default();
            Some(json!({"retryDelay": delay.to_string()}))
        }
        _ => None,
    }
}

fn read<T: Message + Default + Serialize>(bytes: &[u8]) -> Option<Value> {
    serde_json::to_value(T::decode(bytes).ok()?).ok()
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct BadRequest {
    #[prost(message, repeated, tag = "1")]
    field_violations: Vec<FieldViolation>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct FieldViolation {
    #[prost(string, tag = "1")]
    field: String,
    #[prost(string, tag = "2")]
    description: String,
    #[prost(string, tag = "3")]
    reason: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct DebugInfo {
    #[prost(string, repeated, tag = "1")]
    stack_entries: Vec<String>,
    #[prost(string, tag = "2")]
    detail: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    domain: String,
    #[prost(btree_map = "string, string", tag = "3")]
    metadata: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct Help {
    #[prost(message, repeated, tag = "1")]
    links: Vec<Link>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct Link {
    #[prost(string, tag = "1")]
    description: String,
    #[prost(string, tag = "2")]
    url: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct LocalizedMessage {
    #[prost(string, tag = "1")]
    locale: String,
    #[prost(string, tag = "2")]
    message: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct PreconditionFailure {
    #[prost(message, repeated, tag = "1")]
    violations: Vec<PreconditionViolation>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct PreconditionViolation {
    #[prost(string, tag = "1")]
    r#type: String,
    #[prost(string, tag = "2")]
    subject: String,
    #[prost(string, tag = "3")]
    description: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
struct QuotaFailure {
    #[prost(message, repeated, tag = "1")]
    violations: Vec<QuotaViolation>,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct QuotaViolation {
    #[prost(string, tag = "1")]
    subject: String,
    #[prost(string, tag = "2")]
    description: String,
    #[prost(string, tag = "4")]
    quota_metric: String,
    #[prost(string, tag = "5")]
    quota_id: String,
}

/// Which request it was.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestInfo {
    #[prost(string, tag = "1")]
    pub(super) request_id: String,
    #[prost(string, tag = "2")]
    pub(super) serving_data: String,
}

#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceInfo {
    #[prost(string, tag = "1")]
    resource_type: String,
    #[prost(string, tag = "2")]
    resource_name: String,
    #[prost(string, tag = "3")]
    owner: String,
    #[prost(string, tag = "4")]
    description: String,
}

#[derive(Clone, PartialEq, Message)]
struct RetryInfo {
    #[prost(message, optional, tag = "1")]
    retry_delay: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any(name: &str, message: &impl Message) -> Any {
        Any { type_url: format!("type.googleapis.com/google.rpc.{name}"), value: message.encode_to_vec() }
    }

    #[test]
    fn the_messages_of_google_rpc_are_told_field_by_field() {
        let violation = FieldViolation {
            field: "user.email".to_owned(),
            description: "It has no '@'.".to_owned(),
            reason: "FORMAT".to_owned(),
        };
        let bad = any("BadRequest", &BadRequest { field_violations: vec![violation] });
        let wanted = json!({"@type": bad.type_url, "fieldViolations":
            [{"field": "user.email", "description": "It has no '@'.", "reason": "FORMAT"}]});
        assert_eq!(told(&bad), wanted);
        let delay = Some(Duration { seconds: 1, nanos: 500_000_000 });
        let retry = any("RetryInfo", &RetryInfo { retry_delay: delay });
        assert_eq!(told(&retry)["retryDelay"], "1.500s");
        let metadata = BTreeMap::from([("zone".to_owned(), "eu".to_owned())]);
        let info = ErrorInfo { reason: "STOCKOUT".to_owned(), domain: "shop".to_owned(), metadata };
        let wanted = json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "STOCKOUT", "domain": "shop",
            "metadata": {"zone": "eu"}});
        assert_eq!(told(&any("ErrorInfo", &info)), wanted);
    }

    #[test]
    fn what_is_unknown_or_damaged_is_told_as_its_bytes() {
        let odd = Any { type_url: "google.rpc.Help".to_owned(), value: vec![0xff] };
        assert_eq!(told(&odd), json!({"@type": "google.rpc.Help", "value": "/w=="}));
        let damaged = Any { type_url: "x/google.rpc.Help".to_owned(), value: vec![0xff] };
        assert_eq!(told(&damaged), json!({"@type": "x/google.rpc.Help", "value": "/w=="}));
    }
}
