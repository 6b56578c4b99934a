//! The suite sends no key, so a proxy adds one. Host and Origin stay as they are.

use std::net::SocketAddr;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A proxy in front of a server.
pub struct Proxy {
    pub address: SocketAddr,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Starts one that adds this key.
    pub async fn start(server: SocketAddr, key: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server, key.clone()));
            }
        });
        Self { address, task }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// One request a connection: its head gets the key, the rest goes as it comes.
async fn carry(mut client: TcpStream, server: SocketAddr, key: String) {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let mut piece = [0; 4_096];
        match client.read(&mut piece).await {
            Ok(read) if read > 0 => head.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
    let line = head.windows(2).position(|end| end == b"\r\n").unwrap() + 2;
    let text = String::from_utf8_lossy(&head[line..]).into_owned();
    let (fields, body) = head[line..].split_at(text.find("\r\n\r\n").unwrap() + 2);
    let kept = String::from_utf8_lossy(fields);
    let kept = kept.split_inclusive("\r\n").filter(|field| !field.to_ascii_lowercase().starts_with("connection:"));
    let fields: String = kept.collect();
    let added = format!("Authorization: Bearer {key}\r\nConnection: close\r\n");
    let mut upstream = TcpStream::connect(server).await.unwrap();
    let request = [&head[..line], fields.as_bytes(), added.as_bytes(), body].concat();
    if upstream.write_all(&request).await.is_ok() {
        let _ = copy_bidirectional(&mut client, &mut upstream).await;
    }
}
