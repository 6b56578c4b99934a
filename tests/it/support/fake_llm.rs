//! A model that says what the test wrote down, over real HTTP, in the dialect the path asks for.

mod wire;

use std::{collections::VecDeque, net::SocketAddr, sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Notify, watch},
    time::timeout,
};

use self::wire::{Dialect, in_one_piece};

/// A picture of one pixel.
pub const DOT: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// Longest wait for something that is about to happen: it matters only where it does not.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// One piece of an answer.
#[derive(Clone)]
pub enum Piece {
    Text(String),
    /// A call; arguments that are a text are sent as they are.
    Call(&'static str, Value),
    Usage(u64, u64),
    /// Waits until the test lets it go on.
    Hold(Arc<Notify>),
    /// Ends the connection in the middle.
    Break,
}

/// The reply of the model to one request.
#[derive(Clone)]
pub enum Reply {
    Answer(Vec<Piece>),
    Refuse(u16, Vec<(&'static str, String)>, String),
    /// Takes the request and says nothing, until the client goes away.
    Silence,
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    pub path: String,
    pub head: String,
    pub body: Value,
    /// The body as it came, as far as it is text: a form has no JSON.
    pub raw: String,
}

/// A model's own answer to a request, in place of a script.
pub type Mind = Arc<dyn Fn(&Value) -> Reply + Send + Sync>;

pub struct FakeLlm {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    script: Mutex<VecDeque<Reply>>,
    /// Scripts of conversations, each by words in the first message of a person there.
    parts: Mutex<Vec<(String, VecDeque<Reply>)>>,
    mind: Mutex<Option<Mind>>,
    /// The status of the answer to whoever wants the list of models.
    listing: Mutex<u16>,
    /// The status and the body with which pictures and speech are refused, if they are.
    no_media: Mutex<Option<(u16, String)>>,
    seen: Mutex<Vec<Seen>>,
    arrived: watch::Sender<usize>,
    /// Clients that went away before their answer was over.
    dropped: watch::Sender<usize>,
}

/// An answer of text only.
pub fn say(text: &str) -> Reply {
    Reply::Answer(vec![Piece::Text(text.to_owned()), Piece::Usage(10, 5)])
}

/// An answer of one call.
pub fn call(tool: &'static str, arguments: Value) -> Reply {
    calls(vec![(tool, arguments)])
}

/// An answer of several calls.
pub fn calls(calls: Vec<(&'static str, Value)>) -> Reply {
    let calls = calls.into_iter().map(|(tool, arguments)| Piece::Call(tool, arguments));
    Reply::Answer(calls.chain([Piece::Usage(10, 5)]).collect())
}

/// A refusal.
pub fn refuse(status: u16) -> Reply {
    let body = json!({"error": {"message": format!("status {status}")}}).to_string();
    Reply::Refuse(status, vec![("Retry-After", "0".to_owned())], body)
}

impl FakeLlm {
    pub async fn start(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            script: Mutex::new(script.into()),
            parts: Mutex::default(),
            mind: Mutex::default(),
            listing: Mutex::new(200),
            no_media: Mutex::default(),
            seen: Mutex::default(),
            arrived: watch::channel(0).0,
            dropped: watch::channel(0).0,
        });
        let served = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&served)));
            }
        });
        Self { address, shared }
    }

    /// Adds to what it will do.
    pub fn then(&self, replies: Vec<Reply>) {
        self.shared.script.lock().extend(replies);
    }

    /// Sets what it will do in conversations whose first message holds these words.
    pub fn when(&self, words: &str, replies: Vec<Reply>) {
        self.shared.parts.lock().push((words.to_owned(), replies.into()));
    }

    /// Sets what it will do there from now on, in place of what is left.
    pub fn replace_part(&self, words: &str, replies: Vec<Reply>) {
        self.shared.parts.lock().retain(|(known, _)| known != words);
        self.when(words, replies);
    }

    /// The bodies of the requests of conversations whose first message holds these words.
    pub fn bodies(&self, words: &str) -> Vec<Value> {
        let seen = self.shared.seen.lock();
        seen.iter().map(|seen| seen.body.clone()).filter(|body| first_words(body).contains(words)).collect()
    }

    /// Sets its replies from now on, in place of what is left of its script.
    pub fn replace_script(&self, replies: Vec<Reply>) {
        *self.shared.script.lock() = replies.into();
    }

    /// Has it answer by itself from now on. What it is asked is not kept then.
    pub fn think(&self, mind: Mind) {
        *self.shared.mind.lock() = Some(mind);
    }

    /// The status with which it refuses its list of models from now on.
    pub fn refuse_list(&self, status: u16) {
        *self.shared.listing.lock() = status;
    }

    /// Refuses pictures and speech from now on.
    pub fn refuse_media(&self, status: u16, body: &str) {
        *self.shared.no_media.lock() = Some((status, body.to_owned()));
    }

    /// Every request so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().clone()
    }

    /// Returns the number of requests for answers that came, probes not counted.
    pub fn asked(&self) -> usize {
        self.shared.seen.lock().iter().filter(|seen| !is_probe(&seen.body)).count()
    }

    /// Returns the number of probes that came.
    pub fn probed(&self) -> usize {
        self.shared.seen.lock().iter().filter(|seen| is_probe(&seen.body)).count()
    }

    /// The body of a request, from 0.
    pub fn body(&self, number: usize) -> Value {
        self.shared.seen.lock()[number].body.clone()
    }

    /// Waits until so many requests have come.
    pub async fn until_asked(&self, many: usize) {
        let mut arrived = self.shared.arrived.subscribe();
        timeout(PATIENCE, arrived.wait_for(|seen| *seen >= many)).await.expect("not asked in time").unwrap();
    }

    /// Waits until a client has gone away before its answer was over.
    pub async fn left(&self) {
        let mut dropped = self.shared.dropped.subscribe();
        timeout(PATIENCE, dropped.wait_for(|left| *left > 0)).await.expect("nobody left in time").unwrap();
    }
}

