//! A way to call methods of a server: native gRPC over HTTP/2, or gRPC-Web over any HTTP.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use tokio::io::{AsyncRead, AsyncWrite};
use url::Url;

use super::{
    frames::{Encoding, Frame, Frames},
    native::Channel,
    status::{OK, Status, TRAILERS, UNAVAILABLE, UNKNOWN},
    web::Web,
};
use crate::{
    http::Http,
    room::{Growth, Room},
};
use satchel_model::error::{Error, Kind, Result};

/// A call: the messages go out at once, what comes back is collected.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Fully qualified, `package.Service`.
    pub service: String,
    /// The method's name.
    pub method: String,
    /// The messages to send, encoded.
    pub messages: Vec<Bytes>,
    /// The longest the whole call may take. A stream that has begun by then is cut.
    pub patience: Duration,
    /// Most messages taken, and most bytes of each and of all together.
    pub most: (usize, usize),
}

/// The answer.
#[derive(Debug)]
pub struct Reply {
    /// The messages, encoded.
    pub messages: Vec<Bytes>,
    /// The outcome.
    pub status: Status,
    /// `true` if more was coming when the limits were reached.
    pub more: bool,
}

/// A way to call.
#[derive(Debug)]
pub enum Line {
    /// HTTP/2 with trailers.
    Native(Channel),
    /// gRPC-Web: trailers in the body.
    Web(Web),
}

impl Line {
    /// Speaks HTTP/2 over a connection that stands. `headers` go with every call.
    pub async fn native<S>(connection: S, base: Url, headers: HeaderMap) -> Result<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        Ok(Self::Native(Channel::open(connection, base, headers).await?))
    }

    /// The same, with room that is taken for what comes back.
    #[must_use]
    pub fn within(mut self, room: Room) -> Self {
        match &mut self {
            Self::Native(channel) => channel.room = room,
            Self::Web(web) => web.room = room,
        }
        self
    }

    /// Speaks gRPC-Web through the guarded client.
    pub fn web(http: Http, base: Url, headers: HeaderMap) -> Self {
        Self::Web(Web { http, base, headers, room: Room::unbounded() })
    }

    /// Calls.
    ///
    /// # Errors
    ///
    /// If no gRPC comes back; a status other than OK is no failure here.
    pub async fn call(&self, ask: Ask) -> Result<Reply> {
        match self {
            Self::Native(channel) => channel.call(ask).await,
            Self::Web(web) => web.call(ask).await,
        }
    }
}

/// Returns the address a method is called at: below the path of `base`.
pub(super) fn address(base: &Url, ask: &Ask) -> Result<Url> {
    let name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c));
    if !name(&ask.service) || !name(&ask.method) {
        return Err(Error::invalid(
            "A gRPC service is named like 'package.Service' and a method like 'GetUser': letters, digits, '_' and dots.",
        ));
    }
    let mut url = base.clone();
    url.set_path(&format!("{}/{}/{}", base.path().trim_end_matches('/'), ask.service, ask.method));
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

/// Most pieces of a body in a row that are empty.
const MOST_EMPTY: usize = 1_000;

/// A reply being put together from the pieces of a body.
#[derive(Debug)]
pub(super) struct Collected<'a> {
    frames: Frames,
    left: (usize, usize),
    messages: Vec<Bytes>,
    more: bool,
    /// Room for it, and bytes that have come or may come of what did.
    growth: Growth<'a>,
    grown: usize,
    /// Pieces in a row that brought nothing.
    empty: usize,
}

impl<'a> Collected<'a> {
    /// An empty one, of an answer with this head.
    pub(super) fn new(ask: &Ask, headers: &HeaderMap, room: &'a Room) -> Self {
        Self {
            frames: Frames::new(ask.most.1, Encoding::from_headers(headers)),
            left: ask.most,
            messages: Vec::new(),
            more: false,
            growth: Growth::new(room, ask.most.1),
            grown: 0,
            empty: 0,
        }
    }

