//! The common parts of the dialects: one way to build a request, one way to read a stream, one way to read arguments.

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};
use url::Url;

use super::{anthropic, bounds::PartialCalls, failure::is_too_long, ollama, openai, raw};
use crate::{
    http::Request,
    sse::{Lines, SseReader},
};
use satchel_model::{
    error::{Error, Kind, Result},
    json::holds_more_values,
    llm::{ChatRequest, Event, Provider, ProviderKind, ToolCall, ToolDefinition, options::RawRequest},
    text::clip,
};

/// Most values of a frame, and of the arguments of a call: parsed, each takes many times its bytes.
const MAX_VALUES: usize = 100_000;

/// Returns the address of a path of the provider's API. A base URL without a path means the usual one.
pub(super) fn address(provider: &Provider, path: &str) -> Result<Url> {
    let base = provider.base_url.as_str().trim_end_matches('/');
    let bare = provider.base_url.path() == "/";
    let version = match provider.kind {
        ProviderKind::Openai if bare => "/v1",
        ProviderKind::Anthropic if !base.ends_with("/v1") => "/v1",
        _ => "",
    };
    Url::parse(&format!("{base}{version}/{path}"))
        .map_err(|_| Error::new(Kind::Unconfigured, format!("The address of {} is not a URL.", provider.name)))
}

/// Adds the key as the dialect wants it.
pub(super) fn authorised(mut request: Request, provider: &Provider) -> Result<Request> {
    if provider.kind == ProviderKind::Anthropic {
        let version = HeaderValue::from_static("2023-06-01");
        request.headers.entry(HeaderName::from_static("anthropic-version")).or_insert(version);
    }
    match (&provider.api_key, provider.kind) {
        (None, _) => Ok(request),
        (Some(key), ProviderKind::Anthropic) => {
            request.secret_header(HeaderName::from_static("x-api-key"), key.expose())
        }
        (Some(key), _) => request.secret_header(AUTHORIZATION, &format!("Bearer {}", key.expose())),
    }
}

/// The request for one streamed answer.
pub(super) fn request(provider: &Provider, chat: &ChatRequest) -> Result<Request> {
    if let Some(raw) = raw_for(provider, chat) {
        let mut request = Request::post_json(address(provider, raw::path(raw))?, &raw::body(provider, raw));
        raw::add_headers(&mut request, raw)?;
        return authorised(request, provider);
    }
    let (path, body) = match provider.kind {
        ProviderKind::Openai => ("chat/completions", openai::body(provider, chat)),
        ProviderKind::Anthropic => ("messages", anthropic::body(provider, chat)),
        ProviderKind::Ollama => ("api/chat", ollama::body(provider, chat)),
    };
    authorised(Request::post_json(address(provider, path)?, &body), provider)
}

/// The request as it came, if it is passed on to this provider so.
pub(super) fn raw_for<'a>(provider: &Provider, chat: &'a ChatRequest) -> Option<&'a RawRequest> {
    chat.raw.as_deref().filter(|raw| raw.kind == provider.kind)
}

/// The instructions of a request: the platform's, the provider's standing ones where a person reads the answer, and the
/// data behind them.
pub(super) fn system(provider: &Provider, chat: &ChatRequest) -> String {
    let standing = provider.parameters.instructions.as_ref().filter(|_| chat.for_person);
    let standing = standing.map_or_else(String::new, |text| format!("\n\nStanding instructions for you:\n{text}"));
    format!("{}{standing}{}", chat.system, chat.background)
}

/// Most tokens an answer may have: the request's limit and the provider's both hold.
pub(super) fn max_tokens(provider: &Provider, chat: &ChatRequest) -> Option<u32> {
    chat.options.max_tokens.into_iter().chain(provider.parameters.max_tokens).min()
}

/// Turns the bytes of a body into events.
pub(super) enum Decoder {
    /// Of an answer that is passed on in one piece.
    Whole(raw::Whole),
    /// Of one that is passed on as it is streamed.
    Passed(Box<Self>),
    Openai(SseReader, openai::Decoder),
    Anthropic(SseReader, anthropic::Decoder),
    Ollama(Lines, ollama::Decoder),
}

impl Decoder {
    pub(super) fn new(provider: &Provider, chat: &ChatRequest) -> Self {
        match raw_for(provider, chat) {
            Some(raw) if raw.streamed => Self::Passed(Box::new(Self::of_kind(raw.kind))),
            Some(raw) => Self::Whole(raw::Whole::new(raw.kind)),
            None => Self::of_kind(provider.kind),
        }
    }

    fn of_kind(kind: ProviderKind) -> Self {
        match kind {
            ProviderKind::Openai => Self::Openai(SseReader::default(), openai::Decoder::default()),
            ProviderKind::Anthropic => Self::Anthropic(SseReader::default(), anthropic::Decoder::default()),
            ProviderKind::Ollama => Self::Ollama(Lines::default(), ollama::Decoder::default()),
        }
    }