/// The answer of an endpoint for pictures or speech; `None` if the path is none of theirs.
fn media(path: &str) -> Option<String> {
    match path.rsplit_once("/v1/")?.1 {
        "images/generations" | "images/edits" => Some(json!({"data": [{"b64_json": DOT}]}).to_string()),
        "audio/speech" => Some("ID3 a recording".to_owned()),
        "audio/transcriptions" => Some(json!({"text": " Good morning. "}).to_string()),
        _ => None,
    }
}

/// A question for one token, as only probes ask it.
fn is_probe(body: &Value) -> bool {
    body["max_tokens"] == 1 || body["options"]["num_predict"] == 1
}

/// The first message of a person in a request.
fn first_words(body: &Value) -> String {
    let messages = body["messages"].as_array();
    let first = messages.and_then(|all| all.iter().find(|message| message["role"] == "user"));
    first.map(|message| message["content"].to_string()).unwrap_or_default()
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let Some(request) = read(&mut stream).await else { return };
    let (path, is_streamed) = (request.path.clone(), request.body["stream"] != false);
    if path.ends_with("/models") && request.head.contains("authorization: bearer wrong") {
        let _ = stream.write_all(whole(401, &[], "{}").as_bytes()).await;
        return;
    }
    if path.ends_with("/models") || path.ends_with("/api/tags") {
        let list = json!({"data": [{"id": "fake-1"}], "models": [{"name": "fake-1"}]});
        let (status, body) = match *shared.listing.lock() {
            200 => (200, list.to_string()),
            refused => (refused, "{}".to_owned()),
        };
        let _ = stream.write_all(whole(status, &[], &body).as_bytes()).await;
        return;
    }
    if path.ends_with("/count_tokens") {
        let _ = stream.write_all(whole(200, &[], &json!({"input_tokens": 321}).to_string()).as_bytes()).await;
        return;
    }
    if let Some(body) = media(&path) {
        let refused = shared.no_media.lock().clone();
        shared.seen.lock().push(request);
        let (status, body) = refused.unwrap_or((200, body));
        let _ = stream.write_all(whole(status, &[], &body).as_bytes()).await;
        return;
    }
    let mind = shared.mind.lock().clone();
    let reply = match mind {
        Some(mind) => Some(mind(&request.body)),
        None => {
            let first = first_words(&request.body);
            shared.seen.lock().push(request);
            let mut parts = shared.parts.lock();
            let part =
                parts.iter_mut().find(|(words, _)| first.contains(words.as_str())).map(|(_, part)| part.pop_front());
            part.unwrap_or_else(|| shared.script.lock().pop_front())
        }
    };
    shared.arrived.send_modify(|seen| *seen += 1);
    match reply {
        None => {
            let body = json!({"error": {"message": "the script is over"}}).to_string();
            let _ = stream.write_all(whole(400, &[], &body).as_bytes()).await;
        }
        Some(Reply::Refuse(status, headers, body)) => {
            let _ = stream.write_all(whole(status, &headers, &body).as_bytes()).await;
        }
        Some(Reply::Silence) => {
            let _ = hold(&mut stream, &Notify::new()).await;
        }
        Some(Reply::Answer(pieces)) if !is_streamed => {
            let body = in_one_piece(&path, &pieces).to_string();
            let _ = stream.write_all(whole(200, &[], &body).as_bytes()).await;
        }
        Some(Reply::Answer(pieces)) => {
            if answer(&mut stream, &path, pieces).await.is_err() {
                shared.dropped.send_modify(|left| *left += 1);
            }
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
        if bytes.len() >= end + 4 + length {
            let path = head.split(' ').nth(1).unwrap().to_owned();
            let whole = &bytes[end + 4..end + 4 + length];
            let body = serde_json::from_slice(whole).unwrap_or(Value::Null);
            return Some(Seen { path, head, body, raw: String::from_utf8_lossy(whole).into_owned() });
        }
    }
}

fn whole(status: u16, headers: &[(&str, String)], body: &str) -> String {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}", body.len())
}

/// Sends an answer piece by piece.
///
/// # Errors
///
/// If the client goes away before the end.
async fn answer(stream: &mut TcpStream, path: &str, pieces: Vec<Piece>) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n").await?;
    let mut dialect = Dialect::new(path);
    for piece in &pieces {
        match piece {
            Piece::Break => return Ok(()),
            Piece::Hold(go_on) => hold(stream, go_on).await?,
            piece => stream.write_all(dialect.piece(piece).as_bytes()).await?,
        }
        stream.flush().await?;
    }
    stream.write_all(dialect.end().as_bytes()).await?;
    stream.shutdown().await
}

async fn hold(stream: &mut TcpStream, go_on: &Notify) -> std::io::Result<()> {
    let mut byte = [0];
    tokio::select! {
        () = go_on.notified() => Ok(()),
        read = stream.read(&mut byte) => match read {
            Ok(0) | Err(_) => Err(std::io::ErrorKind::ConnectionReset.into()),
            Ok(_) => Ok(()),
        },
    }
}
