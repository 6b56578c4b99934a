//! Reading a body: whatever is wrong with it is said, of JSON with the place, and is never our failure.

pub(super) mod hook;
pub(super) mod kept;
mod numbers;

use std::{future::Future, ops::Deref, pin::Pin, str::FromStr, time::Duration};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    http::{
        StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING},
    },
    web::Data,
};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::json;

use self::numbers::with_whole_numbers;
use super::{caller::identity, error::Refusal, standing::Standing, state::State};
use crate::http::error::HttpError;
use satchel_host::aside;
use satchel_model::{
    error::{Error, Kind, Result},
    figure,
    json::outside_strings,
    user::UserId,
};
use satchel_share::Part;

/// Largest body.
pub(super) const LARGEST: usize = 8 << 20;
/// A larger one is taken when its sender has room for it, and parsed beside the async threads when it is their turn.
const LONG: usize = 64 << 10;
/// Deepest nesting.
const DEEPEST: usize = 64;
/// Most values: parsed, each takes many times its bytes.
const VALUES: usize = 1_000_000;
/// The longest a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of characters of a message from the parser that are shown: it may quote the whole value.
const SHOWN: usize = 300;

/// A JSON body. `T` should `deny_unknown_fields`.
pub(super) struct Body<T>(pub(super) T);

/// A JSON body that may be left out, or null.
pub(super) struct OptionalBody<T>(pub(super) T);

/// A body of any kind, as it came.
pub(super) struct RawBody(pub(super) RoomedBytes);

/// Bytes of a body, with the room they take.
pub(super) struct RoomedBytes {
    bytes: Bytes,
    _room: Option<Part>,
}

impl Deref for RoomedBytes {
    type Target = Bytes;

    fn deref(&self) -> &Bytes {
        &self.bytes
    }
}

type Reading<T> = Pin<Box<dyn Future<Output = std::result::Result<T, actix_web::Error>>>>;

impl<T: DeserializeOwned + Send + 'static> FromRequest for Body<T> {
    type Error = actix_web::Error;
    type Future = Reading<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let Some(bytes) = read_object(&request, payload).await? else {
                return Err(HttpError(Error::invalid("The body is empty: send a JSON object.")).into());
            };
            let parsed = parsed(&request, bytes).await.map_err(HttpError)?;
            Standing::new(&request).ensure().await.map_err(HttpError)?;
            Ok(Self(parsed))
        })
    }
}

impl<T: DeserializeOwned + Default + Send + 'static> FromRequest for OptionalBody<T> {
    type Error = actix_web::Error;
    type Future = Reading<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let Some(bytes) = read_object(&request, payload).await? else {
                return Ok(Self(T::default()));
            };
            let parsed = parsed::<Option<T>>(&request, bytes).await.map_err(HttpError)?;
            Standing::new(&request).ensure().await.map_err(HttpError)?;
            Ok(Self(parsed.unwrap_or_default()))
        })
    }
}

impl FromRequest for RawBody {
    type Error = actix_web::Error;
    type Future = Reading<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let bytes = read(&request, payload).await?;
            Standing::new(&request).ensure().await.map_err(HttpError)?;
            Ok(Self(bytes))
        })
    }
}

/// The bytes of a JSON object; `None` of an empty body.
async fn read_object(
    request: &HttpRequest,
    payload: Payload,
) -> std::result::Result<Option<RoomedBytes>, actix_web::Error> {
    let bytes = read(request, payload).await?;
    if bytes.is_empty() {
        return Ok(None);
    }
    require_json(request)?;
    require_object(&bytes).map_err(HttpError)?;
    Ok(Some(bytes))
}

async fn read(request: &HttpRequest, payload: Payload) -> std::result::Result<RoomedBytes, actix_web::Error> {
    // Nobody who is not known has anything large to say: setting up and signing in.
    let most = if sender(request).is_some() { LARGEST } else { LONG };
    read_at_most(request, payload, most).await
}

