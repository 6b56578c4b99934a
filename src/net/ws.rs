//! WebSocket (RFC 6455) over a connection somebody else has made: messages out, what comes back collected.

mod inlet;
mod refusal;

use std::{future::poll_fn, task::Poll, time::Duration};

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Version,
    header::{CONNECTION, HOST, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, timeout_at},
};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        self, Message,
        error::ProtocolError,
        handshake::client::generate_key,
        protocol::{CloseFrame, WebSocketConfig},
    },
};
use url::Url;

use self::{
    inlet::Inlet,
    refusal::{no_socket, refused},
};
use super::room::{Growth, Room};
use satchel_model::error::{Error, Kind, Result};

/// Bytes that may wait to be sent beside a message: answers to pings that the server does not take.
const WAITING: usize = 64 << 10;
/// Most pings and the like between two messages.
const MOST_PINGS: usize = 10_000;
/// Most frames of a call: a message may come in any number of them, which may be empty.
const MOST_FRAMES: usize = 100_000;

/// The longest a farewell may take.
const FAREWELL: Duration = Duration::from_millis(500);

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
    /// Room for what comes. While it is waited for, no time runs.
    pub room: Room,
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
    /// Returns its bytes.
    #[expect(clippy::len_without_is_empty, reason = "one may be empty, and nobody asks")]
    pub fn len(&self) -> usize {
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
pub async fn exchange<S>(connection: S, exchange: Exchange) -> Result<Heard>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let deadline = Instant::now() + exchange.patience;
    let config = config(&exchange.messages, exchange.most.1);
    let growth = Growth::new(&exchange.room, exchange.most.1);
    let mut connection = Inlet::new(connection, growth.has(), MOST_FRAMES);
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
    let mut conversation = Conversation { socket, ask: &exchange, deadline, heard, room, growth };
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
    socket: WebSocketStream<&'a mut Inlet<S>>,
    ask: &'a Exchange,
    deadline: Instant,
    heard: Heard,
    room: usize,
    growth: Growth<'a>,
}

/// The next thing on a socket.
enum Next {
    /// A frame, an error, or the end.
    Came(Option<tungstenite::Result<Message>>),
    /// There is no room for it.
    Full,
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
        let mut until = self.deadline.min(Instant::now() + wait);
        let mut pings = 0;
        loop {
            let next = match timeout_at(until, self.next()).await {
                Ok(Next::Came(next)) => next,
                Ok(Next::Full) => {
                    let waited = self.make_room().await?;
                    (self.deadline, until) = (self.deadline + waited, until + waited);
                    continue;
                }
                Err(_) => return Ok(Some(if until == self.deadline { Ended::Timeout } else { Ended::Quiet })),
            };
            let is_first = self.heard.messages.is_empty();
            let piece = match next {
                Some(Err(_)) if self.socket.get_ref().is_flooded() => {
                    return if is_first { Err(too_many_frames(self.ask)) } else { Ok(Some(Ended::Limit)) };
                }
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

    async fn next(&mut self) -> Next {
        let socket = &mut self.socket;
        poll_fn(|cx| match socket.poll_next_unpin(cx) {
            Poll::Ready(next) => Poll::Ready(Next::Came(next)),
            Poll::Pending if socket.get_ref().is_full() => Poll::Ready(Next::Full),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Makes room for more. Returns how long that was waited for, by which all may end later.
    async fn make_room(&mut self) -> Result<Duration> {
        let begun = Instant::now();
        self.growth.reach(self.socket.get_ref().received() + 1).await?;
        // Beyond what messages may have come pings and heads of frames, which are not kept.
        let all = if self.growth.has() < self.ask.most.1 { self.growth.has() } else { usize::MAX };
        self.socket.get_mut().allow(all);
        Ok(begun.elapsed())
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

fn too_many_frames(ask: &Exchange) -> Error {
    let host = ask.url.host_str().unwrap_or_default();
    Error::upstream(format!("'{host}' sent more than {MOST_FRAMES} frames and no message that can be taken."))
}

fn only_pings(ask: &Exchange) -> Error {
    let host = ask.url.host_str().unwrap_or_default();
    Error::upstream(format!("'{host}' sent {MOST_PINGS} pings and no message."))
}

#[cfg(test)]
mod tests;
