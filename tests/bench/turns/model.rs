//! A scripted model that answers at once, and says when each request arrived.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::timeout,
};

use super::texts;
use crate::usage;

/// Longest wait for a request.
const PATIENCE: Duration = Duration::from_secs(60);

/// Something that happened at the model.
#[derive(Debug)]
pub(super) struct Seen {
    /// The moment.
    pub(super) at: Instant,
    /// CPU seconds of the server by then; 0 where it is not known which process that is.
    pub(super) cpu: f64,
    /// Its kind.
    pub(super) what: What,
}

/// The kinds of what happens there.
#[derive(Debug)]
pub(super) enum What {
    /// A request for an answer has arrived whole: the text of its last message, and its length in bytes.
    Asked(String, usize),
    /// An answer with a call was written to its end.
    Called,
    /// A request for a title has arrived.
    Titled,
}

/// The model.
pub(super) struct Model {
    address: SocketAddr,
    server: Arc<AtomicU32>,
    seen: UnboundedReceiver<Seen>,
}

impl Model {
    /// Serves on a thread of its own until the program ends.
    pub(super) fn serve() -> Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let server = Arc::new(AtomicU32::new(0));
        let (sender, seen) = unbounded_channel();
        let watching = Watching { server: Arc::clone(&server), sender };
        std::thread::Builder::new().name("model".to_owned()).spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                while let Ok((stream, _)) = listener.accept().await {
                    let watching = watching.clone();
                    // A connection that breaks is the server's business: a figure that waits for its request fails.
                    tokio::spawn(async move { answer_all(stream, &watching).await.ok() });
                }
            });
        })?;
        Ok(Self { address, server, seen })
    }

    /// The address that a provider is set up with.
    pub(super) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// From now on the CPU seconds of this process are told.
    pub(super) fn watch(&self, pid: u32) {
        self.server.store(pid, Ordering::Relaxed);
    }

    /// Waits for the next thing of a kind. What comes before it is let go.
    pub(super) async fn until(&mut self, wanted: impl Fn(&What) -> bool) -> Result<Seen> {
        let waiting = async {
            loop {
                let seen = self.seen.recv().await.context("the model is gone")?;
                if wanted(&seen.what) {
                    return Ok(seen);
                }
            }
        };
        timeout(PATIENCE, waiting).await.context("the model was not asked in time")?
    }
}

#[derive(Clone)]
struct Watching {
    server: Arc<AtomicU32>,
    sender: UnboundedSender<Seen>,
}

impl Watching {
    fn tell(&self, at: Instant, cpu: f64, what: What) {
        // Nobody listens any more where the figures are through.
        let _ = self.sender.send(Seen { at, cpu, what });
    }

    fn cpu(&self) -> f64 {
        usage::cpu_seconds(self.server.load(Ordering::Relaxed)).unwrap_or_default()
    }
}

/// Answers the requests of one connection, one after the other.
async fn answer_all(stream: TcpStream, watching: &Watching) -> Result<()> {
    stream.set_nodelay(true)?;
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::with_capacity(256 << 10, read);
    while let Some(body) = request(&mut read).await? {
        let (at, cpu) = (Instant::now(), watching.cpu());
        let asked: Value = serde_json::from_slice(&body).context("the request's body")?;
        let (messages, last) = (&asked["messages"], asked["messages"].as_array().and_then(|all| all.last()));
        let last = last.context("no message")?;
        let said = last["content"].as_str().unwrap_or_default();
        if messages[0]["content"].as_str().is_some_and(|system| system.starts_with("You name conversations")) {
            watching.tell(at, cpu, What::Titled);
            write.write_all(&stream_of(&json!({"content": "Title"}))).await?;
            continue;
        }
        watching.tell(at, cpu, What::Asked(said.to_owned(), body.len()));
        let call = if last["role"] == "user" { texts::call(said) } else { None };
        let Some((name, arguments)) = call else {
            write.write_all(&stream_of(&json!({"content": "Done."}))).await?;
            continue;
        };
        let function = json!({"name": name, "arguments": arguments.to_string()});
        let call = json!({"index": 0, "id": "call_0", "type": "function", "function": function});
        write.write_all(&stream_of(&json!({"tool_calls": [call]}))).await?;
        watching.tell(Instant::now(), 0.0, What::Called);
    }
    Ok(())
}

/// The body of the next request. `None` at the end of the connection.
async fn request(read: &mut (impl AsyncBufReadExt + Unpin)) -> Result<Option<Vec<u8>>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if read.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    ensure!(length > 0, "only answers are asked for here");
    let mut body = vec![0; length];
    read.read_exact(&mut body).await?;
    Ok(Some(body))
}

/// A whole answer of one piece.
fn stream_of(delta: &Value) -> Vec<u8> {
    let piece = json!({"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let stop = if delta["tool_calls"].is_null() { "stop" } else { "tool_calls" };
    let end = json!({"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": stop}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}});
    let body = format!("data: {piece}\n\ndata: {end}\n\ndata: [DONE]\n\n");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream";
    format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}
