//! The meaning of a provider's refusal: whose fault it is, and whether trying again can help.

use std::time::Duration;

use reqwest::StatusCode;

use super::own_key::KeyMask;
use crate::{http::Response, retry_after::retry_after};
use satchel_model::{
    error::{Error, Kind},
    llm::Provider,
    provider::failure::{ProviderFailure, named},
    text::{clip, one_line},
};

/// Most bytes of an error's body that are read.
const BODY: usize = 64 << 10;

/// The reason a provider does not answer.
#[derive(Debug, Clone)]
pub(super) struct Unanswered {
    /// The error, with the [`ProviderFailure`] in its details.
    pub(super) error: Error,
    /// The same for people and programs.
    pub(super) told: Box<ProviderFailure>,
}

impl From<Failure> for Unanswered {
    fn from(Failure { error, told, .. }: Failure) -> Self {
        Self { error, told }
    }
}

/// A failed attempt.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The error, with the [`ProviderFailure`] in its details.
    pub(super) error: Error,
    /// The same for people and programs.
    pub(super) told: Box<ProviderFailure>,
    /// `true` if the same request may succeed later.
    pub(super) again: bool,
    /// The time the provider asks to wait.
    pub(super) after: Option<Duration>,
    /// `true` if any other request would have failed as well: then the breaker opens.
    pub(super) fault: bool,
    /// The time it took to fail.
    pub(super) took: Duration,
}

impl Failure {
    /// A request that could not be made, or whose answer ended before it said anything: silence, a page, or an error
    /// where a stream should begin.
    pub(super) fn unanswered(provider: &Provider, error: Error) -> Self {
        let fault = matches!(error.kind(), Kind::Upstream | Kind::Timeout);
        // Whoever was silent for the whole patience is not waited for a second time.
        let again = matches!(error.kind(), Kind::Upstream | Kind::Exhausted);
        Self { again, fault, ..Self::from_error(provider, None, error) }
    }

    /// An answer that broke off after it had begun. An error there may mean this one answer; silence means all.
    pub(super) fn broken_off(provider: &Provider, error: Error) -> Self {
        Self { fault: error.kind() == Kind::Timeout, ..Self::unanswered(provider, error) }
    }

    /// An answer to the question for models that is no list of them.
    pub(super) fn no_list(provider: &Provider, status: StatusCode, error: Error) -> Self {
        Self::from_error(provider, Some(status.as_u16()), error)
    }

    /// Returns whether the server answers the question for models, and not with a list: many have none.
    pub(super) fn is_no_list(&self) -> bool {
        matches!(self.told.status, Some(200..=399 | 400 | 404 | 405 | 410 | 501))
    }

    /// Returns whether the request was refused for what it says.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self.told.status, Some(400 | 422))
    }

    fn from_error(provider: &Provider, status: Option<u16>, error: Error) -> Self {
        let told = ProviderFailure::new(provider, status, error.message());
        let message = format!("{} did not answer. {}", named(provider), error.message());
        let renamed = told.attach_to(Error::new(error.kind(), message).caused_by(error));
        Self { error: renamed, told: Box::new(told), again: false, after: None, fault: false, took: Duration::ZERO }
    }
}

/// The error of an answer that broke off, with whose answer it was.
pub(super) fn broken(provider: &Provider, error: Error) -> Error {
    if !matches!(error.kind(), Kind::Upstream | Kind::Timeout) {
        return error;
    }
    let message = format!("{}: {}", named(provider), error.message());
    let told = ProviderFailure::new(provider, None, error.message());
    told.attach_to(Error::new(error.kind(), message).caused_by(error))
}

/// Reads what a provider answered instead of a stream.
pub(super) async fn from_response(provider: &Provider, response: Response) -> Failure {
    let status = response.status;
    let after = retry_after(&response.headers);
    let body = response.first_bytes(BODY).await.map(|(bytes, _)| bytes).unwrap_or_default();
    let body = String::from_utf8_lossy(&body);
    let said = reason(provider, &body);
    let code = status.as_u16();
    let refuses = matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY);
    let parameter = refuses.then(|| blamed(provider, &said, &body)).flatten();
    // Its server works: this one conversation does not fit.
    let breaks_down = status.is_server_error() && !is_too_long(&said);
    let (kind, cause) = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            // The body of such an answer often repeats the key.
            (Kind::Unconfigured, "The key was refused. Check it under Settings, Models.".to_owned())
        }
        StatusCode::NOT_FOUND => {
            let model = &provider.model;
            (Kind::Unconfigured, format!("It does not know the model '{model}', or the address is wrong: {said}"))
        }
        StatusCode::PAYMENT_REQUIRED => (Kind::Unconfigured, format!("Its account has no credit left: {said}")),
        StatusCode::TOO_MANY_REQUESTS => (Kind::Exhausted, format!("It takes no more requests now: {said}")),
        s if s.is_server_error() => (Kind::Upstream, format!("It failed with status {code}: {said}")),
        _ => (Kind::Upstream, refused(code, &said, parameter)),
    };
    let parameter = parameter.map(str::to_owned);
    let told = ProviderFailure { parameter, ..ProviderFailure::new(provider, Some(code), &cause) };
    let error = told.attach_to(Error::new(kind, format!("{}: {cause}", named(provider))));
    Failure {
        error,
        told: Box::new(told),
        again: breaks_down || matches!(code, 408 | 409 | 425 | 429),
        after,
        fault: breaks_down || matches!(code, 401..=404 | 408 | 429),
        took: Duration::ZERO,
    }
}

/// The parameter a refusal is about, of those that are set for this provider.
fn blamed(provider: &Provider, said: &str, body: &str) -> Option<&'static str> {
    let json: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    // Not the whole body: some servers repeat the request in it.
    let param = json.pointer("/error/param").and_then(|param| param.as_str()).unwrap_or_default();
    provider.parameters.blamed(param).or_else(|| provider.parameters.blamed(said))
}

fn refused(code: u16, said: &str, parameter: Option<&str>) -> String {
    match parameter {
        Some(name) => format!(
            "It does not take the parameter {name} as it is set: {said} Change it under Settings, Models, Parameters."
        ),
        None => format!("It refused the request with status {code}: {said}"),
    }
}

/// Tests for the words in which servers say that a conversation does not fit into a model.
pub(super) fn is_too_long(said: &str) -> bool {
    let said = said.to_lowercase();
    [
        "context_length_exceeded",
        "context length",
        "context window",
        "context size",
        "context limit",
        "maximum context",
        "prompt is too long",
        "input is too long",
        "too many tokens",
    ]
    .iter()
    .any(|words| said.contains(words))
}

/// The sentence in an error's body, whatever its dialect, shortened and without the key.
pub(super) fn reason(provider: &Provider, body: &str) -> String {
    let json: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    let error = json.get("error").unwrap_or(&json);
    let text = error.get("message").unwrap_or(error).as_str().unwrap_or(body);
    let text = KeyMask::new(provider).text(text);
    let line = one_line(&text);
    if line.is_empty() { "no reason given.".to_owned() } else { clip(&line, 300).into_owned() }
}
