//! A web site for tests: real HTTP, a script of answers for each path, and what was asked.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use parking_lot::Mutex;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::app::TestApp;

/// A running site.
pub struct Site {
    /// `127.0.0.1:port`.
    pub place: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    pages: Mutex<HashMap<String, VecDeque<Reply>>>,
    asked: Mutex<Vec<String>>,
}

/// One answer.
#[derive(Clone, Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// The head says that this much comes, and it never does.
    pub stalls: bool,
}

/// A good answer.
pub fn page(mime: &str, body: impl Into<Vec<u8>>) -> Reply {
    Reply { status: 200, headers: vec![("content-type", mime.to_owned())], body: body.into(), stalls: false }
}

/// An answer without a body.
pub fn status(status: u16, headers: &[(&'static str, &str)]) -> Reply {
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Reply { status, headers, ..Reply::default() }
}

impl Site {
    /// Starts without any page.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let shared = Arc::<Shared>::default();
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&serving)));
            }
        });
        Self { place, shared }
    }

    /// The site of an application that is allowed to reach it.
    pub async fn new(app: &TestApp) -> Self {
        let site = Self::start().await;
        app.set(json!({"outbound": {"exceptions": [site.place]}})).await;
        site
    }

    /// Sets the replies of a path, once each; the last from then on.
    pub fn put(&self, path: &str, replies: impl IntoIterator<Item = Reply>) -> &Self {
        self.shared.pages.lock().insert(path.to_owned(), replies.into_iter().collect());
        self
    }

    /// A path's whole address.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.place)
    }

    /// The requests so far, as they arrived.
    pub fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().clone()
    }
}

async fn answer(mut stream: TcpStream, shared: Arc<Shared>) {
    let mut request = Vec::new();
    loop {
        let mut piece = [0; 4_096];
        let Ok(count) = stream.read(&mut piece).await else { return };
        request.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            if count == 0 {
                return;
            }
            continue;
        };
        let length =
            head.to_ascii_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) || count == 0 {
            break;
        }
    }
    let text = String::from_utf8_lossy(&request).into_owned();
    let target = text.split(' ').nth(1).unwrap_or_default().to_owned();
    shared.asked.lock().push(text);
    let path = target.split('?').next().unwrap_or_default();
    let reply = {
        let mut pages = shared.pages.lock();
        match pages.get_mut(path) {
            Some(replies) if replies.len() > 1 => replies.pop_front(),
            Some(replies) => replies.front().cloned(),
            None => None,
        }
    };
    let reply = reply.unwrap_or_else(|| status(404, &[]));
    let length = reply.body.len() + usize::from(reply.stalls);
    let mut head = format!(
        "HTTP/1.1 {} {}\r\ncontent-length: {length}\r\nconnection: close\r\n",
        reply.status,
        word(reply.status)
    );
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let _ = stream.write_all(&[head.as_bytes(), b"\r\n", &reply.body].concat()).await;
    if reply.stalls {
        // Until the client goes.
        let _ = stream.read(&mut [0; 16]).await;
    }
}

fn word(status: u16) -> &'static str {
    match status {
        200 => "OK",
        404 => "Not Found",
        429 => "Too Many Requests",
        _ => "Whatever",
    }
}