    /// The events this piece completes. Pieces may be cut anywhere.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        self.feed_into(bytes, false, &mut events)?;
        Ok(events)
    }

    /// As [`Self::feed`]; with `passed`, each frame comes before what is in it.
    fn feed_into(&mut self, bytes: &[u8], passed: bool, events: &mut Vec<Event>) -> Result<()> {
        match self {
            Self::Whole(whole) => whole.feed(bytes)?,
            Self::Passed(inner) => inner.feed_into(bytes, true, events)?,
            Self::Openai(reader, decoder) => {
                for event in reader.feed(bytes) {
                    events.extend(passed.then(|| raw::frame(&event)));
                    decoder.read(&event.data, events)?;
                }
            }
            Self::Anthropic(reader, decoder) => {
                for event in reader.feed(bytes) {
                    events.extend(passed.then(|| raw::frame(&event)));
                    decoder.read(&event.data, events)?;
                }
            }
            Self::Ollama(lines, decoder) => {
                for line in lines.feed(bytes) {
                    decoder.read(&line, events)?;
                }
            }
        }
        Ok(())
    }

    /// Counts of calls that are not complete.
    pub(super) fn unfinished(&self) -> PartialCalls {
        match self {
            Self::Openai(_, decoder) => decoder.unfinished(),
            Self::Anthropic(_, decoder) => decoder.unfinished(),
            Self::Passed(inner) => inner.unfinished(),
            // A call is in one line.
            Self::Ollama(..) | Self::Whole(_) => PartialCalls::default(),
        }
    }

    /// The events the end of the body completes; an error where the answer is not whole.
    pub(super) fn finish(&mut self) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        let whole = match self {
            Self::Whole(whole) => return whole.finish(),
            Self::Passed(inner) => return inner.finish(),
            Self::Openai(reader, decoder) => {
                reader.finish().map_or(Ok(()), |event| decoder.read(&event.data, &mut events))?;
                decoder.finish(&mut events)
            }
            Self::Anthropic(reader, decoder) => {
                reader.finish().map_or(Ok(()), |event| decoder.read(&event.data, &mut events))?;
                decoder.is_whole()
            }
            Self::Ollama(lines, decoder) => {
                lines.finish().map_or(Ok(()), |line| decoder.read(&line, &mut events))?;
                decoder.is_whole()
            }
        };
        if whole { Ok(events) } else { Err(Error::upstream("The model's answer broke off. Ask again to repeat it.")) }
    }
}

/// One frame as JSON; what is not JSON is the provider's failure.
pub(super) fn parse(frame: &str) -> Result<Value> {
    if holds_more_values(frame, MAX_VALUES) {
        return Err(Error::upstream(format!("The model's answer holds more than {MAX_VALUES} values at once.")));
    }
    serde_json::from_str(frame)
        .map_err(|error| Error::upstream("The model's answer could not be read: it is not JSON.").caused_by(error))
}

/// A failure written into the stream itself. One that is the conversation's and not the server's is an invalid request.
pub(super) fn failed(error: &Value) -> Error {
    let said = error.get("message").unwrap_or(error).as_str().unwrap_or("no reason given");
    let short = clip(said, 300);
    if is_too_long(said) || is_too_long(text(error, "code")) {
        return Error::invalid(format!("The conversation is too long for the model: {short}"));
    }
    Error::upstream(format!("The model failed: {short}"))
}

/// A call whose arguments arrived as text. Text that is no JSON object becomes an error the model reads.
pub(super) fn call(id: String, name: String, arguments: &str) -> ToolCall {
    let id = if id.is_empty() { fresh_id() } else { id };
    let text = if arguments.trim().is_empty() { "{}" } else { arguments };
    if holds_more_values(text, MAX_VALUES) {
        let malformed = Some(format!("The arguments hold more than {MAX_VALUES} values."));
        return ToolCall { id, name, arguments: Value::Object(Map::new()), malformed };
    }
    let (arguments, malformed) = match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => (object, None),
        Ok(_) => (Value::Object(Map::new()), Some(format!("The arguments are not a JSON object: {}", clip(text, 200)))),
        Err(error) => (
            Value::Object(Map::new()),
            Some(format!("The arguments are not valid JSON ({error}): {}", clip(text, 200))),
        ),
    };
    ToolCall { id, name, arguments, malformed }
}

/// An id for dialects that give none.
pub(super) fn fresh_id() -> String {
    format!("call_{}", uuid::Uuid::now_v7().simple())
}

/// Sets a field of an object.
pub(super) fn put(object: &mut Value, key: &str, value: impl Into<Value>) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(key.to_owned(), value.into());
    }
}

/// Sets a field of an object where there is a value for it.
pub(super) fn put_some(object: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        put(object, key, value);
    }
}

/// Tools as two of the dialects take them.
pub(super) fn functions(tools: &[ToolDefinition]) -> Value {
    let function = |tool: &ToolDefinition| {
        let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
        json!({"type": "function", "function": function})
    };
    tools.iter().map(function).collect()
}

/// Most tokens that a frame is believed: sums of them stay numbers.
const MOST_TOKENS: u64 = 1 << 32;

/// A number of tokens somewhere in a frame.
pub(super) fn tokens(usage: &Value, key: &str) -> u64 {
    usage.get(key).and_then(Value::as_u64).unwrap_or(0).min(MOST_TOKENS)
}

/// The text at a key, empty where there is none.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
#[path = "dialect_tests.rs"]
mod tests;
