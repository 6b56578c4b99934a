//! WebSocket (RFC 6455) over a connection somebody else has made: messages out, what comes back collected.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Version,
    header::{CONNECTION, CONTENT_LENGTH, HOST, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, TRANSFER_ENCODING, UPGRADE},
};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    time::{Instant, timeout_at},
};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        self, Message,
        error::{ProtocolError, SubProtocolError},
        handshake::client::generate_key,
        protocol::{CloseFrame, WebSocketConfig},
    },
};
use url::Url;

use satchel_model::error::{Error, Kind, Result};

/// Bytes that may wait to be sent beside a message: answers to pings that the server does not take.
const WAITING: usize = 64 << 10;
/// Most pings and the like between two messages.
const MOST_PINGS: usize = 10_000;

/// The longest a farewell may take.
const FAREWELL: Duration = Duration::from_millis(500);

/// The time for which the rest of a refusal's words is waited for, and the number of bytes of them that are read.
const REFUSAL: Duration = Duration::from_secs(1);
const MOST_WORDS: u64 = 16 << 10;
/// Characters of a refusal that are told.
const TOLD: usize = 1_500;

/// Messages, and how long answers are waited for.
#[derive(Debug)]
pub struct Exchange {
    /// The address: `ws`, `wss`, `http` and `https` mean the same here, the connection stands already.
    pub url: Url,
    /// Headers of the upgrade beside its own; `Sec-WebSocket-Protocol` offers subprotocols.
    pub headers: HeaderMap,
    /// The messages to send, in this order. Each but the first waits for something to come after the one before it.
    pub messages: Vec<String>,
    /// The longest that may be waited for: then the next is sent all the same.
    pub answer: Duration,
    /// The longest all may take. Something must have come by then.
    pub patience: Duration,
    /// Once something has come after the last message, how long until it counts as the last.
    pub quiet: Duration,
    /// Most messages taken, and most bytes of all together.
    pub most: (usize, usize),
}

/// The reason listening ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ended {
    /// The server closed: there is no more.
    Closed,
    /// Nothing came for a while: there may be more.
    #[default]
    Quiet,
    /// The time was over while messages came.
    Timeout,
    /// There was more than is taken.
    Limit,
}

/// The answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// The subprotocol the server chose.
    pub protocol: Option<String>,
    /// The messages in their order.
    pub messages: Vec<Piece>,
    /// Code and reason, where the server closed; code 1005 where it gave none, 1006 where the connection just ended.
    pub closed: Option<(u16, String)>,
    /// The reason there are no more of them.
    pub ended: Ended,
}

/// A message.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// Bytes.
    Binary(Bytes),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }
}

/// Upgrades the connection, sends, listens until the server closes, falls quiet or has said enough, and says goodbye.
///
/// # Errors
///
/// If the upgrade is refused, or nothing comes in time.
pub async fn exchange<S>(mut connection: S, exchange: Exchange) -> Result<Heard>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let deadline = Instant::now() + exchange.patience;
    let config = config(&exchange.messages, exchange.most.1);
    let upgrade = client_async_with_config(request(&exchange)?, &mut connection, Some(config));
    let upgraded = timeout_at(deadline, Box::pin(upgrade)).await.map_err(|_| too_slow(&exchange))?;
    let (socket, answer) = match upgraded {
        Ok(upgraded) => upgraded,
        Err(tungstenite::Error::Http(answer)) => return Err(refused(&exchange.url, *answer, &mut connection).await),
        Err(error) => return Err(no_socket(&exchange.url, error)),
    };
    let chosen = answer.headers().get("sec-websocket-protocol").and_then(|value| value.to_str().ok());
    let heard = Heard { protocol: chosen.map(str::to_owned), ..Heard::default() };
    let room = exchange.most.1;
    let mut conversation = Conversation { socket, ask: &exchange, deadline, heard, room };
    let ended = conversation.hold().await?;
    if ended == Ended::Timeout && conversation.heard.messages.is_empty() {
        return Err(too_slow(&exchange));
    }
    if ended != Ended::Closed {
        // A server that does not answer the farewell is left all the same.
        let _ = tokio::time::timeout(FAREWELL, conversation.socket.close(None)).await;
    }
    Ok(Heard { ended, ..conversation.heard })
}

/// A socket that takes messages of so many bytes, and keeps no more than one of these until the server takes it.
fn config(messages: &[String], most: usize) -> WebSocketConfig {
    let longest = messages.iter().map(String::len).max().unwrap_or_default();
    WebSocketConfig::default()
        .max_message_size(Some(most))
        .max_frame_size(Some(most))
        .write_buffer_size(0)
        .max_write_buffer_size(longest + WAITING)
}

