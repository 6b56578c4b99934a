//! HTTP by hand: what a test sends is exactly what it wrote, wrong bytes included.

use std::{net::SocketAddr, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::app::TestApp;

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(240);
/// The password of everybody these tests make.
pub const PASSWORD: &str = "correct horse battery";

/// An application that serves HTTP.
pub struct TestServer {
    pub app: TestApp,
    pub address: SocketAddr,
}

/// An answer, read to its end.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
}

/// A request to be sent.
#[derive(Debug, Clone)]
pub struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl TestServer {
    /// Starts on an empty directory, without an owner.
    pub async fn empty() -> Self {
        let app = TestApp::start().await;
        let address = app.satchel.url.socket_addrs(|| None).unwrap()[0];
        Self { app, address }
    }

    /// Starts with an administrator named `owner`.
    pub async fn start() -> Self {
        let server = Self::empty().await;
        server.set_up("owner").await;
        server
    }

    /// Makes the owner through the set-up link.
    pub async fn set_up(&self, username: &str) -> Answer {
        let app = &self.app.satchel.app;
        let token = app.stores.people.issue_link(app.clock.now());
        let body = json!({"token": token.expose(), "username": username, "password": PASSWORD});
        self.send(Request::post("/api/setup", &body)).await
    }

    /// Sends a request on a connection of its own.
    pub async fn send(&self, request: Request) -> Answer {
        send(self.address, &request).await
    }

    /// Sends a request and reads all of the answer, though it is a stream: one that ends.
    pub async fn send_to_its_end(&self, request: Request) -> Answer {
        let exchange = async {
            let mut stream = TcpStream::connect(self.address).await.unwrap();
            stream.write_all(&request.bytes(self.address)).await.unwrap();
            let mut all = Vec::new();
            stream.read_to_end(&mut all).await.unwrap();
            parse(&all)
        };
        timeout(PATIENCE, exchange).await.expect("no answer in time")
    }

    /// Sends a request and reads no more of the answer than its status: it may be a stream.
    pub async fn status(&self, request: &Request) -> u16 {
        let exchange = async {
            let mut stream = TcpStream::connect(self.address).await.unwrap();
            stream.write_all(&request.bytes(self.address)).await.unwrap();
            let mut head = vec![0; 12];
            stream.read_exact(&mut head).await.unwrap();
            String::from_utf8(head).unwrap().split(' ').nth(1).unwrap().parse().unwrap()
        };
        timeout(PATIENCE, exchange).await.expect("no answer in time")
    }

    /// Sends bytes as they are.
    pub async fn send_raw(&self, bytes: Vec<u8>) -> Answer {
        timeout(PATIENCE, exchange(self.address, bytes)).await.expect("no answer in time")
    }

    /// Sends the head of a request, and of its body the first byte once the server has asked for it.
    pub async fn hold(&self, request: &Request) -> HeldRequest {
        let exchange = async {
            let mut stream = TcpStream::connect(self.address).await.unwrap();
            let bytes = request.clone().header("Expect", "100-continue").bytes(self.address);
            let (head, body) = bytes.split_at(bytes.len() - request.body.len());
            stream.write_all(head).await.unwrap();
            let mut asked = vec![0; b"HTTP/1.1 100 Continue\r\n\r\n".len()];
            stream.read_exact(&mut asked).await.unwrap();
            assert!(asked.starts_with(b"HTTP/1.1 100 "), "{:?}", String::from_utf8_lossy(&asked));
            stream.write_all(&body[..1]).await.unwrap();
            HeldRequest { stream, rest: body[1..].to_vec() }
        };
        timeout(PATIENCE, exchange).await.expect("nobody asked for the body")
    }

    /// Opens a stream of events.
    pub async fn listen(&self, request: &Request) -> EventStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(&request.bytes(self.address)).await.unwrap();
        let mut events = EventStream { stream, read: Vec::new() };
        events.until(": open").await;
        events
    }

    /// Signs in and gives the session cookie.
    pub async fn sign_in(&self, username: &str) -> String {
        let answer =
            self.send(Request::post("/api/auth/login", &json!({"username": username, "password": PASSWORD}))).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.cookie().expect("no cookie")
    }

    /// As the owner, sends JSON and expects success.
    pub async fn owner(&self, method: &str, path: &str, body: &Value) -> Value {
        let cookie = self.sign_in("owner").await;
        let answer = self.send(Request::new(method, path).json(body).cookie(&cookie)).await;
        assert!(answer.status < 300, "{method} {path}: {} {}", answer.status, answer.text());
        if answer.body.is_empty() { Value::Null } else { answer.json() }
    }

    /// Makes a user and returns their id.
    pub async fn add(&self, username: &str, role: &str) -> String {
        let body = json!({"username": username, "password": PASSWORD, "role": role});
        self.owner("POST", "/api/users", &body).await["id"].as_str().unwrap().to_owned()
    }

    /// Makes a key for a signed-in user.
    pub async fn key(&self, cookie: &str, permissions: Option<&[&str]>) -> String {
        let mut body = json!({"name": "test"});
        if let Some(permissions) = permissions {
            body["permissions"] = json!(permissions);
        }
        let answer = self.send(Request::post("/api/keys", &body).cookie(cookie)).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["key"].as_str().unwrap().to_owned()
    }
}

