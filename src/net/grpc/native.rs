//! gRPC over HTTP/2, on a connection somebody else has made.

use std::time::Duration;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, Version,
    header::{CONTENT_TYPE, TE, USER_AGENT},
};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, timeout_at},
};
use url::Url;

use super::{
    frames,
    line::{Ask, Collected, Reply, address, ended_at_once, too_slow},
    status::Status,
};
use satchel_model::error::{Error, Result};

/// The time by which the server gives a call up later than we do. A server that is first ends a stream with an error,
/// and what it had sent until then would be lost; one that is later hears of our end by the stream's reset.
const GRACE: Duration = Duration::from_secs(1);

/// An HTTP/2 connection. It ends when this is dropped.
#[derive(Debug)]
pub struct Channel {
    sender: http2::SendRequest<Full<Bytes>>,
    base: Url,
    headers: HeaderMap,
}

impl Channel {
    pub(super) async fn open<S>(connection: S, base: Url, headers: HeaderMap) -> Result<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let shaken = http2::handshake(TokioExecutor::new(), TokioIo::new(connection)).await;
        let (sender, driver) = shaken.map_err(|error| broken(&base, error))?;
        // It ends by itself when the sender and every answer are gone.
        tokio::spawn(driver);
        Ok(Self { sender, base, headers })
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
            return Ok(Collected::new(&ask, answer.headers()).done(Some(status)));
        }
        collect(answer, &ask, &url, deadline).await
    }
}

async fn collect(answer: Response<Incoming>, ask: &Ask, url: &Url, deadline: Instant) -> Result<Reply> {
    let mut collected = Collected::new(ask, answer.headers());
    let mut body = answer.into_body();
    loop {
        let Ok(frame) = timeout_at(deadline, body.frame()).await else {
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
                if let (_, false) = collected.take(&piece)? {
                    return Ok(collected.done(None));
                }
            }
            Err(frame) => {
                if let Ok(trailers) = frame.into_trailers() {
                    return Ok(collected.done(Status::from_headers(&trailers)));
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
