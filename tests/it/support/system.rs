//! A system to be called: a real HTTP server that keeps what it was asked and answers by path.

use std::{collections::VecDeque, net::SocketAddr, sync::Arc};

use parking_lot::Mutex;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// A request it was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    pub target: String,
    pub head: String,
    pub body: String,
}

impl Asked {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }
}

/// An answer it gives once: status, more of the head, body.
pub type Once = (u16, String, String);

/// A running system.
pub struct TestSystem {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    next: Arc<Mutex<VecDeque<Once>>>,
}

impl TestSystem {
    /// One that gives back what it was asked, as JSON, unless something else is planned.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, next) = (Arc::<Mutex<Vec<Asked>>>::default(), Arc::<Mutex<VecDeque<Once>>>::default());
        let (seen, planned) = (Arc::clone(&asked), Arc::clone(&next));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, planned) = (Arc::clone(&seen), Arc::clone(&planned));
                tokio::spawn(async move {
                    let _ = serve(stream, &seen, &planned).await;
                });
            }
        });
        Self { address, asked, next }
    }

    /// Plans the next answer.
    pub fn plan(&self, status: u16, head: &str, body: &str) {
        self.next.lock().push_back((status, head.to_owned(), body.to_owned()));
    }

    /// Returns the requests it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().clone()
    }

    /// Returns the address of a path of it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

async fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Vec<Asked>>,
    planned: &Mutex<VecDeque<Once>>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let (head, length) = loop {
        let mut piece = [0; 4_096];
        let read = stream.read(&mut piece).await?;
        if read == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
            break (head.to_owned(), length.unwrap_or(0));
        }
    };
    while bytes.len() < head.len() + 4 + length {
        let mut piece = [0; 4_096];
        let read = stream.read(&mut piece).await?;
        bytes.extend_from_slice(&piece[..read]);
    }
    let body = String::from_utf8_lossy(&bytes[head.len() + 4..]).into_owned();
    let mut first = head.lines().next().unwrap_or_default().split(' ');
    let (method, target) = (first.next().unwrap_or_default().to_owned(), first.next().unwrap_or_default().to_owned());
    let echo = serde_json::json!({"method": method, "target": target, "head": head, "body": body}).to_string();
    seen.lock().push(Asked { method, target, head, body });
    let plan = planned.lock().pop_front();
    let (status, more, body) = plan.unwrap_or((200, "Content-Type: application/json".to_owned(), echo));
    let lines: String = more.lines().filter(|line| !line.is_empty()).map(|line| format!("{line}\r\n")).collect();
    let head = format!("HTTP/1.1 {status} X\r\n{lines}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await
}
