//! `satchel mcp`: the Model Context Protocol over standard input and output. Each line is a message; it is carried to the
//! server and its answer back, so that the server alone decides and writes down.

use std::{
    cell::RefCell,
    collections::HashMap,
    io::{BufRead as _, Read as _, Write as _, stdin, stdout},
    thread,
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use futures_util::{StreamExt, future::LocalBoxFuture, stream::FuturesUnordered};
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{client::Client, run::Exit};
use satchel_model::error::{Error, Result};
use satchel_net::http::Response;

/// Longest line that is taken.
const LONGEST: u64 = 16 << 20;
/// Lines and answers that wait.
const WAITING: usize = 64;
/// The longest that what is under way may take once standard input has ended.
const LAST: Duration = Duration::from_secs(30);
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const META_VERSION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";

/// Carries messages until standard input ends, and what was begun by then.
pub(super) async fn mcp(client: &Client) -> Result<Exit> {
    let (answers, mut answered) = mpsc::channel(WAITING);
    let carrier = Carrier { client, answers, state: RefCell::default() };
    let mut lines = read_lines();
    let mut under_way: FuturesUnordered<LocalBoxFuture<'_, ()>> = FuturesUnordered::new();
    let mut listening: FuturesUnordered<LocalBoxFuture<'_, ()>> = FuturesUnordered::new();
    loop {
        tokio::select! {
            line = lines.recv() => match line {
                Some(line) => under_way.push(Box::pin(carrier.take(line))),
                None => break,
            },
            Some(answer) = answered.recv() => write(&answer)?,
            Some(()) = listening.next() => {}
            Some(()) = under_way.next() => {
                if let Some(headers) = carrier.begins_to_listen() {
                    listening.push(Box::pin(carrier.listen(headers)));
                }
            }
        }
    }
    let end = Instant::now() + LAST;
    while !under_way.is_empty() {
        tokio::select! {
            Some(answer) = answered.recv() => write(&answer)?,
            Some(()) = under_way.next() => {}
            () = sleep_until(end) => break,
        }
    }
    drop((under_way, listening));
    while let Ok(answer) = answered.try_recv() {
        write(&answer)?;
    }
    carrier.end().await;
    Ok(Exit::Done)
}

/// Writes a line. Whoever does not read on holds everything up: it is their own.
fn write(line: &str) -> Result<()> {
    let mut out = stdout().lock();
    let written = out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    written.map_err(Error::internal)
}

/// The lines of standard input, as they come.
fn read_lines() -> mpsc::Receiver<Vec<u8>> {
    let (give, take) = mpsc::channel(WAITING);
    // Reading there cannot be stopped; it ends with the process.
    thread::spawn(move || {
        let mut input = stdin().lock();
        loop {
            let mut line = Vec::new();
            match (&mut input).take(LONGEST).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) if give.blocking_send(line).is_err() => return,
                Ok(_) => {}
            }
        }
    });
    take
}

/// Between a client at standard input and the server.
struct Carrier<'a> {
    client: &'a Client,
    answers: mpsc::Sender<String>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
    /// `true` once what a session is told without having asked is to be heard.
    listens: bool,
    /// Requests without a session that are under way.
    running: HashMap<String, CancellationToken>,
}

