//! WebSocket (RFC 6455) over a connection somebody else has made: one message out, what comes back collected.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Version,
    header::{CONNECTION, HOST, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE},
};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncWrite},
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

use crate::model::error::{Error, Kind, Result};

/// How long a farewell may take.
const FAREWELL: Duration = Duration::from_millis(500);

/// One message, and how long its answer is waited for.
#[derive(Debug)]
pub struct Exchange {
    /// Where to: `ws`, `wss`, `http` and `https` mean the same here, the connection stands already.
    pub url: Url,
    /// Headers of the upgrade beside its own; `Sec-WebSocket-Protocol` offers subprotocols.
    pub headers: HeaderMap,
    /// What is sent once the connection is open.
    pub message: String,
    /// How long until the first answer.
    pub patience: Duration,
    /// After an answer, how long until it counts as the last.
    pub quiet: Duration,
    /// Most messages taken, and most bytes of all together.
    pub most: (usize, usize),
}

/// What came back.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// The subprotocol the server chose.
    pub protocol: Option<String>,
    /// The messages in their order.
    pub messages: Vec<Piece>,
    /// Code and reason, where the server closed; code 1005 where it gave none, 1006 where the connection just ended.
    pub closed: Option<(u16, String)>,
    /// Whether more was coming when the limits were reached.
    pub more: bool,
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
/// Fails where the upgrade is refused and where nothing comes in time.
pub async fn exchange<S>(connection: S, exchange: Exchange) -> Result<Heard>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let deadline = Instant::now() + exchange.patience;
    let slow = || too_slow(&exchange.url, exchange.patience);
    let config = WebSocketConfig::default()
        .max_message_size(Some(exchange.most.1))
        .max_frame_size(Some(exchange.most.1))
        .write_buffer_size(0);
    let upgrade = client_async_with_config(request(&exchange)?, connection, Some(config));
    let (mut socket, answer) = timeout_at(deadline, Box::pin(upgrade))
        .await
        .map_err(|_| slow())?
        .map_err(|error| refused(&exchange.url, error))?;
    let chosen = answer.headers().get("sec-websocket-protocol").and_then(|value| value.to_str().ok());
    let mut heard = Heard { protocol: chosen.map(str::to_owned), ..Heard::default() };
    let sending = socket.send(Message::text(exchange.message.clone()));
    timeout_at(deadline, sending).await.map_err(|_| slow())?.map_err(|error| broken(&exchange.url, error))?;
    listen(&mut socket, &exchange, deadline, &mut heard).await?;
    if heard.closed.is_none() {
        // A server that does not answer the farewell is left all the same.
        let _ = tokio::time::timeout(FAREWELL, socket.close(None)).await;
    }
    Ok(heard)
}

async fn listen<S>(socket: &mut WebSocketStream<S>, ask: &Exchange, deadline: Instant, heard: &mut Heard) -> Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (most_messages, mut room) = ask.most;
    let mut until = deadline;
    loop {
        let Ok(next) = timeout_at(until, socket.next()).await else {
            return if heard.messages.is_empty() { Err(too_slow(&ask.url, ask.patience)) } else { Ok(()) };
        };
        let piece = match next {
            Some(Ok(Message::Text(text))) => Piece::Text(text.as_str().to_owned()),
            Some(Ok(Message::Binary(bytes))) => Piece::Binary(bytes),
            Some(Ok(Message::Close(frame))) => {
                heard.closed = Some(closing(frame));
                return Ok(());
            }
            Some(Ok(_)) => continue,
            Some(Err(tungstenite::Error::Capacity(_))) => {
                heard.more = true;
                return if heard.messages.is_empty() { Err(too_long(&ask.url, ask.most.1)) } else { Ok(()) };
            }
            Some(Err(error)) if heard.messages.is_empty() && !is_end(&error) => return Err(broken(&ask.url, error)),
            Some(Err(_)) | None => {
                heard.closed = Some((1006, String::new()));
                return Ok(());
            }
        };
        if heard.messages.len() == most_messages || piece.len() > room {
            heard.more = true;
            return Ok(());
        }
        room -= piece.len();
        heard.messages.push(piece);
        until = deadline.min(Instant::now() + ask.quiet);
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

/// Why an upgrade failed, in words.
fn refused(url: &Url, error: tungstenite::Error) -> Error {
    let host = url.host_str().unwrap_or_default();
    let message = match &error {
        tungstenite::Error::Http(answer) => {
            let status = answer.status().as_u16();
            let message = format!("'{host}' answered the upgrade to WebSocket with status {status}, not 101.");
            return Error::upstream(message).with_details(json!({"status": status})).caused_by(described(error));
        }
        tungstenite::Error::Protocol(ProtocolError::SecWebSocketSubProtocolError(problem)) => match problem {
            SubProtocolError::NoSubProtocol => {
                format!("'{host}' speaks none of the subprotocols in Sec-WebSocket-Protocol.")
            }
            _ => format!("'{host}' chose a subprotocol that was not offered."),
        },
        tungstenite::Error::Protocol(_) => format!("'{host}' does not speak WebSocket at this path."),
        _ => format!("The connection to '{host}' broke before it was a WebSocket."),
    };
    Error::upstream(message).caused_by(described(error))
}

fn broken(url: &Url, error: tungstenite::Error) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::upstream(format!("The WebSocket to '{host}' broke.")).caused_by(described(error))
}

/// What the log may say: an error can carry the whole answer of a refused upgrade.
fn described(error: tungstenite::Error) -> String {
    match error {
        tungstenite::Error::Http(answer) => format!("status {}", answer.status()),
        other => other.to_string(),
    }
}

fn too_slow(url: &Url, patience: Duration) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::new(Kind::Timeout, format!("'{host}' sent no message within {} s.", patience.as_secs_f32()))
}

fn too_long(url: &Url, most: usize) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::upstream(format!("'{host}' sent a message of more than {most} bytes, which is not taken."))
}
