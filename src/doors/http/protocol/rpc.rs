//! JSON-RPC as the protocol has it: one message a body, and failures in its own words.

use std::borrow::Cow;

use actix_web::{HttpResponse, http::StatusCode};
use rmcp::model::{ErrorCode, ErrorData, JsonObject, JsonRpcError, NumberOrString};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::revision::Revision;
use satchel_model::{
    error::{Error, Kind},
    text::clip,
};

/// The name under which requests carry what is about themselves.
const META: &str = "_meta";
/// Most characters of what somebody sent that are repeated.
const SHOWN: usize = 100;
/// Longest id of a request.
const LONGEST_ID: usize = 256;

/// The id of a request, as its answer repeats it.
pub(in crate::http) type RequestId = NumberOrString;

/// One message of a client.
#[derive(Debug)]
pub(in crate::http) enum Message {
    /// It waits for an answer.
    Request(Request),
    /// It waits for none.
    Notification {
        /// Its method.
        method: String,
        /// More of it.
        params: JsonObject,
    },
    /// The answer to a request of ours.
    Response {
        /// The id of ours.
        id: RequestId,
        /// The result; `None` if it failed.
        result: Option<Value>,
    },
}

/// A request.
#[derive(Debug)]
pub(in crate::http) struct Request {
    /// Its id.
    pub(in crate::http) id: RequestId,
    /// Its method.
    pub(in crate::http) method: String,
    /// Its parameters, without `_meta`.
    pub(in crate::http) params: JsonObject,
    /// Its metadata.
    pub(in crate::http) meta: JsonObject,
}

#[derive(Deserialize)]
struct Wire {
    #[serde(default)]
    jsonrpc: Value,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<Value>,
    params: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    error: Option<Value>,
}

fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    ///
    /// In the protocol's words, where it is none.
    pub(in crate::http) fn parse(body: Value) -> Result<Self, Failure> {
        let wire: Wire = serde_json::from_value(body).map_err(|_| Failure::request("A message is a JSON object."))?;
        if wire.jsonrpc != "2.0" {
            return Err(Failure::request("`jsonrpc` must be \"2.0\"."));
        }
        let id = wire.id.map(parse_id).transpose()?;
        let Some(method) = wire.method else { return parse_response(id, wire.result, wire.error) };
        let Value::String(method) = method else { return Err(Failure::request("`method` must be a text.")) };
        let mut params = match wire.params {
            None => JsonObject::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return Err(Failure::request("`params` must be an object.").of(id)),
        };
        let Some(id) = id else { return Ok(Self::Notification { method, params }) };
        let meta = match params.remove(META) {
            None => JsonObject::new(),
            Some(Value::Object(meta)) => meta,
            Some(_) => {
                return Err(Failure::params("`_meta` must be an object.").at(StatusCode::BAD_REQUEST).of(Some(id)));
            }
        };
        Ok(Self::Request(Request { id, method, params, meta }))
    }
}

fn parse_id(id: Value) -> Result<RequestId, Failure> {
    match id {
        Value::String(text) if text.len() <= LONGEST_ID => Ok(RequestId::String(text.into())),
        Value::Number(number) => match number.as_i64() {
            Some(number) => Ok(RequestId::Number(number)),
            None => Err(Failure::request("`id` must be a text or a whole number.")),
        },
        _ => Err(Failure::request("`id` must be a text of 256 bytes at most, or a whole number.")),
    }
}

fn parse_response(id: Option<RequestId>, result: Option<Value>, error: Option<Value>) -> Result<Message, Failure> {
    match (id, result, error) {
        (Some(id), Some(result), None) => Ok(Message::Response { id, result: Some(result) }),
        (Some(id), None, Some(_)) => Ok(Message::Response { id, result: None }),
        (id, ..) => Err(Failure::request("A message has a `method`, or an `id` with a `result` or an `error`.").of(id)),
    }
}

/// The parameters of a method.
///
/// # Errors
///
/// If they are not what it takes, with the reason.
pub(in crate::http) fn params<T: DeserializeOwned>(given: JsonObject) -> Result<T, Failure> {
    serde_path_to_error::deserialize(Value::Object(given)).map_err(|error| {
        let field = error.path().to_string();
        let place = if field == "." { String::new() } else { format!("`{field}`: ") };
        Failure::params(format!("{place}{}", clip(&error.inner().to_string(), 300)))
    })
}

/// The error of a request, in the protocol's form.
#[derive(Debug)]
pub(in crate::http) struct Failure {
    status: StatusCode,
    id: Option<RequestId>,
    error: Box<ErrorData>,
}

