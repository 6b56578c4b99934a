//! All one user can ask for at once.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::http::{Connection, request};

const READS: usize = 12;
const COMMANDS: usize = 8;
const UPLOADS: usize = 20;
const DOWNLOADS: usize = 40;
/// Bytes of a file that is read, and of one that is downloaded.
const READ: usize = 9_900_000;
const DOWNLOADED: usize = 60 << 20;

/// Requests that will be sent.
pub(super) struct Flood {
    address: String,
    requests: Vec<Vec<u8>>,
    unread: Vec<Vec<u8>>,
}

/// Connections that are held.
pub(super) struct Held {
    unread: Vec<TcpStream>,
    _others: Vec<TcpStream>,
}

impl Flood {
    /// Stores the files and writes the requests.
    pub(super) async fn prepare(address: &str, key: &str) -> Result<Self> {
        let read = stored(address, key, "read.txt", &vec![b'x'; READ]).await?;
        let downloaded = stored(address, key, "large.txt", &vec![b'x'; DOWNLOADED]).await?;
        let invoke = |tool: &str, params: Value| {
            request("POST", &format!("/api/tools/{tool}/invoke"), key, Some(&json!({"params": params})))
        };
        let download = request("GET", &format!("/api/files/content?path={downloaded}"), key, None);
        let mut requests = vec![invoke("exec", json!({"command": "sleep 600", "timeout": 600})); COMMANDS];
        for table in [worst_table(), long_table()] {
            requests.extend(vec![form("/api/knowledge/documents", key, "worst.csv", &table); UPLOADS / 2]);
        }
        for (name, piece) in [("lt.html", "<"), ("amp.html", "&"), ("d.xml", "<d>")] {
            let bomb = piece.repeat((20 << 20) / piece.len());
            let path = stored(address, key, name, bomb.as_bytes()).await?;
            requests.push(invoke("document_read", json!({"file_path": path})));
        }
        let table = stored(address, key, "table.csv", &worst_table()).await?;
        requests.push(invoke("document_read", json!({"file_path": table})));
        let mut unread = vec![invoke("read", json!({"path": read})); READS];
        unread.extend(vec![download; DOWNLOADS]);
        Ok(Self { address: address.to_owned(), requests, unread })
    }

    /// Sends them all, each on a connection of its own, and reads nothing.
    pub(super) async fn begin(self) -> Result<Held> {
        let unread = sent(&self.address, self.unread).await?;
        let others = sent(&self.address, self.requests).await?;
        Ok(Held { unread, _others: others })
    }
}

impl Held {
    /// Downloads nobody took that the server goes on with.
    pub(super) async fn held(mut self) -> usize {
        let mut held = 0;
        for stream in self.unread.iter_mut().skip(READS) {
            // What the kernel took is read first. Where the connection has ended, no more comes.
            let mut rest = Vec::new();
            let _ = timeout(Duration::from_secs(5), stream.read_to_end(&mut rest)).await;
            held += usize::from(rest.len() > DOWNLOADED);
        }
        held
    }
}

async fn sent(address: &str, requests: Vec<Vec<u8>>) -> Result<Vec<TcpStream>> {
    let mut streams = Vec::with_capacity(requests.len());
    for request in requests {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(&request).await?;
        streams.push(stream);
    }
    Ok(streams)
}

/// A table whose second row is wide, before millions of narrow ones.
fn worst_table() -> Vec<u8> {
    format!("x\n{}\n{}", ",".repeat(16_000), "a\n".repeat(3_000_000)).into_bytes()
}

/// A table that is read to its end, and gives thousands of passages.
fn long_table() -> Vec<u8> {
    (0..60_000)
        .map(|row| format!("{row},a grey heron,stands at the weir,and eats fish number {row},every day\n"))
        .collect::<String>()
        .into()
}

/// Stores a file among the user's own and gives its path.
async fn stored(address: &str, key: &str, name: &str, bytes: &[u8]) -> Result<String> {
    let mut connection = Connection::open(address).await?;
    let stored = connection.send(&form("/api/files", key, name, bytes)).await?.json()?;
    Ok(stored[0]["path"].as_str().context("no path")?.to_owned())
}

fn form(path: &str, key: &str, name: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
    let length = head.len() + bytes.len() + b"\r\n--B--\r\n".len();
    let lines = format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: multipart/form-data; boundary=B\r\nContent-Length: {length}\r\n\r\n"
    );
    [lines.as_bytes(), head.as_bytes(), bytes, b"\r\n--B--\r\n"].concat()
}
