//! gRPC over HTTP/2, on a connection somebody else has made.

use std::time::Duration;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, Version,
    header::{CONTENT_TYPE, TE, USER_AGENT},
};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http2, rt::Executor};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, timeout_at},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use super::{
    frames,
    line::{Ask, Collected, Reply, address, ended_at_once, too_slow},
    status::Status,
};
use crate::room::Room;
use satchel_model::error::{Error, Result};

/// The time by which the server gives a call up later than we do. A server that is first ends a stream with an error,
/// and what it had sent until then would be lost; one that is later hears of our end by the stream's reset.
const GRACE: Duration = Duration::from_secs(1);

/// Bytes of an answer that a server may send ahead of what has been taken.
const WINDOW: u32 = 256 << 10;

/// An HTTP/2 connection. It is closed when this is dropped, whatever the server holds up.
#[derive(Debug)]
pub struct Channel {
    sender: http2::SendRequest<Full<Bytes>>,
    _end: DropGuard,
    base: Url,
    headers: HeaderMap,
    pub(super) room: Room,
}

/// Runs what drives a connection until its end.
#[derive(Clone)]
struct Driver(CancellationToken);

impl<F> Executor<F> for Driver
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, task: F) {
        tokio::spawn(self.0.clone().run_until_cancelled_owned(task));
    }
}

impl Channel {
    pub(super) async fn open<S>(connection: S, base: Url, headers: HeaderMap) -> Result<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let end = CancellationToken::new();
        let (driver, end) = (Driver(end.clone()), end.drop_guard());
        let shaken = http2::Builder::new(driver.clone())
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .handshake(TokioIo::new(connection))
            .await;
        let (sender, requests) = shaken.map_err(|error| broken(&base, error))?;
        driver.execute(requests);
        Ok(Self { sender, _end: end, base, headers, room: Room::unbounded() })
    }

    pub(super) async fn call(&self, ask: Ask) -> Result<Reply> {
        let deadline = Instant::now() + ask.patience;
        let url = address(&self.base, &ask)?;
        let slow = || too_slow(&url, ask.patience);
        let request = request(&url, &ask, &self.headers)
            .map_err(|error| Error::invalid("The call cannot be put into a request.").caused_by(error))?;
        let mut sender = self.sender.clone();
        let asking = async {
            sender.ready().await?;
            sender.send_request(request).await
        };
        let answer = timeout_at(deadline, asking).await.map_err(|_| slow())?.map_err(|error| broken(&url, error))?;
        if let Some(status) = ended_at_once(&url, answer.status(), answer.headers())? {
            return Ok(Collected::new(&ask, answer.headers(), &self.room).done(Some(status)));
        }
        self.collect(answer, &ask, &url, deadline).await
    }

    async fn collect(&self, answer: Response<Incoming>, ask: &Ask, url: &Url, mut end: Instant) -> Result<Reply> {
        let mut collected = Collected::new(ask, answer.headers(), &self.room);
        let mut body = answer.into_body();
        loop {
            let Ok(frame) = timeout_at(end, body.frame()).await else {
                return if collected.has_begun() { Ok(collected.cut()) } else { Err(too_slow(url, ask.patience)) };
            };
            let frame = match frame {
                Some(Ok(frame)) => frame,
                Some(Err(_)) if collected.has_begun() => return Ok(collected.broken()),
                Some(Err(error)) => return Err(broken(url, error)),
                None => return Ok(collected.done(None)),
            };
            match frame.into_data() {
                Ok(piece) => {
                    let begun = Instant::now();
                    if let (_, false) = collected.take(&piece).await? {
                        return Ok(collected.done(None));
                    }
                    end += begun.elapsed();
                }
                Err(frame) => {
                    if let Ok(trailers) = frame.into_trailers() {
                        return Ok(collected.done(Status::from_headers(&trailers)));
                    }
                }
            }
        }
    }
}

fn request(url: &Url, ask: &Ask, headers: &HeaderMap) -> Result<Request<Full<Bytes>>, http::Error> {
    let mut request = Request::builder()
        .method(Method::POST)
        .version(Version::HTTP_2)
        .uri(url.as_str())
        .body(Full::new(frames::join(&ask.messages)))?;
    let own = request.headers_mut();
    own.extend(headers.iter().map(|(name, value)| (name.clone(), value.clone())));
    own.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc+proto"));
    own.insert(TE, HeaderValue::from_static("trailers"));
    own.insert("grpc-accept-encoding", HeaderValue::from_static(frames::ACCEPTED));
    own.insert(USER_AGENT, HeaderValue::from_static(concat!("Satchel/", env!("CARGO_PKG_VERSION"))));
    let told = (ask.patience + GRACE).as_millis().min(99_999_999);
    own.insert("grpc-timeout", HeaderValue::from_str(&format!("{told}m"))?);
    Ok(request)
}

fn broken(url: &Url, error: hyper::Error) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::upstream(format!("'{host}' does not speak HTTP/2 here, or the connection broke.")).caused_by(error)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    /// Takes frames (RFC 9113, 4.1) until one of this type and with these flags has come.
    async fn until(server: &mut DuplexStream, kind: u8, flags: u8) {
        loop {
            let mut head = [0; 9];
            server.read_exact(&mut head).await.unwrap();
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
            server.read_exact(&mut vec![0; length as usize]).await.unwrap();
            if (head[3], head[4]) == (kind, flags) {
                return;
            }
        }
    }

    #[tokio::test]
    async fn a_connection_is_closed_with_its_channel_though_the_server_opens_no_stream() {
        let (ours, mut server) = duplex(64 << 10);
        let base = Url::parse("http://streams.test").unwrap();
        let channel = Channel::open(ours, base, HeaderMap::new()).await.unwrap();
        server.read_exact(&mut [0; 24]).await.unwrap();
        // MAX_CONCURRENT_STREAMS is 0.
        server.write_all(&[0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0]).await.unwrap();
        until(&mut server, 4, 1).await;
        let patience = Duration::from_millis(50);
        let (service, method) = ("a.B".to_owned(), "C".to_owned());
        let ask = Ask { service, method, messages: vec![Bytes::new()], patience, most: (1, 1) };
        assert!(channel.call(ask).await.is_err());
        drop(channel);
        // Without an end this would wait for ever.
        let rest = tokio::time::timeout(Duration::from_secs(60), server.read_to_end(&mut Vec::new())).await;
        assert!(rest.is_ok(), "the connection is still there");
    }

    #[tokio::test]
    async fn a_connection_is_closed_with_its_channel_though_the_server_takes_nothing() {
        let (ours, mut server) = duplex(1 << 10);
        let base = Url::parse("http://pings.test").unwrap();
        let channel = Channel::open(ours, base, HeaderMap::new()).await.unwrap();
        server.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]).await.unwrap();
        let ping = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
        // As many as are taken while their answers fill the way back.
        while let Ok(sent) = tokio::time::timeout(Duration::from_millis(200), server.write_all(&ping)).await {
            sent.unwrap();
        }
        drop(channel);
        let closed = async { while server.write_all(&ping).await.is_ok() {} };
        assert!(tokio::time::timeout(Duration::from_secs(60), closed).await.is_ok(), "the connection is still there");
    }
}