/// An open socket, and what was heard so far.
struct Conversation<'a, S> {
    socket: WebSocketStream<S>,
    ask: &'a Exchange,
    deadline: Instant,
    heard: Heard,
    room: usize,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Conversation<'_, S> {
    /// Sends every message and listens.
    async fn hold(&mut self) -> Result<Ended> {
        for (number, message) in self.ask.messages.iter().enumerate() {
            if number > 0 {
                match self.hear(self.ask.answer).await? {
                    None | Some(Ended::Quiet) => {}
                    Some(ended) => return Ok(ended),
                }
            }
            if let Some(ended) = self.say(message).await? {
                return Ok(ended);
            }
        }
        let mut wait = self.ask.patience;
        loop {
            if let Some(ended) = self.hear(wait).await? {
                return Ok(ended);
            }
            wait = self.ask.quiet;
        }
    }

    /// Sends. A server that has closed meanwhile may have said why.
    async fn say(&mut self, message: &str) -> Result<Option<Ended>> {
        let sending = self.socket.send(Message::text(message));
        let error = match timeout_at(self.deadline, sending).await {
            Err(_) => return Err(too_slow(self.ask)),
            Ok(Ok(())) => return Ok(None),
            Ok(Err(error)) => error,
        };
        match self.hear(FAREWELL).await {
            Ok(Some(Ended::Closed)) => Ok(Some(Ended::Closed)),
            _ => Err(broken(&self.ask.url, error)),
        }
    }

    /// Takes the next message, or says why there is none.
    async fn hear(&mut self, wait: Duration) -> Result<Option<Ended>> {
        let until = self.deadline.min(Instant::now() + wait);
        let mut pings = 0;
        loop {
            let Ok(next) = timeout_at(until, self.socket.next()).await else {
                return Ok(Some(if until == self.deadline { Ended::Timeout } else { Ended::Quiet }));
            };
            let is_first = self.heard.messages.is_empty();
            let piece = match next {
                Some(Ok(Message::Text(text))) => Piece::Text(text.as_str().to_owned()),
                Some(Ok(Message::Binary(bytes))) => Piece::Binary(bytes),
                Some(Ok(Message::Close(frame))) => return Ok(self.closed(closing(frame))),
                Some(Ok(_)) if pings < MOST_PINGS => {
                    pings += 1;
                    continue;
                }
                Some(Ok(_)) if is_first => return Err(only_pings(self.ask)),
                Some(Ok(_)) => return Ok(Some(Ended::Limit)),
                Some(Err(tungstenite::Error::Capacity(_))) if is_first => return Err(too_long(self.ask)),
                Some(Err(tungstenite::Error::Capacity(_))) => return Ok(Some(Ended::Limit)),
                Some(Err(error)) if is_first && !is_end(&error) => return Err(broken(&self.ask.url, error)),
                Some(Err(_)) | None => return Ok(self.closed((1006, String::new()))),
            };
            if self.heard.messages.len() == self.ask.most.0 || piece.len() > self.room {
                return Ok(Some(Ended::Limit));
            }
            self.room -= piece.len();
            self.heard.messages.push(piece);
            return Ok(None);
        }
    }

    fn closed(&mut self, why: (u16, String)) -> Option<Ended> {
        self.heard.closed = Some(why);
        Some(Ended::Closed)
    }
}

fn closing(frame: Option<CloseFrame>) -> (u16, String) {
    frame.map_or((1005, String::new()), |frame| (frame.code.into(), frame.reason.as_str().to_owned()))
}

fn is_end(error: &tungstenite::Error) -> bool {
    matches!(
        error,
        tungstenite::Error::ConnectionClosed
            | tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)
    )
}

fn request(exchange: &Exchange) -> Result<Request<()>> {
    let secure = matches!(exchange.url.scheme(), "https" | "wss");
    let host = exchange.url.host_str().unwrap_or_default();
    let place = exchange.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let query = exchange.url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let scheme = if secure { "wss" } else { "ws" };
    let mut request = Request::builder()
        .method("GET")
        .version(Version::HTTP_11)
        .uri(format!("{scheme}://{place}{}{query}", exchange.url.path()))
        .body(())
        .map_err(|error| Error::invalid("The address cannot be asked for.").caused_by(error))?;
    let headers = request.headers_mut();
    headers.extend(exchange.headers.iter().map(|(name, value)| (name.clone(), value.clone())));
    let own: [(HeaderName, &str); 5] = [
        (HOST, &place),
        (CONNECTION, "Upgrade"),
        (UPGRADE, "websocket"),
        (SEC_WEBSOCKET_VERSION, "13"),
        (SEC_WEBSOCKET_KEY, &generate_key()),
    ];
    for (name, value) in own {
        headers.insert(name, HeaderValue::from_str(value).map_err(Error::internal)?);
    }
    Ok(request)
}

