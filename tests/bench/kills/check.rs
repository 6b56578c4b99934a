//! Asks a server that was killed and started again for everything it had acknowledged.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::{
    super::http::{Connection, request},
    writes::{Acknowledged, CALLED},
};

/// Longest wait for what a kill interrupted to be taken up again and finished.
const PATIENCE: Duration = Duration::from_secs(120);

/// The findings of one round.
#[derive(Default)]
pub(super) struct Found {
    /// Writes without an answer that stand all the same.
    pub(super) kept: u64,
    /// Calls the kill interrupted, closed as failed.
    pub(super) closed: u64,
    /// Backups that a drill found whole.
    pub(super) verified: u64,
    /// One line for each broken promise.
    pub(super) lost: Vec<String>,
    /// The number of the newest audit row.
    pub(super) newest: i64,
}

/// The client that checks.
pub(super) struct Check<'a> {
    pub(super) connection: Connection,
    pub(super) key: &'a str,
    pub(super) round: u64,
    /// The data directory.
    pub(super) data: PathBuf,
}

impl Check<'_> {
    /// Checks everything; audit rows up to `seen` were looked at before.
    pub(super) async fn all(mut self, written: &[Acknowledged], seen: i64) -> Result<Found> {
        let mut found = Found { lost: half_done(&self.data), ..Found::default() };
        let verified = self.ask("POST", "/api/audit/verify").await?;
        if verified["ok"] != Value::Bool(true) {
            found.lost.push(format!("the chain does not verify: {verified}"));
        }
        let audit = self.audit_since(seen).await?;
        let memories = self.memories().await?;
        let collections = self.collections().await?;
        for write in written {
            let kept = match write {
                Acknowledged::Call(id, content) => {
                    let row = audit.get(id).is_some_and(|row| row["outcome"] == "success");
                    row && memories.contains_key(content)
                }
                Acknowledged::Memory(content) => memories.contains_key(content),
                Acknowledged::Collection(name) => collections.contains(name),
                Acknowledged::Conversation(id, title) => {
                    let answer = self.ask("GET", &format!("/api/conversations/{id}")).await;
                    answer.is_ok_and(|conversation| conversation["title"] == title.as_str())
                }
                Acknowledged::Message(id, text) => self.has_message(id, text).await?,
                Acknowledged::Document(id, text) => self.has_document(id, text).await?,
                Acknowledged::Backup(id) => self.backup(id).await.is_ok(),
            };
            if !kept {
                found.lost.push(format!("lost {write:?}"));
            }
        }
        // What was remembered is private and stands in no row: the calls are counted.
        let calls = audit.values().filter(|row| row["tool"] == "builtin:save_memory").count();
        let done = memories.keys().filter(|content| content.ends_with(CALLED)).count();
        if done > calls {
            found.lost.push(format!("{done} calls were done and {calls} are in the audit"));
        }
        for (content, count) in &memories {
            if *count > 1 {
                found.lost.push(format!("'{content}' is there {count} times"));
            }
            found.kept += u64::from(!written.iter().any(|write| write.memory() == Some(content)));
        }
        match self.backups().await? {
            Ok(verified) => found.verified = verified,
            Err(wrong) => found.lost.extend(wrong),
        }
        found.closed = audit.values().filter(|row| row["outcome"] == "failure").count() as u64;
        found.newest = audit.values().filter_map(|row| row["seq"].as_i64()).max().unwrap_or(seen);
        for lost in &mut found.lost {
            *lost = format!("round {}: {lost}", self.round);
        }
        Ok(found)
    }

    /// Returns whether a text stands in a conversation, once, whose interrupted turn was ended.
    async fn has_message(&mut self, id: &str, text: &str) -> Result<bool> {
        let view = self.until(&format!("/api/conversations/{id}"), |view| view["state"] != "running").await?;
        let messages = view["messages"].as_array().context("no messages")?;
        Ok(messages.iter().filter(|message| message["role"] == "user" && message["text"] == text).count() == 1)
    }

    /// Returns whether a document is taken in to its end, with its text.
    async fn has_document(&mut self, id: &str, text: &str) -> Result<bool> {
        let path = format!("/api/knowledge/documents/{id}");
        let at_work = ["queued", "reading", "embedding"];
        let settled = |document: &Value| !document["status"].as_str().is_some_and(|status| at_work.contains(&status));
        let document = self.until(&path, settled).await?;
        let content = self.connection.send(&request("GET", &format!("{path}/content"), self.key, None)).await?;
        Ok(document["status"] == "ready" && String::from_utf8_lossy(&content.body).contains(text))
    }

    /// A backup that was said to be done.
    async fn backup(&mut self, id: &str) -> Result<()> {
        let backup = self.ask("GET", &format!("/api/backups/{id}")).await?;
        if backup["state"] != "done" {
            bail!("{backup}");
        }
        Ok(())
    }

    /// Returns the number of backups that were found whole: the newest that is listed as done, where there is one. Else
    /// what is wrong with it, and with those that are not done.
    async fn backups(&mut self) -> Result<Result<u64, Vec<String>>> {
        let list = self.ask("GET", "/api/backups").await?;
        let all = list.as_array().context("no list")?;
        let mut wrong: Vec<String> =
            all.iter().filter(|backup| backup["state"] == "running").map(|b| format!("still running: {b}")).collect();
        let mut whole = 0;
        let done = all.iter().find(|backup| backup["state"] == "done");
        if let Some(id) = done.and_then(|backup| backup["id"].as_str()) {
            self.ask("POST", &format!("/api/backups/{id}/verify")).await?;
            let path = format!("/api/backups/{id}");
            let verified = self.until(&path, |backup| backup["progress"].is_null()).await?;
            match verified.pointer("/verified/ok") {
                Some(Value::Bool(true)) => whole += 1,
                _ => wrong.push(format!("a backup does not verify: {verified}")),
            }
        }
        Ok(if wrong.is_empty() { Ok(whole) } else { Err(wrong) })
    }

    /// The rows of tool calls after `seen`, by call.
    async fn audit_since(&mut self, seen: i64) -> Result<HashMap<String, Value>> {
        let mut rows = HashMap::new();
        let mut before = String::new();
        loop {
            let page = self.ask("GET", &format!("/api/audit?limit=200{before}")).await?;
            let entries = page["entries"].as_array().context("no entries")?;
            for entry in entries.iter().filter(|entry| entry["seq"].as_i64() > Some(seen)) {
                let key = entry["call_id"].as_str().map_or_else(|| format!("seq {}", entry["seq"]), str::to_owned);
                if rows.insert(key.clone(), entry.clone()).is_some() {
                    bail!("round {}: two audit rows for {key}", self.round);
                }
            }
            let oldest = entries.last().and_then(|entry| entry["seq"].as_i64()).unwrap_or(0);
            if oldest <= seen || page["next"].is_null() {
                return Ok(rows);
            }
            before = format!("&before={}", page["next"]);
        }
    }

    /// Returns the number of times each of this round's memories is there.
    async fn memories(&mut self) -> Result<HashMap<String, usize>> {
        let list = self.ask("GET", &format!("/api/memories?q=round{}", self.round)).await?;
        let start = format!("round{} ", self.round);
        let mut counts = HashMap::new();
        for memory in list.as_array().context("no list")? {
            let content = memory["content"].as_str().unwrap_or_default();
            if content.starts_with(&start) {
                *counts.entry(content.to_owned()).or_default() += 1;
            }
        }
        Ok(counts)
    }

    async fn collections(&mut self) -> Result<HashSet<String>> {
        let collections = self.ask("GET", "/api/knowledge/collections").await?;
        let names = collections.as_array().context("no collections")?.iter().filter_map(|one| one["name"].as_str());
        Ok(names.map(str::to_owned).collect())
    }

    /// Asks until the answer is like that.
    async fn until(&mut self, path: &str, holds: impl Fn(&Value) -> bool) -> Result<Value> {
        let asking = async {
            loop {
                let answer = self.ask("GET", path).await?;
                if holds(&answer) {
                    return Ok(answer);
                }
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, asking).await.with_context(|| format!("{path} did not come to an end"))?
    }

    async fn ask(&mut self, method: &str, path: &str) -> Result<Value> {
        let answer = self.connection.send(&request(method, path, self.key, None)).await?;
        answer.json().with_context(|| format!("{method} {path}"))
    }
}

/// Returns the leftovers of backups that the kill cut: a start removes them.
fn half_done(data: &Path) -> Vec<String> {
    let names = |folder: &str| {
        let entries = fs::read_dir(data.join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path().display().to_string()).collect::<Vec<_>>()
    };
    let mut left = names("work");
    left.extend(names("backups").into_iter().filter(|name| name.ends_with(".part")));
    left.into_iter().map(|name| format!("{name} is left of a backup")).collect()
}

impl Acknowledged {
    /// The memory it wrote.
    fn memory(&self) -> Option<&String> {
        match self {
            Self::Call(_, content) | Self::Memory(content) => Some(content),
            _ => None,
        }
    }
}
