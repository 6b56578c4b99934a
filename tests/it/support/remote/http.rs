//! An HTTP server whose answers are a function of what is asked; with TLS where a test wants it.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use http::{HeaderMap, Request, Response, header::CONTENT_TYPE};
use http_body_util::{BodyExt, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Seen {
    /// A header, empty where it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// An answer.
pub type Reply = Response<UnsyncBoxBody<Bytes, Infallible>>;

type Handler = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// The server.
pub struct Remote {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    handler: Handler,
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
}

impl Remote {
    /// Starts without TLS.
    pub async fn start(handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::serve(None, handler).await
    }

    /// Starts with TLS.
    pub async fn start_tls(tls: TlsAcceptor, handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::serve(Some(tls), handler).await
    }

    async fn serve(tls: Option<TlsAcceptor>, handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared =
            Arc::new(Shared { handler: Arc::new(handler), seen: Mutex::default(), connections: AtomicUsize::new(0) });
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                serving.connections.fetch_add(1, Ordering::SeqCst);
                let (tls, shared) = (tls.clone(), Arc::clone(&serving));
                tokio::spawn(async move {
                    match tls {
                        None => answer(stream, shared).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                answer(stream, shared).await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, shared }
    }

    /// Its address over plain HTTP.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().clone()
    }

    /// The last request.
    pub fn last(&self) -> Seen {
        self.shared.seen.lock().last().expect("nothing was asked").clone()
    }

    /// Returns the number of connections that were made.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

async fn answer<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S, shared: Arc<Shared>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let shared = Arc::clone(&shared);
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
            let (method, target) = (head.method.to_string(), head.uri.to_string());
            let seen = Seen { method, target, headers: head.headers, body };
            shared.seen.lock().push(seen.clone());
            Ok::<_, Infallible>((shared.handler)(&seen))
        }
    });
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

/// An answer of a media type.
pub fn reply(status: u16, media: &str, body: impl Into<Bytes>) -> Reply {
    let body = body.into();
    streamed(status, media, stream::iter((!body.is_empty()).then_some(body)))
}

/// An answer of JSON.
pub fn json(status: u16, body: &Value) -> Reply {
    reply(status, "application/json", body.to_string())
}

/// An answer that begins and never goes on.
pub fn stalling(media: &str) -> Reply {
    streamed(200, media, stream::iter([Bytes::from_static(b"{")]).chain(stream::pending()))
}

/// An answer that comes a byte at a time and never ends.
pub fn trickling(media: &str) -> Reply {
    let pieces = stream::unfold((), async |()| {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        Some((Bytes::from_static(b" "), ()))
    });
    streamed(200, media, pieces)
}

/// An answer that never ends.
pub fn endless(media: &str) -> Reply {
    streamed(200, media, stream::repeat(Bytes::from_static(&[b'x'; 65_536])))
}

fn streamed(status: u16, media: &str, pieces: impl Stream<Item = Bytes> + Send + 'static) -> Reply {
    let body = StreamBody::new(pieces.map(|piece| Ok::<_, Infallible>(Frame::data(piece))));
    let answer = Response::builder().status(status).header(CONTENT_TYPE, media);
    answer.body(BodyExt::boxed_unsync(body)).unwrap()
}