impl Carrier<'_> {
    /// Carries one line to the server, and what it answers back.
    async fn take(&self, line: Vec<u8>) {
        let message: Value = match serde_json::from_slice(&line) {
            Ok(message) => message,
            Err(error) => return self.tell_failure(None, -32700, &format!("This line is no JSON: {error}.")).await,
        };
        let id = message.get("id").filter(|_| message.get("method").is_some()).cloned();
        if message.get("method").is_some_and(|method| method == "notifications/cancelled") && self.stop(&message) {
            return;
        }
        let stop = CancellationToken::new();
        let key = id.as_ref().map(Value::to_string).unwrap_or_default();
        if id.is_some() && message.pointer(META_VERSION).is_some() {
            self.state.borrow_mut().running.insert(key.clone(), stop.clone());
        }
        let carried = tokio::select! {
            // Closing its connection takes a request back.
            () = stop.cancelled() => Ok(()),
            carried = self.carry(&message, line) => carried,
        };
        self.state.borrow_mut().running.remove(&key);
        if let (Err(error), Some(id)) = (carried, id) {
            self.tell_failure(Some(id), -32603, error.message()).await;
        }
    }

    /// Stops a request without a session. Returns whether it was one.
    fn stop(&self, message: &Value) -> bool {
        let id = message.pointer("/params/requestId").map(Value::to_string).unwrap_or_default();
        let running = self.state.borrow_mut().running.remove(&id);
        running.inspect(CancellationToken::cancel).is_some()
    }

    async fn carry(&self, message: &Value, line: Vec<u8>) -> Result<()> {
        let headers = self.headers(message)?;
        let mut response = self.client.open(Method::POST, "/mcp", headers, line).await?;
        if message.get("method").is_some_and(|method| method == "initialize") {
            self.state.borrow_mut().session = response.headers.get(SESSION).cloned();
        }
        if message.get("method").is_some_and(|method| method == "notifications/initialized") {
            self.state.borrow_mut().listens = true;
        }
        if is_events(&response) {
            return self.carry_events(&mut response).await;
        }
        let status = response.status;
        let body = response.bytes(usize::try_from(2 * LONGEST).unwrap_or(usize::MAX)).await?;
        if body.is_empty() {
            return Ok(());
        }
        let answer: Value = serde_json::from_slice(&body).map_err(Error::internal)?;
        if answer.get("jsonrpc").is_none() {
            let detail = answer.get("detail").and_then(Value::as_str).unwrap_or("The server answered with no reason.");
            return Err(Error::upstream(format!("{detail} ({status})")));
        }
        if let Some(version) = answer.pointer("/result/protocolVersion").and_then(Value::as_str) {
            self.state.borrow_mut().version = version.parse().ok();
        }
        self.tell(answer.to_string()).await;
        Ok(())
    }

    /// The headers that say what a message says.
    fn headers(&self, message: &Value) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let Some(version) = message.pointer(META_VERSION).and_then(Value::as_str) else {
            let state = self.state.borrow();
            headers.extend(state.session.clone().map(|session| (SESSION, session)));
            headers.extend(state.version.clone().map(|version| (VERSION, version)));
            return Ok(headers);
        };
        headers.insert(VERSION, value(version)?);
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        headers.insert(METHOD, value(method)?);
        let named = match method {
            "tools/call" | "prompts/get" => message.pointer("/params/name"),
            "resources/read" => message.pointer("/params/uri"),
            _ => None,
        };
        if let Some(named) = named.and_then(Value::as_str) {
            headers.insert(NAME, value(&encoded(named))?);
        }
        Ok(headers)
    }

    async fn carry_events(&self, response: &mut Response) -> Result<()> {
        let mut rest: Vec<u8> = Vec::new();
        while let Some(piece) = response.chunk().await? {
            rest.extend_from_slice(&piece);
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = rest.drain(..=end).collect();
                if let Some(data) = line.strip_prefix(b"data: ") {
                    self.tell(String::from_utf8_lossy(data).trim_end().to_owned()).await;
                }
            }
        }
        Ok(())
    }

    /// The headers to listen with, once a session is to be listened to.
    fn begins_to_listen(&self) -> Option<HeaderMap> {
        let mut state = self.state.borrow_mut();
        if !std::mem::take(&mut state.listens) {
            return None;
        }
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        headers.insert(SESSION, state.session.clone()?);
        headers.extend(state.version.clone().map(|version| (VERSION, version)));
        Some(headers)
    }

    /// Carries what a session is told without having asked. When that ends, requests are answered still.
    async fn listen(&self, headers: HeaderMap) {
        let opened = self.client.open(Method::GET, "/mcp", headers, Vec::new()).await;
        let heard = match opened {
            Ok(mut response) if is_events(&response) => self.carry_events(&mut response).await,
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = heard {
            tracing::debug!(?error, "a session is heard no more");
        }
    }

    /// Ends the session, where there is one.
    async fn end(&self) {
        let session = self.state.borrow().session.clone();
        let Some(session) = session else { return };
        let headers = HeaderMap::from_iter([(SESSION, session)]);
        let ended = self.client.open(Method::DELETE, "/mcp", headers, Vec::new()).await;
        if let Err(error) = ended {
            tracing::debug!(?error, "a session was not ended");
        }
    }

    async fn tell(&self, answer: String) {
        // Nobody reads any more where this fails.
        let _ = self.answers.send(answer).await;
    }

    async fn tell_failure(&self, id: Option<Value>, code: i32, message: &str) {
        let error = json!({"code": code, "message": message});
        let mut failure = json!({"jsonrpc": "2.0", "error": error});
        if let (Some(id), Some(failure)) = (id, failure.as_object_mut()) {
            failure.insert("id".to_owned(), id);
        }
        self.tell(failure.to_string()).await;
    }
}

fn is_events(response: &Response) -> bool {
    let kind = response.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

fn value(text: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(text).map_err(|_| Error::invalid("A method or revision that no header holds."))
}

/// A name as a header holds it.
fn encoded(name: &str) -> String {
    let plain = name.bytes().all(|byte| (0x21..=0x7e).contains(&byte)) && !name.starts_with("=?base64?");
    if plain { name.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_header_holds_is_encoded() {
        assert_eq!(encoded("read"), "read");
        assert_eq!(encoded("satchel://documents/1"), "satchel://documents/1");
        assert_eq!(encoded("é"), "=?base64?w6k=?=");
        assert_eq!(encoded("a b"), "=?base64?YSBi?=");
        assert_eq!(encoded("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
    }
}