/// A request whose body is on its way.
pub struct HeldRequest {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl HeldRequest {
    /// Sends the rest and reads the answer.
    pub async fn finish(mut self) -> Answer {
        let exchange = async {
            // The server may have answered, and closed, without it.
            let _ = self.stream.write_all(&self.rest).await;
            let mut all = Vec::new();
            let _ = self.stream.read_to_end(&mut all).await;
            parse(&all)
        };
        timeout(PATIENCE, exchange).await.expect("no answer in time")
    }
}

/// A stream of events that is being read.
pub struct EventStream {
    stream: TcpStream,
    read: Vec<u8>,
}

impl EventStream {
    /// Reads on until a text has come.
    pub async fn until(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.read).contains(text) {
            assert!(self.more().await, "the stream ended before {text}: {}", String::from_utf8_lossy(&self.read));
        }
    }

    /// Reads to the end, which the server makes, and gives all that has come.
    pub async fn end(mut self) -> String {
        while self.more().await {}
        String::from_utf8_lossy(&self.read).into_owned()
    }

    async fn more(&mut self) -> bool {
        let mut chunk = vec![0; 64 << 10];
        let read = timeout(PATIENCE, self.stream.read(&mut chunk)).await.expect("the stream stands still").unwrap();
        self.read.extend_from_slice(&chunk[..read]);
        read > 0
    }
}

impl Request {
    pub fn new(method: &str, path: &str) -> Self {
        Self { method: method.to_owned(), path: path.to_owned(), headers: Vec::new(), body: Vec::new() }
    }

    pub fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub fn post(path: &str, body: &Value) -> Self {
        Self::new("POST", path).json(body)
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn json(self, body: &Value) -> Self {
        self.raw("application/json", body.to_string())
    }

    pub fn raw(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header("Content-Type", content_type)
    }

    pub fn cookie(self, session: &str) -> Self {
        self.header("Cookie", &format!("satchel_session={session}"))
    }

    pub fn bearer(self, key: &str) -> Self {
        self.header("Authorization", &format!("Bearer {key}"))
    }

    pub fn bytes(&self, address: SocketAddr) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nConnection: close\r\n", self.method, self.path);
        if !self.headers.iter().any(|(name, _)| name == "Host") {
            head.push_str(&format!("Host: {address}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() || self.method != "GET" {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head.push_str("\r\n");
        [head.as_bytes(), &self.body].concat()
    }
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {} {}", self.status, self.text()))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// The session cookie it sets.
    pub fn cookie(&self) -> Option<String> {
        let (_, rest) = self.header("set-cookie")?.split_once("satchel_session=")?;
        Some(rest.split(';').next().unwrap().to_owned())
    }

    /// The detail of a problem, whose form is checked.
    pub fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{} {}", self.status, self.text());
        let body = self.json();
        assert_eq!(body["status"], self.status);
        assert!(body["type"].as_str().unwrap().starts_with("urn:satchel:"), "{body}");
        assert!(!body["title"].as_str().unwrap().is_empty(), "{body}");
        body["detail"].as_str().unwrap().to_owned()
    }
}

/// Sends a request on a connection of its own. Of a stream that does not end only the head is read.
pub async fn send(address: SocketAddr, request: &Request) -> Answer {
    timeout(PATIENCE, exchange(address, request.bytes(address))).await.expect("no answer in time")
}

async fn exchange(address: SocketAddr, bytes: Vec<u8>) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    // The server may answer, and close, before it has read everything.
    let send = async {
        let _ = writer.write_all(&bytes).await;
        let _ = writer.flush().await;
    };
    let mut all = Vec::new();
    let receive = async {
        let mut chunk = vec![0; 64 << 10];
        while let Ok(read @ 1..) = reader.read(&mut chunk).await {
            all.extend_from_slice(&chunk[..read]);
            if is_stream(&all) {
                return;
            }
        }
    };
    tokio::join!(send, receive);
    parse(&all)
}

fn is_stream(bytes: &[u8]) -> bool {
    let head = bytes.windows(4).position(|w| w == b"\r\n\r\n").map(|end| &bytes[..end]);
    head.is_some_and(|head| String::from_utf8_lossy(head).contains("text/event-stream"))
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or_else(|| {
        panic!("not an answer: {:?}", String::from_utf8_lossy(bytes));
    });
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let rest = &bytes[end + 4..];
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = match chunked {
        // Of a stream nothing but its head is read, unless it ends.
        _ if is_stream(bytes) && !rest.ends_with(b"\r\n0\r\n\r\n") => Vec::new(),
        true => dechunk(rest),
        false => rest.to_vec(),
    };
    Answer { status, head, body }
}

fn dechunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(at) = rest.windows(2).position(|w| w == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap().trim(), 16).unwrap();
        body.extend_from_slice(&rest[at + 2..at + 2 + size]);
        rest = &rest[(at + 4 + size).min(rest.len())..];
        if size == 0 {
            break;
        }
    }
    body
}
