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

fn asking() -> Exchange {
    Exchange {
        url: Url::parse("ws://pings.test").unwrap(),
        headers: HeaderMap::new(),
        messages: vec!["hi".to_owned()],
        answer: Duration::from_secs(1),
        patience: Duration::from_secs(600),
        quiet: Duration::from_secs(1),
        most: (10, 1 << 20),
        room: Room::unbounded(),
    }
}

#[tokio::test]
async fn a_server_that_only_pings_is_left() {
    let (ours, theirs) = duplex(4 << 10);
    let server = tokio::spawn(async move { ping(upgraded(theirs).await).await });
    let error = exchange(ours, asking()).await.unwrap_err();
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

/// Sends this until the other side is gone.
async fn flood(mut server: DuplexStream, frames: Vec<u8>) {
    while server.write_all(&frames).await.is_ok() {}
}

#[tokio::test]
async fn a_server_that_sends_empty_frames_without_end_is_left() {
    let (ours, theirs) = duplex(64 << 10);
    // A text of no bytes that goes on in frames of none.
    let server = tokio::spawn(async move {
        let mut server = upgraded(theirs).await;
        server.write_all(&[0x01, 0]).await.unwrap();
        flood(server, [0x00, 0].repeat(10_000)).await;
    });
    let error = exchange(ours, asking()).await.unwrap_err();
    assert!(error.message().contains("more than 100000 frames"), "{error}");
    server.await.unwrap();

    let (ours, theirs) = duplex(64 << 10);
    let empty = tokio::spawn(async move { flood(upgraded(theirs).await, [0x81, 0].repeat(10_000)).await });
    let heard = exchange(ours, asking()).await.unwrap();
    assert_eq!((heard.messages.len(), heard.ended), (10, Ended::Limit));
    empty.await.unwrap();
}

#[tokio::test]
async fn no_more_is_read_than_there_is_room_for() {
    let (ours, theirs) = duplex(64 << 10);
    let (asked, mut asks) = tokio::sync::mpsc::unbounded_channel();
    let (give, room) = tokio::sync::watch::channel(false);
    let room = Room::new(move |bytes| {
        let (asked, mut room) = (asked.clone(), room.clone());
        Box::pin(async move {
            asked.send(bytes).unwrap();
            room.wait_for(|given| *given).await.unwrap();
            Ok(())
        })
    });
    let server = tokio::spawn(async move {
        let mut server = upgraded(theirs).await;
        let length = 800_000_u64.to_be_bytes();
        server.write_all(&[&[0x81, 127][..], &length, &[b'a'; 800_000], &[0x88, 0]].concat()).await.unwrap();
    });
    let patience = Duration::from_millis(500);
    let call = tokio::spawn(exchange(ours, Exchange { room, patience, quiet: patience, ..asking() }));
    assert_eq!(asks.recv().await, Some((1 << 20) - (64 << 10)));
    // The time that room is waited for is nobody's silence.
    tokio::time::sleep(2 * patience).await;
    assert!(!call.is_finished() && !server.is_finished());
    give.send(true).unwrap();
    let heard = call.await.unwrap().unwrap();
    assert!(matches!(heard.messages.as_slice(), [Piece::Text(text)] if text.len() == 800_000));
    assert_eq!(heard.ended, Ended::Closed);
}

#[tokio::test]
async fn an_answer_there_is_no_room_for_is_refused_in_the_words_of_who_has_none() {
    let (ours, theirs) = duplex(64 << 10);
    tokio::spawn(
        async move { flood(upgraded(theirs).await, [&[0x82, 126, 0xff, 0xff][..], &[0; 65_535]].concat()).await },
    );
    let room = Room::new(|_| Box::pin(async { Err(Error::new(Kind::Busy, "no room")) }));
    let error = exchange(ours, Exchange { room, ..asking() }).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (Kind::Busy, "no room"));
}
