//! A GraphQL server of subscriptions over `graphql-transport-ws`, which counts to two.
//!
//! Protocol: <https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md>.

use std::net::SocketAddr;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::HeaderValue;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::{
    WebSocketStream, accept_hdr_async,
    tungstenite::{
        Message,
        handshake::server::{ErrorResponse, Request, Response},
        protocol::CloseFrame,
    },
};

/// Starts it.
pub async fn subscriptions() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    address
}

async fn serve(stream: TcpStream) -> Option<()> {
    #[expect(clippy::result_large_err, reason = "the callback's type is the library's")]
    let upgrade = |_: &Request, mut response: Response| -> Result<Response, ErrorResponse> {
        response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static("graphql-transport-ws"));
        Ok(response)
    };
    let mut socket = accept_hdr_async(stream, upgrade).await.ok()?;
    let mut is_in = false;
    while let Some(Ok(Message::Text(text))) = socket.next().await {
        let message: Value = serde_json::from_str(text.as_str()).unwrap();
        match message["type"].as_str() {
            Some("connection_init") if waits(&mut socket).await => {
                is_in = true;
                say(&mut socket, json!({"type": "connection_ack"})).await?;
            }
            Some("subscribe") if is_in => {
                for count in 1..=2 {
                    let payload = json!({"data": {"count": count}});
                    say(&mut socket, json!({"id": message["id"], "type": "next", "payload": payload})).await?;
                }
                say(&mut socket, json!({"id": message["id"], "type": "complete"})).await?;
            }
            _ => {
                let why = CloseFrame { code: 4401.into(), reason: "Unauthorized".into() };
                return socket.close(Some(why)).await.ok();
            }
        }
    }
    Some(())
}

/// Returns whether the client waits to be let in: then nothing comes before its answer to a ping.
async fn waits(socket: &mut WebSocketStream<TcpStream>) -> bool {
    socket.send(Message::Ping(Bytes::from_static(b"waiting?"))).await.is_ok()
        && matches!(socket.next().await, Some(Ok(Message::Pong(_))))
}

async fn say(socket: &mut WebSocketStream<TcpStream>, message: Value) -> Option<()> {
    socket.send(Message::text(message.to_string())).await.ok()
}