async fn read_at_most(
    request: &HttpRequest,
    mut payload: Payload,
    most: usize,
) -> std::result::Result<RoomedBytes, actix_web::Error> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<usize>().ok());
    let sender = sender(request);
    if announced.is_some_and(|length| length > most) {
        return Err(too_large(most).into());
    }
    let is_long = announced.map_or_else(|| is_chunked(request), |length| length > LONG);
    let room = match (request.app_data::<Data<State>>(), sender) {
        (Some(state), Some(sender)) if is_long => {
            let room = state.delivery.body_room(sender, announced.unwrap_or(LARGEST));
            Some(tokio::time::timeout(PATIENCE, room).await.map_err(|_| crowded()).map_err(HttpError)?)
        }
        _ => None,
    };
    let collect = async {
        let mut bytes = BytesMut::with_capacity(announced.unwrap_or(0).min(64 << 10));
        while let Some(chunk) = payload.next().await {
            let chunk =
                chunk.map_err(|e| Error::invalid(format!("The body did not arrive whole: {e}."))).map_err(HttpError)?;
            if bytes.len() + chunk.len() > most {
                return Err(too_large(most).into());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.freeze())
    };
    match tokio::time::timeout(PATIENCE, collect).await {
        Ok(read) => read.map(|bytes| RoomedBytes { bytes, _room: room }),
        Err(_) => {
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, Error::invalid("The body took too long to arrive.")).into())
        }
    }
}

/// Returns whether a body comes whose length is not announced (RFC 9112, 6.3).
fn is_chunked(request: &HttpRequest) -> bool {
    request.headers().contains_key(TRANSFER_ENCODING)
}

/// The person who sends a request; `None` if nobody is known.
fn sender(request: &HttpRequest) -> Option<UserId> {
    identity(request).ok().map(|identity| identity.caller.user)
}

fn crowded() -> Error {
    Error::new(Kind::Busy, "Too many large bodies are sent at once: this one was not taken. Send it again.")
}

fn too_large(most: usize) -> Refusal {
    let message = format!("The body is larger than {}.", figure::bytes(most as u64));
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, Error::invalid(message))
}

/// A form another site could send without asking is never taken for JSON.
pub(super) fn require_json(request: &HttpRequest) -> std::result::Result<(), Refusal> {
    let given = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    let message = "The body must be JSON, with the header Content-Type: application/json.";
    Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, Error::invalid(message)))
}

/// A list would be taken for the fields of an object, in the order in which we happen to declare them.
fn require_object(bytes: &[u8]) -> Result<()> {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(bytes.len());
    match bytes.get(start) {
        Some(b'[') => {
            Err(wrong("an object is expected, not a list", None, place(bytes.get(..start).unwrap_or_default())))
        }
        _ => Ok(()),
    }
}

/// Parses JSON where nobody waits for it but its sender.
pub(super) async fn parsed<T: DeserializeOwned + Send + 'static>(
    request: &HttpRequest,
    bytes: RoomedBytes,
) -> Result<T> {
    let state = request.app_data::<Data<State>>().filter(|_| bytes.len() > LONG);
    let Some(state) = state else { return parse(&bytes) };
    let turn = state.delivery.turn(sender(request)).await;
    let parsed = aside::run(move || {
        let parsed = parse(&bytes);
        drop(turn);
        parsed
    });
    parsed.await?.unwrap_or_else(|| Err(Error::internal("a body could not be parsed")))
}

/// Parses JSON; the error says what is wrong and where.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        wrong(&format!("byte {} is not UTF-8", at + 1), None, place(bytes.get(..at).unwrap_or_default()))
    })?;
    if let Some((at, what)) = too_much(text) {
        return Err(wrong(&what, None, place(bytes.get(..at).unwrap_or_default())));
    }
    read_as(text).or_else(|wrong| {
        // To JSON Schema 39.0 is a whole number, to a parser of whole numbers it is not.
        let whole = with_whole_numbers(text).ok_or_else(|| wrong.clone())?;
        read_as(&whole).map_err(|_| wrong)
    })
}

fn read_as<T: DeserializeOwned>(text: &str) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let field = error.path().to_string();
        describe(error.inner(), (field != ".").then_some(field))
    })?;
    reader.end().map_err(|error| describe(&error, None))?;
    Ok(value)
}

fn describe(error: &serde_json::Error, field: Option<String>) -> Error {
    let whole = error.to_string();
    let what = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(what, _)| what).trim_end_matches('.');
    wrong(what, field, (error.line(), error.column()))
}

fn wrong(what: &str, field: Option<String>, (line, column): (usize, usize)) -> Error {
    let reason: String = what.chars().take(SHOWN).collect();
    let field = field.map(|field| field.chars().take(SHOWN).collect::<String>());
    let what = field.as_ref().map_or_else(|| reason.clone(), |field| format!("`{field}`: {reason}"));
    let (place, mut details) = match line {
        0 => (String::new(), json!({})),
        _ => (format!(" (line {line}, column {column})"), json!({"line": line, "column": column})),
    };
    if let (Some(field), Some(details)) = (field, details.as_object_mut()) {
        // For a form, which has fields and no lines: which one, and what is wrong with it.
        details.extend([("field".to_owned(), field.into()), ("reason".to_owned(), reason.into())]);
    }
    Error::invalid(format!("The body is wrong: {what}{place}.")).with_details(details)
}

