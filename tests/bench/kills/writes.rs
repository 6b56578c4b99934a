//! What is written while the kill comes: one kind of write after the other, each with what acknowledges it.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::super::http::{Connection, request};

/// The end of a memory that a tool call wrote: its call must be in the audit, answered or not.
pub(super) const CALLED: &str = " called.";
/// The end of a memory that was posted.
const POSTED: &str = " posted.";

/// A write the server acknowledged.
#[derive(Debug)]
pub(super) enum Acknowledged {
    /// A tool call: its id, and what it wrote down.
    Call(String, String),
    /// A conversation: its id and its title.
    Conversation(String, String),
    /// A person's message, whose answer has begun: its conversation, and the text.
    Message(String, String),
    /// A memory: what it says.
    Memory(String),
    /// A document that is being taken in: its id and its text.
    Document(String, String),
    /// A collection, which is configuration: its name.
    Collection(String),
    /// A backup that is done: its id.
    Backup(String),
}

/// The kinds of writes, in the order in which a writer makes them.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Call,
    Conversation,
    Memory,
    Document,
    Collection,
    Message,
}

const KINDS: [Kind; 6] =
    [Kind::Call, Kind::Conversation, Kind::Memory, Kind::Document, Kind::Collection, Kind::Message];

/// One of those that write at the same time.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) key: String,
    pub(super) round: u64,
    pub(super) number: u64,
}

impl Writer {
    /// Writes in turn each kind of thing until the connection breaks; what was acknowledged. Tells `first` of the first.
    pub(super) async fn write(mut self, mut first: Option<oneshot::Sender<()>>) -> Result<Vec<Acknowledged>> {
        let mut written = Vec::new();
        // Each begins with another kind.
        let kinds = KINDS.into_iter().cycle().skip(self.number as usize);
        for (number, kind) in kinds.enumerate() {
            let what = format!("round{} writer{} number{number}", self.round, self.number);
            let Some(acknowledged) = self.one(kind, what).await? else { break };
            written.push(acknowledged);
            if let Some(first) = first.take() {
                let _ = first.send(());
            }
        }
        Ok(written)
    }

    /// One write; nothing where the connection broke before it was acknowledged.
    async fn one(&mut self, kind: Kind, what: String) -> Result<Option<Acknowledged>> {
        let acknowledged = match kind {
            Kind::Call => {
                let content = format!("{what}{CALLED}");
                let body = json!({"params": {"content": content}});
                let Some(answer) = self.post("/api/tools/save_memory/invoke", &body).await? else { return Ok(None) };
                Acknowledged::Call(text(&answer, "/meta/call_id")?, content)
            }
            Kind::Conversation => {
                let Some(id) = self.conversation(&what).await? else { return Ok(None) };
                Acknowledged::Conversation(id, what)
            }
            Kind::Memory => {
                let content = format!("{what}{POSTED}");
                let body = json!({"content": content, "category": "general"});
                let Some(_) = self.post("/api/memories", &body).await? else { return Ok(None) };
                Acknowledged::Memory(content)
            }
            Kind::Document => {
                let body = json!({"title": what, "text": format!("# {what}\n\nIt tells of locks and ferries.\n")});
                let Some(answer) = self.post("/api/knowledge/documents", &body).await? else { return Ok(None) };
                Acknowledged::Document(text(&answer, "/id")?, what)
            }
            Kind::Collection => {
                let body = json!({"name": what});
                let Some(_) = self.post("/api/knowledge/collections", &body).await? else { return Ok(None) };
                Acknowledged::Collection(what)
            }
            Kind::Message => return self.message(what).await,
        };
        Ok(Some(acknowledged))
    }

    async fn conversation(&mut self, title: &str) -> Result<Option<String>> {
        let answer = self.post("/api/conversations", &json!({"title": title})).await?;
        answer.map(|answer| text(&answer, "/id")).transpose()
    }

    /// Sends a person's message: acknowledged with the first event of its answer, which is read to its end.
    async fn message(&mut self, what: String) -> Result<Option<Acknowledged>> {
        let Some(id) = self.conversation(&what).await? else { return Ok(None) };
        let path = format!("/api/conversations/{id}/messages");
        let sent = request("POST", &path, &self.key, Some(&json!({"content": what})));
        if self.connection.stream(&sent).await.is_err() {
            return Ok(None);
        }
        let mut is_begun = false;
        while let Ok(Some(_)) = self.connection.chunk().await {
            is_begun = true;
        }
        Ok(is_begun.then_some(Acknowledged::Message(id, what)))
    }

    /// Makes backups, one after the other, until the connection breaks; those that were said to be done.
    /// Tells `first` of the first.
    pub(super) async fn back_up(mut self, mut first: Option<oneshot::Sender<()>>) -> Result<Vec<Acknowledged>> {
        let mut done = Vec::new();
        while let Some(begun) = self.post("/api/backups", &json!({})).await? {
            let id = text(&begun, "/id")?;
            loop {
                let Some(backup) = self.get(&format!("/api/backups/{id}")).await? else { return Ok(done) };
                match backup["state"].as_str() {
                    Some("running") => {}
                    Some("done") => break,
                    _ => bail!("a backup failed: {backup}"),
                }
            }
            done.push(Acknowledged::Backup(id));
            if let Some(first) = first.take() {
                let _ = first.send(());
            }
        }
        Ok(done)
    }

    /// The answer; nothing where the connection broke before it came.
    async fn post(&mut self, path: &str, body: &Value) -> Result<Option<Value>> {
        self.send("POST", path, Some(body)).await
    }

    async fn get(&mut self, path: &str) -> Result<Option<Value>> {
        self.send("GET", path, None).await
    }

    async fn send(&mut self, method: &str, path: &str, body: Option<&Value>) -> Result<Option<Value>> {
        let Ok(answer) = self.connection.send(&request(method, path, &self.key, body)).await else { return Ok(None) };
        answer.json().with_context(|| format!("{method} {path}")).map(Some)
    }
}

fn text(answer: &Value, pointer: &str) -> Result<String> {
    let found = answer.pointer(pointer).and_then(Value::as_str);
    found.map(str::to_owned).with_context(|| format!("no {pointer} in {answer}"))
}
