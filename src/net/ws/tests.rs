//! The WebSocket client against servers that keep to no measure.

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::*;

/// The server's side once it has upgraded.
async fn upgraded(stream: DuplexStream) -> DuplexStream {
    let (mut stream, mut accept, mut line) = (BufReader::new(stream), String::new(), String::new());
    while stream.read_line(&mut line).await.unwrap() > 2 {
        if let Some(key) = line.to_ascii_lowercase().find("sec-websocket-key: ").map(|at| line[at + 19..].trim()) {
            accept = derive_accept_key(key.as_bytes());
        }
        line.clear();
    }
    let mut stream = stream.into_inner();
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade";
    stream.write_all(format!("{head}\r\nSec-WebSocket-Accept: {accept}\r\n\r\n").as_bytes()).await.unwrap();
    stream
}

/// Sends pings until the other side is gone, and takes nothing.
async fn ping(mut server: DuplexStream) -> usize {
    let (frame, mut sent) = ([&[0x89, 125][..], &[b'p'; 125]].concat(), 0);
    while server.write_all(&frame).await.is_ok() {
        sent += 1;
    }
    sent
}

#[tokio::test]
async fn a_server_that_only_pings_is_left() {
    let (ours, theirs) = duplex(4 << 10);
    let exchange = Exchange {
        url: Url::parse("ws://pings.test").unwrap(),
        headers: HeaderMap::new(),
        messages: vec!["hi".to_owned()],
        answer: Duration::from_secs(1),
        patience: Duration::from_secs(600),
        quiet: Duration::from_secs(1),
        most: (10, 1 << 20),
    };
    let server = tokio::spawn(async move { ping(upgraded(theirs).await).await });
    let error = super::exchange(ours, exchange).await.unwrap_err();
    assert!(error.message().contains("pings and no message"), "{error}");
    assert!(server.await.unwrap() >= MOST_PINGS);
}

#[tokio::test]
async fn what_a_server_does_not_take_is_not_kept_without_bound() {
    let (ours, theirs) = duplex(4 << 10);
    let config = config(&["hi".to_owned()], 1 << 20);
    let mut socket = WebSocketStream::from_raw_socket(ours, tungstenite::protocol::Role::Client, Some(config)).await;
    let server = tokio::spawn(ping(theirs));
    for _ in 0..2_000 {
        assert!(socket.next().await.unwrap().unwrap().is_ping());
    }
    let refused = socket.feed(Message::text("a".repeat(200))).await.unwrap_err();
    assert!(matches!(refused, tungstenite::Error::WriteBufferFull(_)), "{refused}");
    drop(socket);
    assert!(server.await.unwrap() >= 2_000);
}

#[test]
fn a_chunked_body_is_put_together_as_far_as_it_has_come() {
    assert_eq!(unchunked(b"5\r\nhello\r\n6;x=1\r\n world\r\n0\r\n\r\n"), b"hello world");
    assert_eq!(unchunked(b"ff\r\nhello"), b"hello");
    assert_eq!(unchunked(b"ffffffffffffffff\r\nhello"), b"hello");
    assert_eq!(unchunked(b"no chunks\r\n"), b"");
}