impl Failure {
    fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status: StatusCode::OK, id: None, error: Box::new(ErrorData::new(code, message, None)) }
    }

    /// It is no request.
    pub(in crate::http) fn request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::INVALID_REQUEST, message).at(StatusCode::BAD_REQUEST)
    }

    /// Its body is no JSON.
    pub(in crate::http) fn unreadable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::PARSE_ERROR, message).at(StatusCode::BAD_REQUEST)
    }

    /// Its parameters are wrong.
    pub(in crate::http) fn params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, message)
    }

    /// Its headers are missing, or say something else than its body.
    pub(in crate::http) fn header(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::HEADER_MISMATCH, message).at(StatusCode::BAD_REQUEST)
    }

    /// There is no such method.
    pub(in crate::http) fn method(revision: Revision, method: &str) -> Self {
        let failure = Self::new(ErrorCode::METHOD_NOT_FOUND, format!("Method not found: {}", clip(method, SHOWN)));
        if revision.is_stateless() { failure.at(StatusCode::NOT_FOUND) } else { failure }
    }

    /// Its revision is not spoken here.
    pub(in crate::http) fn version(asked: &str) -> Self {
        let supported = Revision::ALL.map(Revision::version);
        let data = json!({"supported": supported, "requested": clip(asked, SHOWN)});
        Self::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version")
            .with(data)
            .at(StatusCode::BAD_REQUEST)
    }

    /// There is no such resource, or it is not the caller's.
    pub(in crate::http) fn resource(revision: Revision, uri: &str) -> Self {
        let code = if revision.is_stateless() { ErrorCode::INVALID_PARAMS } else { ErrorCode::RESOURCE_NOT_FOUND };
        Self::new(code, format!("Resource not found: {}", clip(uri, SHOWN))).with(json!({"uri": clip(uri, SHOWN)}))
    }

    /// As a test's fixture has it.
    #[cfg(debug_assertions)]
    pub(in crate::http) fn of_fixture(code: i32, message: String, data: Option<Value>) -> Self {
        let failure = Self::new(ErrorCode(code), message);
        let failure = if code <= ErrorCode::HEADER_MISMATCH.0 { failure.at(StatusCode::BAD_REQUEST) } else { failure };
        data.into_iter().fold(failure, Self::with)
    }

    /// The same with another status.
    pub(in crate::http) fn at(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The same with more for a program to read.
    pub(in crate::http) fn with(mut self, data: Value) -> Self {
        self.error.data = Some(data);
        self
    }

    /// The same for the request of this id.
    pub(in crate::http) fn of(self, id: Option<RequestId>) -> Self {
        Self { id: id.or(self.id), ..self }
    }

    /// The message that tells it.
    pub(in crate::http) fn into_message(self) -> JsonRpcError {
        JsonRpcError::new(self.id, *self.error)
    }

    /// The answer that tells it.
    pub(in crate::http) fn into_response(self) -> HttpResponse {
        let status = self.status;
        let text = serde_json::to_vec(&self.into_message()).unwrap_or_default();
        HttpResponse::build(status).content_type("application/json").body(text)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind() {
            Kind::Internal => {
                tracing::error!(?error, "a request of an MCP client failed");
                Self::new(ErrorCode::INTERNAL_ERROR, "Something failed inside Satchel.")
            }
            Kind::Invalid | Kind::NotFound | Kind::Denied => Self::params(error.message().to_owned()),
            _ => Self::new(ErrorCode::INTERNAL_ERROR, error.message().to_owned()),
        }
    }
}

/// The answer to a request.
#[derive(Serialize)]
pub(in crate::http) struct Response<T> {
    jsonrpc: &'static str,
    id: RequestId,
    result: T,
}

impl<T> Response<T> {
    pub(in crate::http) fn new(id: RequestId, result: T) -> Self {
        Self { jsonrpc: "2.0", id, result }
    }
}

/// A notification of ours.
pub(in crate::http) fn notification(method: &str, params: Value) -> Value {
    match params {
        Value::Null => json!({"jsonrpc": "2.0", "method": method}),
        params => json!({"jsonrpc": "2.0", "method": method, "params": params}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: Value) -> i32 {
        Message::parse(body).unwrap_err().error.code.0
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for body in [
            json!([]),
            json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]),
            json!("ping"),
            json!({}),
            json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": null, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": {}, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": "x".repeat(300), "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1, "method": 7}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}),
            json!({"jsonrpc": "2.0", "id": 1}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}),
            json!({"jsonrpc": "2.0", "result": {}}),
        ] {
            assert_eq!(refused(body.clone()), -32600, "{body}");
        }
        assert_eq!(refused(json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": 1}})), -32602);
    }

    #[test]
    fn each_kind_of_message_is_told_apart() {
        let request = json!({"jsonrpc": "2.0", "id": "a", "method": "x", "params": {"y": 1, "_meta": {"z": 2}}});
        let Ok(Message::Request(request)) = Message::parse(request) else { panic!("no request") };
        assert_eq!((request.params.len(), request.meta.len()), (1, 1));
        let told = Message::parse(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert!(matches!(told, Ok(Message::Notification { .. })));
        let answered = Message::parse(json!({"jsonrpc": "2.0", "id": 1, "result": null}));
        assert!(matches!(answered, Ok(Message::Response { result: Some(Value::Null), .. })));
    }
}
