//! A WebSocket server that does as it is told: echoes, repeats, closes, falls silent, never ends.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use futures_util::{SinkExt, StreamExt};
use http::{HeaderMap, HeaderValue, StatusCode};
use parking_lot::Mutex;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::{
    WebSocketStream, accept_hdr_async,
    tungstenite::{
        Message,
        handshake::server::{ErrorResponse, Request, Response},
        protocol::CloseFrame,
    },
};

/// Path with query, and headers, of each upgrade.
type Seen = Arc<Mutex<Vec<(String, HeaderMap)>>>;

/// The server.
pub struct Talker {
    pub address: SocketAddr,
    seen: Seen,
}

impl Talker {
    /// Starts without TLS.
    pub async fn start() -> Self {
        Self::serve(None).await
    }

    /// Starts with TLS.
    pub async fn start_tls(tls: TlsAcceptor) -> Self {
        Self::serve(Some(tls)).await
    }

    async fn serve(tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Seen::default();
        let kept = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (tls, seen) = (tls.clone(), Arc::clone(&kept));
                tokio::spawn(async move {
                    match tls {
                        None => talk(stream, seen).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                talk(stream, seen).await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, seen }
    }

    /// Returns the requests that came.
    pub fn seen(&self) -> Vec<(String, HeaderMap)> {
        self.seen.lock().clone()
    }
}

async fn talk<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, seen: Seen) {
    #[expect(clippy::result_large_err, reason = "the callback's type is the library's")]
    let upgrade = |request: &Request, mut response: Response| {
        seen.lock().push((request.uri().to_string(), request.headers().clone()));
        if request.uri().path() == "/refused" {
            let mut refusal = ErrorResponse::new(Some("Only for members.".to_owned()));
            *refusal.status_mut() = StatusCode::FORBIDDEN;
            return Err(refusal);
        }
        if request.uri().path() == "/wrong-key" {
            response.headers_mut().insert("sec-websocket-accept", HeaderValue::from_static("bm90IHRoaXM="));
        }
        let offered = request.headers().get("sec-websocket-protocol").and_then(|value| value.to_str().ok());
        if offered.is_some_and(|offered| offered.split(',').any(|name| name.trim() == "echo.v2")) {
            response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static("echo.v2"));
        }
        Ok(response)
    };
    let Ok(mut socket) = accept_hdr_async(&mut stream, upgrade).await else { return };
    while let Some(Ok(Message::Text(text))) = socket.next().await {
        let words: Vec<&str> = text.as_str().split(' ').collect();
        if words[0] == "drop" {
            drop(socket);
            let _ = stream.shutdown().await;
            return;
        }
        if obey(&mut socket, &words).await.is_none() {
            return;
        }
    }
}

/// Does what the words say; none once the connection is over.
async fn obey<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut WebSocketStream<S>, words: &[&str]) -> Option<()> {
    let close = |code: u16, reason: &str| CloseFrame { code: code.into(), reason: reason.into() };
    match words {
        ["several", times] => several(socket, times, "").await,
        ["several", times, "of", length] => several(socket, times, &"x".repeat(length.parse().unwrap())).await,
        ["bytes"] => socket.send(Message::binary(vec![0, 1, 2])).await.ok(),
        ["close", code] => socket.close(Some(close(code.parse().unwrap(), ""))).await.ok(),
        ["close", code, reason] => socket.close(Some(close(code.parse().unwrap(), reason))).await.ok(),
        ["answer", "and", "close"] => {
            socket.send(Message::text("done")).await.ok()?;
            socket.close(Some(close(1000, ""))).await.ok()
        }
        ["slowly", pause] => {
            socket.send(Message::text("first")).await.ok()?;
            tokio::time::sleep(Duration::from_millis(pause.parse().unwrap())).await;
            socket.send(Message::text("second")).await.ok()?;
            socket.close(Some(close(1000, ""))).await.ok()
        }
        ["nothing"] => Some(()),
        ["silence"] => std::future::pending().await,
        ["endless"] => loop {
            socket.send(Message::text("on and on")).await.ok()?;
            tokio::time::sleep(Duration::from_millis(1)).await;
        },
        words => socket.send(Message::text(words.join(" "))).await.ok(),
    }
}

async fn several<S>(socket: &mut WebSocketStream<S>, times: &str, text: &str) -> Option<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    for number in 1..=times.parse::<u32>().unwrap() {
        let text = if text.is_empty() { number.to_string() } else { text.to_owned() };
        socket.send(Message::text(text)).await.ok()?;
    }
    Some(())
}
