//! The dialects of `/v1`, and errors as each has them.

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse, ResponseError,
    body::BoxBody,
    dev::ServiceResponse,
    http::{
        StatusCode,
        header::{HeaderName, HeaderValue, RETRY_AFTER},
    },
};
use serde_json::{Value, json};
#[cfg(debug_assertions)]
use utoipa::{
    ToSchema,
    openapi::{RefOr, schema::Schema},
};
use uuid::Uuid;

use crate::http::error::{HttpError, Refusal};
use satchel_model::{
    caller::Door,
    error::{Error, Kind},
    price::OVER_BUDGET,
    provider::failure::ProviderFailure,
};

/// The header that says which version of Anthropic's dialect is spoken.
pub(in crate::http) const ANTHROPIC_VERSION: &str = "anthropic-version";
const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

/// The id of a request, as its answer and the log have it.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct RequestId(pub(in crate::http) Uuid);

/// A dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Dialect {
    /// OpenAI's.
    Openai,
    /// Anthropic's.
    Anthropic,
}

/// The dialect of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Speaks {
    /// This one.
    Only(Dialect),
    /// Anthropic's, if the request names its version, else OpenAI's.
    Either,
}

impl Speaks {
    /// The dialect of a request.
    pub(in crate::http) fn of(self, request: &HttpRequest) -> Dialect {
        match self {
            Self::Only(dialect) => dialect,
            Self::Either if request.headers().contains_key(ANTHROPIC_VERSION) => Dialect::Anthropic,
            Self::Either => Dialect::Openai,
        }
    }
}

/// An error as OpenAI's clients read it.
#[cfg(debug_assertions)]
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes errors for the document")]
struct OpenaiError {
    error: OpenaiErrorBody,
}

/// The content of such an error.
#[cfg(debug_assertions)]
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes errors for the document")]
struct OpenaiErrorBody {
    /// A description of what happened and what to do.
    message: String,
    /// Its kind.
    r#type: String,
    /// The field that is wrong.
    param: Option<String>,
    /// The kind more closely.
    code: Option<String>,
}

/// An error as Anthropic's clients read it.
#[cfg(debug_assertions)]
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes errors for the document")]
struct AnthropicError {
    /// `error`.
    r#type: String,
    error: AnthropicErrorBody,
    /// The id of the request.
    request_id: Option<String>,
}

/// The content of such an error.
#[cfg(debug_assertions)]
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes errors for the document")]
struct AnthropicErrorBody {
    /// Its kind.
    r#type: String,
    /// A description of what happened and what to do.
    message: String,
}

/// The schemas of errors.
#[cfg(debug_assertions)]
pub(in crate::http) fn schemas() -> Vec<(String, RefOr<Schema>)> {
    fn named<T: ToSchema>() -> (String, RefOr<Schema>) {
        (T::name().into_owned(), T::schema())
    }
    vec![named::<OpenaiError>(), named::<OpenaiErrorBody>(), named::<AnthropicError>(), named::<AnthropicErrorBody>()]
}

#[cfg(debug_assertions)]
impl Speaks {
    /// The names of the schemas that errors have.
    pub(in crate::http) fn error_names(self) -> Vec<&'static str> {
        match self {
            Self::Only(Dialect::Openai) => vec!["OpenaiError"],
            Self::Only(Dialect::Anthropic) => vec!["AnthropicError"],
            Self::Either => vec!["OpenaiError", "AnthropicError"],
        }
    }
}

impl Dialect {
    /// The door that its clients come through.
    pub(in crate::http) fn door(self) -> Door {
        match self {
            Self::Openai => Door::Openai,
            Self::Anthropic => Door::Anthropic,
        }
    }

    /// An error as it is told in the middle of a stream, and as the body of an answer.
    pub(in crate::http) fn told(self, error: &Error, status: StatusCode, id: Option<Uuid>) -> Value {
        match self {
            Self::Openai => {
                let (kind, code) = openai(error, status);
                let detail = |key: &str| error.details().and_then(|details| details.get(key)).cloned();
                let code = detail("code").or_else(|| code.map(Value::from));
                json!({"error": {"message": error.message(), "type": kind, "param": detail("field"), "code": code}})
            }
            Self::Anthropic => {
                let kind = anthropic(error, status);
                let id = id.map(|id| id.simple().to_string());
                json!({"type": "error", "error": {"type": kind, "message": error.message()}, "request_id": id})
            }
        }
    }
}

/// The status by which an error is told in a dialect.
pub(in crate::http) fn status_of(error: &Error) -> StatusCode {
    match (error.kind(), told_by_provider(error)) {
        // It would refuse the same request again.
        (_, Some(400 | 413 | 422)) => return StatusCode::BAD_REQUEST,
        (_, Some(429)) => return StatusCode::TOO_MANY_REQUESTS,
        _ => {}
    }
    match error.kind() {
        Kind::Exhausted if is_too_long(error) => StatusCode::BAD_REQUEST,
        // A client repeats what conflicts with something that goes by; a setting does not.
        Kind::Unconfigured => StatusCode::SERVICE_UNAVAILABLE,
        _ => HttpError(error.clone()).status_code(),
    }
}

