//! The crash test: a server under mixed writes is killed at a random point, started again, and asked for everything it
//! had acknowledged. Also run, shorter, by the integration tests.

use std::{collections::HashMap, time::Duration};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::{
    sync::oneshot,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    http::{Connection, request},
    server::{Home, Server},
};

/// Writers at work when the kill comes.
const WRITERS: u64 = 8;
/// Kills on one data directory; then a fresh one, so that reading back stays quick.
const KILLS_A_HOME: u64 = 20;
/// The kill comes between nothing and this after the first write.
const LATEST_KILL_MS: u64 = 250;

/// How a memory ends that a tool call wrote: its call must be in the audit, answered or not.
const CALLED: &str = " called.";

/// What the kills left.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// How often it was killed.
    pub(crate) kills: u64,
    /// Writes whose answer came before the kill.
    pub(crate) acknowledged: u64,
    /// Writes without an answer that stand all the same.
    pub(crate) kept: u64,
    /// Calls the kill interrupted, closed as failed at the next start.
    pub(crate) closed: u64,
    /// One line for each broken promise.
    pub(crate) lost: Vec<String>,
}

/// A write the server acknowledged.
#[derive(Debug)]
enum Acknowledged {
    /// A tool call: its id, and what it wrote down.
    Call(String, String),
    /// A conversation: its id and its title.
    Conversation(String, String),
    /// A memory: what it says.
    Memory(String),
}

/// Kills `kills` times; the same `seed` gives the same points in time.
pub(crate) async fn rounds(kills: u64, seed: u64) -> Result<Summary> {
    let mut summary = Summary::default();
    let mut random = Random(seed | 1);
    while summary.kills < kills {
        let home = Home::new()?;
        Server::start(&home, &[]).await?.kill().await?;
        let key = home.key().await?;
        let mut seen = 0;
        for _ in 0..KILLS_A_HOME.min(kills - summary.kills) {
            let round = Round { number: summary.kills, key: key.clone() };
            let wait = Duration::from_millis(random.below(LATEST_KILL_MS));
            let written = round.write_and_kill(&home, wait).await?;
            summary.kills += 1;
            summary.acknowledged += written.len() as u64;
            seen = round.check(&home, &written, seen, &mut summary).await?;
        }
    }
    Ok(summary)
}

struct Round {
    number: u64,
    key: String,
}

impl Round {
    async fn write_and_kill(&self, home: &Home, wait: Duration) -> Result<Vec<Acknowledged>> {
        let server = Server::start(home, &[]).await?;
        let mut writers = JoinSet::new();
        let (first, mut started) = oneshot::channel();
        let mut first = Some(first);
        for writer in 0..WRITERS {
            let connection = Connection::open(server.address()).await?;
            let (round, key) = (self.number, self.key.clone());
            writers.spawn(write(connection, round, writer, key, first.take()));
        }
        timeout(Duration::from_secs(30), &mut started).await.context("nothing was written")??;
        sleep(wait).await;
        server.kill().await?;
        let mut written = Vec::new();
        while let Some(acknowledged) = writers.join_next().await {
            written.extend(acknowledged??);
        }
        Ok(written)
    }

    /// Starts again and asks for everything; the number of the newest audit row.
    async fn check(&self, home: &Home, written: &[Acknowledged], seen: i64, summary: &mut Summary) -> Result<i64> {
        let server = Server::start(home, &[]).await?;
        let mut connection = Connection::open(server.address()).await?;
        let verified = self.ask(&mut connection, "POST", "/api/audit/verify").await?;
        if verified.get("ok") != Some(&Value::Bool(true)) {
            summary.lost.push(format!("round {}: the chain does not verify: {verified}", self.number));
        }
        let audit = self.audit_since(&mut connection, seen).await?;
        let memories = self.memories(&mut connection).await?;
        for write in written {
            if let Some(loss) = self.loss(&mut connection, write, &audit, &memories).await? {
                summary.lost.push(format!("round {}: {loss}", self.number));
            }
        }
        // What was remembered is private and stands in no row: the calls are counted.
        let calls = audit.values().filter(|row| row["tool"] == "builtin:save_memory").count();
        let done = memories.keys().filter(|content| content.ends_with(CALLED)).count();
        if done > calls {
            summary.lost.push(format!("round {}: {done} calls were done and {calls} are in the audit", self.number));
        }
        for (content, count) in &memories {
            if *count > 1 {
                summary.lost.push(format!("round {}: '{content}' is there {count} times", self.number));
            }
            summary.kept += u64::from(!written.iter().any(|write| write.content() == Some(content)));
        }
        summary.closed += audit.values().filter(|row| row["outcome"] == "failure").count() as u64;
        let newest = audit.values().filter_map(|row| row["seq"].as_i64()).max().unwrap_or(seen);
        server.kill().await?;
        Ok(newest)
    }