/// Line and column after `before`, counted from 1 as serde_json counts.
fn place(before: &[u8]) -> (usize, usize) {
    let line = before.iter().filter(|byte| **byte == b'\n').count();
    let last = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    (line + 1, before.len() - last + 1)
}

/// The place at which a body holds more than is read, and what.
fn too_much(text: &str) -> Option<(usize, String)> {
    let (mut depth, mut values) = (0_usize, 0_usize);
    for (at, byte) in outside_strings(text) {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                values += 1;
                if depth > DEEPEST {
                    return Some((at, format!("it is nested deeper than {DEEPEST} levels")));
                }
            }
            b',' => values += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if values > VALUES {
            return Some((at, format!("it holds more than {VALUES} values")));
        }
    }
    None
}

/// A path segment that holds an id: what cannot be one names nothing.
pub(super) fn id<T: FromStr<Err = Error>>(text: &str) -> Result<T> {
    text.parse()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Order {
        #[expect(dead_code, reason = "only parsed")]
        items: Vec<Item>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Item {
        #[expect(dead_code, reason = "only parsed")]
        count: u8,
    }

    fn refused(text: impl AsRef<[u8]>) -> (String, Value) {
        let error = parse::<Order>(text.as_ref()).unwrap_err();
        (error.message().to_owned(), error.details().cloned().unwrap())
    }

    #[test]
    fn the_field_and_the_place_are_named() {
        let (message, details) = refused("{\"items\": [{\"count\": 1},\n {\"count\": \"x\"}]}");
        assert_eq!(
            message,
            "The body is wrong: `items[1].count`: invalid type: string \"x\", expected u8 (line 2, column 14)."
        );
        let reason = "invalid type: string \"x\", expected u8";
        assert_eq!(details, json!({"line": 2, "column": 14, "field": "items[1].count", "reason": reason}));
        assert!(refused("{\"items\": [], \"x\": 1}").0.contains("unknown field `x`, expected `items`"));
        assert!(refused("{}").0.contains("missing field `items`"));
        assert!(refused("{\"items\": []} x").0.contains("trailing characters"));
        assert!(refused("{\"items\": [").0.contains("EOF"));
        assert!(refused("[1]").0.starts_with("The body is wrong"));
    }

    #[test]
    fn a_whole_number_may_be_written_with_a_fraction_or_an_exponent() {
        let read = |text: &str| parse::<Order>(text.as_bytes()).is_ok();
        assert!(read("{\"items\": [{\"count\": 39.0}, {\"count\": 1e2}, {\"count\":7}]}"));
        assert!(!read("{\"items\": [{\"count\": 39.5}]}"));
        assert!(!read("{\"items\": [{\"count\": 3900.0}]}"));
        assert_eq!(refused("{\"items\": [{\"count\": 39.5}]}").1["column"], 25);
    }

    #[test]
    fn what_is_not_utf8_is_said_with_its_byte() {
        let (message, details) = refused(b"{\n\"a\xff\": 1}");
        assert_eq!(message, "The body is wrong: byte 5 is not UTF-8 (line 2, column 3).");
        assert_eq!(details, json!({"line": 2, "column": 3}));
    }

    #[test]
    fn depth_is_limited_and_brackets_in_strings_do_not_count() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse::<Value>(nested(64).as_bytes()).is_ok());
        assert!(refused(nested(65)).0.contains("deeper than 64 levels (line 1, column 65)"));
        assert!(refused("[".repeat(1 << 20)).0.contains("deeper than 64"));
        let zeros = format!("{{\"items\": [{}0]}}", "0,".repeat(VALUES));
        assert!(refused(zeros).0.contains("more than 1000000 values"));
        let text = format!("{{\"items\": \"{}\\\"{}\"}}", "[".repeat(100), "{".repeat(100));
        assert!(refused(text).0.contains("invalid type: string"));
    }

    #[test]
    fn a_huge_value_is_not_quoted_back() {
        let (message, _) = refused(format!("{{\"items\": \"{}\"}}", "x".repeat(1 << 20)));
        assert!(message.len() < 500, "{}", message.len());
    }
}