    /// Takes a piece, once there is room for it. Gives the trailers of gRPC-Web once they are there, and whether to go on.
    pub(super) async fn take(&mut self, piece: &[u8]) -> Result<(Option<HeaderMap>, bool)> {
        self.empty = if piece.is_empty() { self.empty + 1 } else { 0 };
        if self.empty > MOST_EMPTY {
            return Err(Error::upstream(format!("The answer has {MOST_EMPTY} pieces in a row that are empty.")));
        }
        self.grow(piece.len()).await?;
        self.frames.feed(piece);
        while let Some(whole) = self.frames.whole()? {
            self.grow(whole.unpacked_at_most.saturating_sub(whole.length)).await?;
            match self.frames.unpack(whole)? {
                Frame::Trailers(lines) => return Ok((Some(trailers(&lines)), false)),
                Frame::Message(message) => {
                    if self.left.0 == 0 || message.len() > self.left.1 {
                        self.more = true;
                        return Ok((None, false));
                    }
                    self.left = (self.left.0 - 1, self.left.1 - message.len());
                    self.messages.push(message);
                }
            }
        }
        Ok((None, true))
    }

    async fn grow(&mut self, bytes: usize) -> Result<()> {
        self.grown = self.grown.saturating_add(bytes);
        self.growth.reach(self.grown).await
    }

    /// Returns whether a message has come.
    pub(super) fn has_begun(&self) -> bool {
        !self.messages.is_empty()
    }

    /// The connection broke after messages had come: they are kept.
    pub(super) fn broken(self) -> Reply {
        self.done(Some(Status::new(UNAVAILABLE, "the connection broke before the answer had ended")))
    }

    /// There was more, which is not waited for.
    pub(super) fn cut(mut self) -> Reply {
        self.more = true;
        self.done(None)
    }

    /// The reply, with the status the trailers held. Without one a call has not ended as gRPC does.
    pub(super) fn done(self, status: Option<Status>) -> Reply {
        let status = match status {
            Some(status) => status,
            None if self.more => Status::new(OK, ""),
            None => Status::new(UNKNOWN, "the answer ended without saying how the call went"),
        };
        Reply { messages: self.messages, status, more: self.more }
    }
}

/// Returns those of the trailers of gRPC-Web that say how a call ended; of several of a name the first.
fn trailers(lines: &[u8]) -> HeaderMap {
    let text = String::from_utf8_lossy(lines);
    let mut told = HeaderMap::new();
    for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
        let name = TRAILERS.iter().find(|known| known.eq_ignore_ascii_case(name.trim()));
        if let Some((name, value)) = name.zip(HeaderValue::from_str(value.trim()).ok()) {
            told.entry(*name).or_insert(value);
        }
    }
    told
}

/// Returns how a call ended whose answer is its head alone; `None` if messages follow. A page of a web server, a
/// sign-in or an error of a proxy has the status HTTP's stands for.
///
/// # Errors
///
/// If the answer is no gRPC at all.
pub(super) fn ended_at_once(url: &Url, status: http::StatusCode, headers: &HeaderMap) -> Result<Option<Status>> {
    if let Some(told) = Status::from_headers(headers) {
        return Ok(Some(told));
    }
    if status != http::StatusCode::OK {
        return Ok(Some(Status::of_http(status)));
    }
    let kind = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("application/grpc") {
        let host = url.host_str().unwrap_or_default();
        return Err(Error::upstream(format!("'{host}' answered with something else than gRPC.")));
    }
    Ok(None)
}

pub(super) fn too_slow(url: &Url, patience: Duration) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::new(Kind::Timeout, format!("'{host}' did not answer within {} s.", patience.as_secs_f32()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers_of_any_number_are_read() {
        let lines: String = (0..40_000).map(|number| format!("x-{number}: 1\r\n")).collect();
        let told = trailers(format!("{lines}Grpc-Status: 5\r\ngrpc-status: 0\r\ngrpc-message: gone\r\n").as_bytes());
        assert_eq!(told.len(), 2);
        assert_eq!(Status::from_headers(&told), Some(Status::new(5, "gone")));
    }
}