/// An upgrade that was answered as an ordinary request, with the server's words.
async fn refused(url: &Url, answer: http::Response<Option<Vec<u8>>>, rest: &mut (impl AsyncRead + Unpin)) -> Error {
    let (host, status) = (url.host_str().unwrap_or_default(), answer.status().as_u16());
    let (head, body) = answer.into_parts();
    let words = words(&head.headers, body.unwrap_or_default(), rest).await;
    let told: String = words.trim().chars().take(TOLD).collect();
    let says = if told.is_empty() { ".".to_owned() } else { format!(": {told}") };
    let kind = match status {
        400 | 405 | 406 | 411 | 413..=416 | 422 => Kind::Invalid,
        401 | 403 => Kind::Unconfigured,
        404 | 410 => Kind::NotFound,
        409 | 412 => Kind::Conflict,
        429 => Kind::Exhausted,
        _ => Kind::Upstream,
    };
    let advice = match status {
        401 => " (its credential was refused: an administrator enters it anew in the console, under Catalog)",
        403 => " (its credential may not do this: an administrator looks at it in the console, under Catalog)",
        _ => "",
    };
    let message = format!("'{host}' answered the upgrade to WebSocket with status {status}, not 101{advice}{says}");
    Error::new(kind, message).with_details(json!({"status": status, "body": told})).as_answer()
}

/// The body of a refusal: what came with its head, and the rest of it where that is there soon.
async fn words(headers: &HeaderMap, begun: Vec<u8>, rest: &mut (impl AsyncRead + Unpin)) -> String {
    let header = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let length = header(CONTENT_LENGTH).and_then(|length| length.trim().parse().ok()).unwrap_or(MOST_WORDS);
    let mut body = begun;
    let left = length.min(MOST_WORDS).saturating_sub(body.len() as u64);
    // A connection that stays open without a length just takes the time.
    let _ = tokio::time::timeout(REFUSAL, rest.take(left).read_to_end(&mut body)).await;
    let is_chunked = header(TRANSFER_ENCODING).is_some_and(|how| how.to_ascii_lowercase().contains("chunked"));
    let body = if is_chunked { unchunked(&body) } else { body };
    String::from_utf8_lossy(&body).into_owned()
}

/// Returns the contents of a chunked body (RFC 9112, 7.1), as far as it has come.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|pair| pair == b"\r\n") {
        let (line, after) = (body.get(..end).unwrap_or_default(), body.get(end + 2..).unwrap_or_default());
        let size = std::str::from_utf8(line).unwrap_or_default();
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        whole.extend_from_slice(after.get(..size).unwrap_or(after));
        body = after.get(size.saturating_add(2)..).unwrap_or_default();
    }
    whole
}

/// Returns why an upgrade failed without an answer to it, in words.
fn no_socket(url: &Url, error: tungstenite::Error) -> Error {
    let host = url.host_str().unwrap_or_default();
    let message = match &error {
        tungstenite::Error::Protocol(ProtocolError::SecWebSocketSubProtocolError(problem)) => match problem {
            SubProtocolError::NoSubProtocol => {
                format!("'{host}' speaks none of the subprotocols in Sec-WebSocket-Protocol.")
            }
            _ => format!("'{host}' chose a subprotocol that was not offered."),
        },
        tungstenite::Error::Protocol(_) => format!("'{host}' does not speak WebSocket at this path."),
        _ => format!("The connection to '{host}' broke before it was a WebSocket."),
    };
    Error::upstream(message).caused_by(error.to_string())
}

fn broken(url: &Url, error: tungstenite::Error) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::upstream(format!("The WebSocket to '{host}' broke.")).caused_by(error.to_string())
}

fn too_slow(ask: &Exchange) -> Error {
    let host = ask.url.host_str().unwrap_or_default();
    Error::new(Kind::Timeout, format!("'{host}' sent no message within {} s.", ask.patience.as_secs_f32()))
}

fn too_long(ask: &Exchange) -> Error {
    let host = ask.url.host_str().unwrap_or_default();
    Error::upstream(format!("'{host}' sent a message of more than {} bytes, which is not taken.", ask.most.1))
}

fn only_pings(ask: &Exchange) -> Error {
    let host = ask.url.host_str().unwrap_or_default();
    Error::upstream(format!("'{host}' sent {MOST_PINGS} pings and no message."))
}

#[cfg(test)]
mod tests;
