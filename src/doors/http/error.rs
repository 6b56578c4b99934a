//! Errors as RFC 9457 problem JSON: the status by kind, the message as detail, further fields beside it.

use actix_web::{
    HttpResponse, ResponseError,
    http::{
        ConnectionType, Method, StatusCode,
        header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use serde::Serialize;
use serde_json::{Map, Value};

use satchel_model::{
    error::{Error, Kind},
    text::head,
};
use satchel_services::answer::facts;

/// The media type of errors.
pub(super) const PROBLEM: &str = "application/problem+json";

/// The shape of every error answer; some have more fields.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Problem {
    /// The kind of the problem, as a URN.
    #[serde(rename = "type")]
    #[schema(rename = "type", example = "urn:satchel:invalid")]
    pub(super) kind: String,
    /// The same in words.
    pub(super) title: String,
    /// The HTTP status.
    pub(super) status: u16,
    /// A description of what happened and what to do.
    pub(super) detail: String,
}

/// An error whose status HTTP knows and the rest of the house does not.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    error: Error,
    /// The methods there are, where that is what is wrong.
    allow: Option<String>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, error: Error) -> Self {
        Self { status, error, allow: None }
    }

    /// The error itself.
    pub(super) fn error(&self) -> &Error {
        &self.error
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl ResponseError for Refusal {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let slug = self.status.canonical_reason().unwrap_or("error").to_lowercase().replace(' ', "-");
        let mut response = respond(&self.error, self.status, &slug, self.status.canonical_reason().unwrap_or("Error"));
        if let Some(allow) = self.allow.as_deref().and_then(|allow| HeaderValue::from_str(allow).ok()) {
            response.headers_mut().insert(ALLOW, allow);
        }
        response
    }
}

/// An error as HTTP answers it.
#[derive(Debug)]
pub(super) struct HttpError(pub(super) Error);

/// The result of a handler.
pub(super) type HttpResult<T> = Result<T, HttpError>;

impl From<Error> for HttpError {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl std::fmt::Display for HttpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl ResponseError for HttpError {
    fn status_code(&self) -> StatusCode {
        describe(self.0.kind()).0
    }

    fn error_response(&self) -> HttpResponse {
        error_response(&self.0)
    }
}

/// Returns the answer that says what went wrong.
pub(super) fn error_response(error: &Error) -> HttpResponse {
    let (status, slug, title) = describe(error.kind());
    let mut response = respond(error, status, slug, title);
    if matches!(error.kind(), Kind::Exhausted | Kind::Busy) {
        // Who asks for more than they get keeps no connection: there are so many for everybody.
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    response
}

/// Status, slug and title of each kind.
fn describe(kind: Kind) -> (StatusCode, &'static str, &'static str) {
    match kind {
        Kind::Invalid => (StatusCode::BAD_REQUEST, "invalid", "The request is wrong"),
        Kind::Unauthenticated => (StatusCode::UNAUTHORIZED, "unauthenticated", "Not signed in"),
        Kind::Denied => (StatusCode::FORBIDDEN, "denied", "Not permitted"),
        Kind::NotFound => (StatusCode::NOT_FOUND, "not-found", "Not found"),
        Kind::Conflict => (StatusCode::CONFLICT, "conflict", "Not possible now"),
        Kind::Unconfigured => (StatusCode::CONFLICT, "unconfigured", "A setting is missing"),
        Kind::Disabled => (StatusCode::SERVICE_UNAVAILABLE, "disabled", "Switched off"),
        Kind::Exhausted => (StatusCode::TOO_MANY_REQUESTS, "exhausted", "Too much"),
        Kind::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy", "Too much waits"),
        Kind::Timeout => (StatusCode::GATEWAY_TIMEOUT, "timeout", "It took too long"),
        Kind::Cancelled => (StatusCode::SERVICE_UNAVAILABLE, "cancelled", "Cancelled"),
        Kind::Upstream => (StatusCode::BAD_GATEWAY, "upstream", "Another system failed"),
        Kind::DiskFull => (StatusCode::INSUFFICIENT_STORAGE, "disk-full", "The disk is full"),
        Kind::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "Something failed inside Satchel"),
    }
}

/// An error's details beside it, and who had approved the call as `meta`, under a status, slug and title of its own.
fn respond(error: &Error, status: StatusCode, slug: &str, title: &str) -> HttpResponse {
    let mut body = Map::new();
    body.insert("type".to_owned(), Value::from(format!("urn:satchel:{slug}")));
    body.insert("title".to_owned(), Value::from(title));
    body.insert("status".to_owned(), Value::from(status.as_u16()));
    body.insert("detail".to_owned(), Value::from(error.message()));
    if let Some(Value::Object(details)) = error.details() {
        for (key, value) in details {
            body.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    if let Some((approved, duration_ms)) = error.approval() {
        body.entry("meta").or_insert_with(|| facts(approved, Some(duration_ms)).into());
    }
    let retry = body.get("retry_after").and_then(Value::as_u64);
    let mut response = HttpResponse::build(status);
    response.insert_header((CONTENT_TYPE, HeaderValue::from_static(PROBLEM)));
    if status == StatusCode::UNAUTHORIZED {
        response.insert_header((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"satchel\"")));
    }
    if let Some(seconds) = retry {
        response.insert_header((RETRY_AFTER, seconds));
    }
    response.body(Value::Object(body).to_string())
}

/// The error for a path nothing answers.
pub(super) fn no_such_path() -> Error {
    Error::not_found("There is nothing at this path. GET /api/openapi.json lists everything there is.")
}

/// The error for a path that has other methods.
pub(super) fn wrong_method(method: &Method, allowed: &[Method]) -> Refusal {
    let shown = head(method.as_str(), 20);
    let error = Error::invalid(format!("This path does not take {shown}. GET /api/openapi.json says what it takes."));
    let allow = allowed.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
    Refusal { allow: Some(allow), ..Refusal::new(StatusCode::METHOD_NOT_ALLOWED, error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::MessageBody;
    use serde_json::json;

    fn body(response: HttpResponse) -> Value {
        serde_json::from_slice(&response.into_body().try_into_bytes().unwrap()).unwrap()
    }

    #[test]
    fn an_error_is_a_problem_with_its_details_beside_it() {
        let error = Error::new(Kind::Exhausted, "Wait.").with_details(json!({"retry_after": 4, "status": 1}));
        let response = error_response(&error);
        assert_eq!(response.headers().get("retry-after").unwrap(), "4");
        assert!(!response.head().keep_alive(), "its connection is somebody else's now");
        assert_eq!(response.headers().get("content-type").unwrap(), "application/problem+json");
        let wanted = json!({"type": "urn:satchel:exhausted", "title": "Too much", "status": 429, "detail": "Wait.", "retry_after": 4});
        assert_eq!(body(response), wanted);
        assert_eq!(error_response(&Error::invalid("No.")).head().connection_type(), ConnectionType::KeepAlive);
    }

    #[test]
    fn an_internal_error_shows_nothing_of_its_cause() {
        let response = error_response(&Error::internal("secret table missing"));
        assert!(!body(response).to_string().contains("secret table"));
    }
}
