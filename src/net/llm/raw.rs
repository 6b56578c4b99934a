//! Requests that are passed on as they came, to providers that speak the dialect of whoever sent them.

use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::{
    anthropic,
    chain::Models,
    dialect::{address, authorised, failed, parse},
    openai,
};
use crate::{guard::HostPort, http::Request, sse::SseEvent};
use satchel_model::{
    error::{Error, Result},
    figure,
    llm::{Event, Provider, ProviderKind, StopReason, options::RawRequest},
    provider::parameters::{Parameters, ReasoningEffort},
};

/// Longest answer that is passed on in one piece.
const LONGEST: usize = 16 << 20;
/// The longest that counting tokens may take.
const COUNTING: Duration = Duration::from_secs(20);
/// Most bytes of its answer.
const COUNTED: usize = 64 << 10;
/// The fields that limit an answer of the OpenAI dialect: the newer and the older one.
const LIMITS: [&str; 2] = ["max_completion_tokens", "max_tokens"];

/// The path of the provider's API that the request goes to.
pub(super) fn path(raw: &RawRequest) -> &'static str {
    match raw.kind {
        ProviderKind::Openai => "chat/completions",
        ProviderKind::Anthropic => "messages",
        ProviderKind::Ollama => "api/chat",
    }
}

/// The body, with the provider's model, and its parameters where the sender left them out.
pub(super) fn body(provider: &Provider, raw: &RawRequest) -> Value {
    let mut body = raw.body.clone();
    body.insert("model".to_owned(), provider.model.clone().into());
    body.insert("stream".to_owned(), raw.streamed.into());
    let Parameters { temperature, top_p, max_tokens, reasoning_effort, .. } = &provider.parameters;
    let mut or = |key: &str, value: Option<Value>| {
        if let Some(value) = value.filter(|_| body.get(key).is_none_or(Value::is_null)) {
            body.insert(key.to_owned(), value);
        }
    };
    or("temperature", temperature.map(Value::from));
    or("top_p", top_p.map(Value::from));
    if raw.kind == ProviderKind::Openai {
        or("reasoning_effort", reasoning_effort.map(ReasoningEffort::as_str).map(Value::from));
    }
    if let Some(most) = max_tokens {
        limit(&mut body, raw.kind, *most);
    }
    if raw.kind == ProviderKind::Openai && raw.streamed {
        // What the answer took is counted, whether its reader asks for it or not.
        let options = body.entry("stream_options").or_insert_with(|| Map::new().into());
        match options.as_object_mut() {
            Some(options) => drop(options.insert("include_usage".to_owned(), true.into())),
            None => *options = serde_json::json!({"include_usage": true}),
        }
    }
    Value::Object(body)
}

/// Limits an answer to so many tokens; a lower limit of the sender's stays.
fn limit(body: &mut Map<String, Value>, kind: ProviderKind, most: u32) {
    let given = LIMITS.into_iter().find(|key| body.get(*key).is_some_and(Value::is_u64));
    let key = given.unwrap_or(if kind == ProviderKind::Anthropic { "max_tokens" } else { "max_completion_tokens" });
    let least = body.get(key).and_then(Value::as_u64).map_or(u64::from(most), |given| given.min(u64::from(most)));
    body.insert(key.to_owned(), least.into());
}

/// Adds the headers that go with it.
pub(super) fn add_headers(request: &mut Request, raw: &RawRequest) -> Result<()> {
    for (name, value) in &raw.headers {
        let value = HeaderValue::from_str(value)
            .map_err(|_| Error::invalid(format!("The header '{name}' holds characters a header cannot.")))?;
        request.headers.insert(HeaderName::from_static(name), value);
    }
    Ok(())
}

impl Models {
    /// The tokens of a request, as a provider that speaks its dialect counts them. `None` if it counts none, or does not say.
    ///
    /// # Errors
    ///
    /// If it cannot be asked.
    pub async fn count_tokens(&self, provider: &Provider, raw: &RawRequest) -> Result<Option<u64>> {
        if provider.kind != ProviderKind::Anthropic || raw.kind != provider.kind {
            return Ok(None);
        }
        let mut body = raw.body.clone();
        body.insert("model".to_owned(), provider.model.clone().into());
        let mut request = Request::post_json(address(provider, "messages/count_tokens")?, &Value::Object(body));
        add_headers(&mut request, raw)?;
        request.limit = Some(COUNTING);
        let host = HostPort::from_url(&provider.base_url);
        let response = self.http.allowing(host.as_slice()).send(authorised(request, provider)?).await?;
        if !response.status.is_success() {
            return Ok(None);
        }
        Ok(response.json(COUNTED).await?.get("input_tokens").and_then(Value::as_u64))
    }
}

/// A frame of a stream, as it is passed on.
pub(super) fn frame(event: &SseEvent) -> Event {
    // One line each: a reader of several takes them for one text again.
    let data = event.data.replace('\n', "\ndata: ");
    Event::Raw(match event.event.as_str() {
        "message" => format!("data: {data}\n\n"),
        name => format!("event: {name}\ndata: {data}\n\n"),
    })
}

/// Reads an answer that comes in one piece.
#[derive(Debug)]
pub(super) struct Whole {
    kind: ProviderKind,
    bytes: Vec<u8>,
}

impl Whole {
    pub(super) fn new(kind: ProviderKind) -> Self {
        Self { kind, bytes: Vec::new() }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        if self.bytes.len().saturating_add(bytes.len()) > LONGEST {
            let most = figure::bytes(LONGEST as u64);
            return Err(Error::upstream(format!("The model's answer is longer than {most}.")));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// The answer as it came, what it took, and its end.
    pub(super) fn finish(&mut self) -> Result<Vec<Event>> {
        let text = String::from_utf8(std::mem::take(&mut self.bytes))
            .map_err(|_| Error::upstream("The model's answer is not UTF-8."))?;
        let answer = parse(&text)?;
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            return Err(failed(error));
        }
        let read = match self.kind {
            ProviderKind::Anthropic => anthropic::read_usage,
            ProviderKind::Openai | ProviderKind::Ollama => openai::read_usage,
        };
        let usage = answer.get("usage").filter(|usage| usage.is_object()).map(read);
        let usage = usage.map(Event::Usage);
        Ok([Event::Raw(text)].into_iter().chain(usage).chain([Event::Stop(StopReason::Complete)]).collect())
    }
}
