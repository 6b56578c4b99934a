//! A tap before a service: it hands on what comes, and keeps what went in.

use std::{net::SocketAddr, sync::Arc};

use parking_lot::Mutex;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

/// A running tap.
pub(super) struct Tap {
    pub(super) address: SocketAddr,
    heard: Arc<Mutex<Vec<u8>>>,
}

impl Tap {
    /// Starts before a service.
    pub(super) async fn start(to: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, heard) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<u8>>>::default());
        let hears = Arc::clone(&heard);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (from, mut back) = stream.into_split();
                let (mut answers, into) = TcpStream::connect(to).await.unwrap().into_split();
                tokio::spawn(hand_on(from, into, Arc::clone(&hears)));
                tokio::spawn(async move { copy(&mut answers, &mut back).await });
            }
        });
        Self { address, heard }
    }

    /// Returns whether these words went in.
    pub(super) fn has_heard(&self, words: &str) -> bool {
        self.heard.lock().windows(words.len()).any(|heard| heard == words.as_bytes())
    }
}

async fn hand_on(mut from: OwnedReadHalf, mut into: OwnedWriteHalf, heard: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 4_096];
    while let Ok(read @ 1..) = from.read(&mut piece).await {
        heard.lock().extend_from_slice(&piece[..read]);
        if into.write_all(&piece[..read]).await.is_err() {
            return;
        }
    }
}
