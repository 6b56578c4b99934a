//! HTTP/1.1 by hand over one kept connection: a client library would use more CPU than the server it measures.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// Longest wait for any byte of an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Its status.
    pub(crate) status: u16,
    /// Its body.
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body as JSON; an error where the status is not one of success.
    pub(crate) fn json(&self) -> Result<Value> {
        if !(200..300).contains(&self.status) {
            bail!("status {}: {}", self.status, String::from_utf8_lossy(&self.body));
        }
        Ok(serde_json::from_slice(&self.body)?)
    }
}

/// A kept connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The end of the body of an answer.
enum Body {
    Length(usize),
    Chunked,
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 << 10) })
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Result<Answer> {
        let (status, body) = self.begin(request).await?;
        let mut answer = Answer { status, body: Vec::new() };
        match body {
            Body::Length(length) => {
                self.fill(length).await?;
                answer.body.extend(self.buffer.drain(..length));
            }
            Body::Chunked => {
                while let Some(chunk) = self.chunk().await? {
                    answer.body.extend(chunk);
                }
            }
        }
        Ok(answer)
    }

    /// Sends a request whose answer is a stream; read it with [`Self::chunk`].
    pub(crate) async fn stream(&mut self, request: &[u8]) -> Result<()> {
        match self.begin(request).await? {
            (200, Body::Chunked) => Ok(()),
            (status, _) => {
                bail!("a stream was expected, the status is {status}: {}", String::from_utf8_lossy(&self.buffer))
            }
        }
    }

    /// The next piece of a chunked body; none at its end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
        let end = self.find(b"\r\n").await?;
        let size = std::str::from_utf8(self.buffer.get(..end).unwrap_or_default())?;
        let size = usize::from_str_radix(size.trim(), 16).with_context(|| format!("'{size}' is not a chunk's size"))?;
        self.fill(end + 2 + size + 2).await?;
        let mut chunk: Vec<u8> = self.buffer.drain(..end + 2 + size + 2).skip(end + 2).collect();
        chunk.truncate(size);
        Ok((size > 0).then_some(chunk))
    }

    async fn begin(&mut self, request: &[u8]) -> Result<(u16, Body)> {
        self.stream.write_all(request).await?;
        let end = self.find(b"\r\n\r\n").await?;
        let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
        let head = String::from_utf8(head)?;
        let status = head.split(' ').nth(1).context("no status")?.parse()?;
        let value = |name: &str| {
            head.lines()
                .filter_map(|line| line.split_once(':'))
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, v)| v.trim())
        };
        let body = match value("content-length") {
            Some(length) => Body::Length(length.parse()?),
            None if value("transfer-encoding") == Some("chunked") => Body::Chunked,
            None => Body::Length(0),
        };
        Ok((status, body))
    }

    /// Returns where `wanted` begins in the buffer, reading until it is there.
    async fn find(&mut self, wanted: &[u8]) -> Result<usize> {
        loop {
            if let Some(at) = self.buffer.windows(wanted.len()).position(|window| window == wanted) {
                return Ok(at);
            }
            self.fill(self.buffer.len() + 1).await?;
        }
    }

    /// Reads until the buffer holds `length` bytes.
    async fn fill(&mut self, length: usize) -> Result<()> {
        while self.buffer.len() < length {
            let read =
                timeout(PATIENCE, self.stream.read_buf(&mut self.buffer)).await.context("no answer in time")??;
            if read == 0 {
                bail!("the server closed the connection");
            }
        }
        Ok(())
    }
}

/// The bytes of a request with an API key.
pub(crate) fn request(method: &str, path: &str, key: &str, body: Option<&Value>) -> Vec<u8> {
    let body = body.map(Value::to_string).unwrap_or_default();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Accept: */*\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