/// The status with which a provider refused a request, where that is the error.
fn told_by_provider(error: &Error) -> Option<u16> {
    ProviderFailure::from_error(error)?.status
}

/// Returns whether a request is too long for its model: sending it again does not help.
fn is_too_long(error: &Error) -> bool {
    has_code(error, "context_length_exceeded")
}

fn has_code(error: &Error, wanted: &str) -> bool {
    error.details().and_then(|details| details.get("code")).is_some_and(|code| code == wanted)
}

fn openai(error: &Error, status: StatusCode) -> (&'static str, Option<&'static str>) {
    match error.kind() {
        Kind::Exhausted if is_too_long(error) => ("invalid_request_error", Some("context_length_exceeded")),
        Kind::Exhausted if has_code(error, OVER_BUDGET) => (OVER_BUDGET, Some(OVER_BUDGET)),
        Kind::Exhausted => ("rate_limit_error", Some("rate_limit_exceeded")),
        Kind::Unauthenticated => ("invalid_request_error", Some("invalid_api_key")),
        Kind::Denied => ("permission_error", None),
        _ if status.is_client_error() => ("invalid_request_error", None),
        _ => ("server_error", None),
    }
}

fn anthropic(error: &Error, status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        503 if error.kind() == Kind::Busy => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    }
}

/// An error in a dialect.
#[derive(Debug)]
pub(in crate::http) struct DialectError {
    dialect: Dialect,
    status: StatusCode,
    /// The error itself.
    pub(in crate::http) error: Error,
    id: Option<Uuid>,
}

impl std::fmt::Display for DialectError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl ResponseError for DialectError {
    fn status_code(&self) -> StatusCode {
        match (self.dialect, self.error.kind()) {
            (Dialect::Anthropic, Kind::Busy) => StatusCode::from_u16(529).unwrap_or(self.status),
            _ => self.status,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        let wait = self.error.details().and_then(|details| details.get("retry_after")).and_then(Value::as_u64);
        if let Some(seconds) = wait {
            response.insert_header((RETRY_AFTER, seconds));
        }
        let told = self.dialect.told(&self.error, self.status, self.id);
        response.content_type("application/json").body(told.to_string())
    }
}

/// The answer of a route that speaks a dialect: an error of ours is told in it, and each has the id of its request.
pub(in crate::http) fn spoken(answer: ServiceResponse<BoxBody>, speaks: Speaks) -> ServiceResponse<BoxBody> {
    let (request, mut response) = answer.into_parts();
    let dialect = speaks.of(&request);
    let id = request.extensions().get::<RequestId>().map(|id| id.0);
    if let Some((status, error)) = response.error().and_then(known) {
        response = HttpResponse::from_error(DialectError { dialect, status, error, id });
    }
    if let Some(id) = id.and_then(|id| HeaderValue::from_str(&id.simple().to_string()).ok()) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    ServiceResponse::new(request, response)
}

fn known(error: &actix_web::Error) -> Option<(StatusCode, Error)> {
    if let Some(HttpError(error)) = error.as_error() {
        return Some((status_of(error), error.clone()));
    }
    error.as_error::<Refusal>().map(|refusal| (refusal.status_code(), refusal.error().clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use satchel_model::price::over_budget;

    fn told(dialect: Dialect, error: &Error) -> Value {
        dialect.told(error, status_of(error), Some(Uuid::nil()))
    }

    #[test]
    fn an_error_has_the_shape_of_its_dialect() {
        let wrong = Error::invalid("No.").with_details(json!({"field": "model"}));
        let wanted =
            json!({"error": {"message": "No.", "type": "invalid_request_error", "param": "model", "code": null}});
        assert_eq!(told(Dialect::Openai, &wrong), wanted);
        let id = Uuid::nil().simple().to_string();
        let wanted =
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "No."}, "request_id": id});
        assert_eq!(told(Dialect::Anthropic, &wrong), wanted);
    }

    #[test]
    fn what_does_not_fit_into_a_model_is_a_wrong_request() {
        let long = Error::new(Kind::Exhausted, "Long.").with_details(json!({"code": "context_length_exceeded"}));
        assert_eq!(status_of(&long), 400);
        assert_eq!(told(Dialect::Openai, &long)["error"]["code"], "context_length_exceeded");
        assert_eq!(told(Dialect::Anthropic, &long)["error"]["type"], "invalid_request_error");
    }

    #[test]
    fn who_has_spent_the_tokens_of_the_day_is_over_quota_and_who_is_too_quick_is_not() {
        let spent = over_budget("Spent.");
        assert_eq!(told(Dialect::Openai, &spent)["error"]["code"], "insufficient_quota");
        let many = Error::new(Kind::Exhausted, "Too many are open.");
        for quick in [many.clone(), many.with_details(json!({"retry_after": 4}))] {
            assert_eq!(told(Dialect::Openai, &quick)["error"]["code"], "rate_limit_exceeded");
            assert_eq!(told(Dialect::Anthropic, &quick)["error"]["type"], "rate_limit_error");
        }
    }
}