    /// What is missing of an acknowledged write.
    async fn loss(
        &self,
        connection: &mut Connection,
        write: &Acknowledged,
        audit: &HashMap<String, Value>,
        memories: &HashMap<String, usize>,
    ) -> Result<Option<String>> {
        let kept = match write {
            Acknowledged::Call(id, content) => {
                let row = audit.get(id).is_some_and(|row| row["outcome"] == "success");
                row && memories.contains_key(content)
            }
            Acknowledged::Memory(content) => memories.contains_key(content),
            Acknowledged::Conversation(id, title) => {
                let answer = self.ask(connection, "GET", &format!("/api/conversations/{id}")).await;
                answer.is_ok_and(|conversation| conversation["title"] == title.as_str())
            }
        };
        Ok((!kept).then(|| format!("lost {write:?}")))
    }

    /// The rows of tool calls after `seen`, by call.
    async fn audit_since(&self, connection: &mut Connection, seen: i64) -> Result<HashMap<String, Value>> {
        let mut rows = HashMap::new();
        let mut before = String::new();
        loop {
            let page = self.ask(connection, "GET", &format!("/api/audit?limit=200{before}")).await?;
            let entries = page["entries"].as_array().context("no entries")?;
            for entry in entries.iter().filter(|entry| entry["seq"].as_i64() > Some(seen)) {
                let key = entry["call_id"].as_str().map_or_else(|| format!("seq {}", entry["seq"]), str::to_owned);
                if rows.insert(key.clone(), entry.clone()).is_some() {
                    bail!("round {}: two audit rows for {key}", self.number);
                }
            }
            let oldest = entries.last().and_then(|entry| entry["seq"].as_i64()).unwrap_or(0);
            if oldest <= seen || page["next"].is_null() {
                return Ok(rows);
            }
            before = format!("&before={}", page["next"]);
        }
    }

    /// How often each of this round's memories is there.
    async fn memories(&self, connection: &mut Connection) -> Result<HashMap<String, usize>> {
        let list = self.ask(connection, "GET", &format!("/api/memories?q=round{}", self.number)).await?;
        let start = format!("round{} ", self.number);
        let mut counts = HashMap::new();
        for memory in list.as_array().context("no list")? {
            let content = memory["content"].as_str().unwrap_or_default();
            if content.starts_with(&start) {
                *counts.entry(content.to_owned()).or_default() += 1;
            }
        }
        Ok(counts)
    }

    async fn ask(&self, connection: &mut Connection, method: &str, path: &str) -> Result<Value> {
        connection
            .send(&request(method, path, &self.key, None))
            .await?
            .json()
            .with_context(|| format!("{method} {path}"))
    }
}

impl Acknowledged {
    fn content(&self) -> Option<&String> {
        match self {
            Self::Call(_, content) | Self::Memory(content) => Some(content),
            Self::Conversation(..) => None,
        }
    }
}

/// Writes in turn each kind of thing until the connection breaks; what was acknowledged.
async fn write(
    mut connection: Connection,
    round: u64,
    writer: u64,
    key: String,
    mut first: Option<oneshot::Sender<()>>,
) -> Result<Vec<Acknowledged>> {
    let mut written = Vec::new();
    for number in 0_u64.. {
        let kind = (writer + number) % 3;
        let how = if kind == 0 { CALLED } else { " posted." };
        let content = format!("round{round} writer{writer} number{number}{how}");
        let (path, body) = match kind {
            0 => ("/api/tools/save_memory/invoke", json!({"params": {"content": content}})),
            1 => ("/api/conversations", json!({"title": content})),
            _ => ("/api/memories", json!({"content": content, "category": "general"})),
        };
        let Ok(answer) = connection.send(&request("POST", path, &key, Some(&body))).await else { break };
        let answer = answer.json().with_context(|| path.to_owned())?;
        let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        written.push(match kind {
            0 => Acknowledged::Call(text("/meta/call_id").with_context(|| answer.to_string())?, content),
            1 => Acknowledged::Conversation(text("/id").context("no id")?, content),
            _ => Acknowledged::Memory(content),
        });
        if let Some(first) = first.take() {
            let _ = first.send(());
        }
    }
    Ok(written)
}

/// Enough randomness to choose a point in time (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}
