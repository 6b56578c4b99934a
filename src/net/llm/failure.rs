//! What a provider's refusal means: whose mistake it is, and whether trying again can help.

use std::time::Duration;

use reqwest::{StatusCode, header};

use crate::{
    model::{
        error::{Error, Kind},
        llm::Provider,
        secret::MASK,
    },
    net::http::Response,
};

/// Most bytes of an error's body that are read.
const BODY: usize = 64 << 10;

/// A failed attempt.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: Error,
    /// Whether the same request may succeed later.
    pub(super) again: bool,
    /// How long the provider asks to wait.
    pub(super) after: Option<Duration>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let again = matches!(error.kind(), Kind::Upstream | Kind::Timeout | Kind::Exhausted);
        Self { error, again, after: None }
    }
}

/// Reads what a provider answered instead of a stream.
pub(super) async fn from_response(provider: &Provider, response: Response) -> Failure {
    let status = response.status;
    let after = response.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    let after =
        after.and_then(|text| text.trim().parse::<f64>().ok()).and_then(|s| Duration::try_from_secs_f64(s).ok());
    let body = response.first_bytes(BODY).await.map(|(bytes, _)| bytes).unwrap_or_default();
    let said = reason(provider, &String::from_utf8_lossy(&body));
    let name = &provider.name;
    let (kind, message) = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            // The body of such an answer often repeats the key.
            (Kind::Unconfigured, format!("The key was refused by {name}. Check it under Settings, Models."))
        }
        StatusCode::NOT_FOUND => (
            Kind::Unconfigured,
            format!("{name} does not know the model '{}' or the address is wrong: {said}", provider.model),
        ),
        StatusCode::TOO_MANY_REQUESTS => (Kind::Exhausted, format!("{name} takes no more requests now: {said}")),
        s if s.is_server_error() => (Kind::Upstream, format!("{name} failed with status {}: {said}", s.as_u16())),
        s => (Kind::Upstream, format!("{name} refused the request with status {}: {said}", s.as_u16())),
    };
    let again = status.is_server_error() || matches!(status.as_u16(), 408 | 409 | 425 | 429);
    Failure { error: Error::new(kind, message), again, after }
}

/// The sentence in an error's body, whatever its dialect, shortened and without the key.
pub(super) fn reason(provider: &Provider, body: &str) -> String {
    let json: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    let error = json.get("error").unwrap_or(&json);
    let text = error.get("message").unwrap_or(error).as_str().unwrap_or(body);
    let text = match &provider.api_key {
        Some(key) if !key.expose().is_empty() => text.replace(key.expose(), MASK),
        _ => text.to_owned(),
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(300) {
        _ if line.is_empty() => "no reason given.".to_owned(),
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
