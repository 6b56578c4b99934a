//! The audit: append-only rows, each bound to the one before by its hash.
//!
//! `hash = SHA-256(prev_hash ‖ seq as 8 bytes big-endian ‖ body)`, body being [`Event::body`] as JSON text.
//! The first row's `prev_hash` is 32 zero bytes.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::db::Db;
use crate::model::{
    audit::{Anchor, AuditOutcome, Entry, Event, Verification},
    call::CallId,
    error::{Error, Kind, Result},
    time::Time,
};

/// How a call's end changes what is learned of its tool (R43).
#[derive(Debug, Clone, PartialEq)]
pub struct Reward {
    /// Canonical id.
    pub tool: String,
    /// Added to the weight.
    pub change: f64,
    /// Whether the call failed.
    pub failed: bool,
}

/// Least and greatest learned weight.
const WEIGHT: (f64, f64) = (0.1, 5.0);

/// The audit of one database. Cheap to clone.
#[derive(Clone)]
pub struct Audit {
    db: Db,
}

impl Audit {
    /// The audit of this database.
    pub fn of(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Appends a row; it is on the disk when this returns. Returns its number.
    pub async fn append(&self, event: Event) -> Result<i64> {
        let row = Row::of(event)?;
        self.db.append(move |c| row.insert(c)).await
    }

    /// Notes that a call that changes things is about to run.
    pub async fn open_call(&self, call: CallId, event: Event) -> Result<()> {
        let event = serde_json::to_string(&event).map_err(Error::internal)?;
        self.db
            .write(move |c| {
                c.prepare_cached("INSERT INTO open_calls (call_id, event) VALUES (?1, ?2)")?
                    .execute((call.to_string(), event))?;
                Ok(())
            })
            .await
    }

    /// Appends the row of a call and learns from it, all or nothing.
    pub async fn append_call(&self, event: Event, reward: Option<Reward>) -> Result<i64> {
        self.end_call(event, reward, None).await
    }

    /// As [`Audit::append_call`], for a call [`Audit::open_call`] has noted: it is no longer open.
    pub async fn close_call(&self, event: Event, reward: Option<Reward>) -> Result<i64> {
        let open = event.call_id;
        self.end_call(event, reward, open).await
    }

    async fn end_call(&self, event: Event, reward: Option<Reward>, open: Option<CallId>) -> Result<i64> {
        let row = Row::of(event)?;
        self.db
            .append(move |c| {
                if let Some(call) = open {
                    c.prepare_cached("DELETE FROM open_calls WHERE call_id = ?1")?.execute([call.to_string()])?;
                }
                if let Some(reward) = reward {
                    learn(c, &reward, row.event.time)?;
                }
                row.insert(c)
            })
            .await
    }

    /// Writes the rows of calls that were in flight when the process ended. Returns how many.
    pub async fn close_interrupted(&self, now: Time) -> Result<usize> {
        self.db
            .write(move |c| {
                let events: Vec<String> = c
                    .prepare("SELECT event FROM open_calls ORDER BY call_id")?
                    .query_map([], |row| row.get(0))?
                    .collect::<rusqlite::Result<_>>()?;
                for text in &events {
                    let mut event: Event = serde_json::from_str(text).map_err(Error::internal)?;
                    event.time = now;
                    event.outcome = AuditOutcome::Failure;
                    event.error = Some("The server stopped while it ran: it may or may not have taken effect.".into());
                    append(c, &event)?;
                }
                c.execute("DELETE FROM open_calls", [])?;
                Ok(events.len())
            })
            .await
    }

    /// Takes an anchor: the last row's number and hash, to be kept elsewhere.
    pub async fn anchor(&self, now: Time) -> Result<Anchor> {
        let head = self.db.read(head).await?;
        let (seq, hash) = head.ok_or_else(|| Error::conflict("The audit is empty: there is nothing to anchor yet."))?;
        Ok(Anchor { seq, hash: hex::encode(hash), at: now })
    }

    /// Reads the whole chain and says whether it stands.
    pub async fn verify(&self, anchors: Vec<Anchor>, now: Time) -> Result<Verification> {
        self.db.read(move |c| verify(c, &anchors, now)).await
    }
}

fn head(c: &Connection) -> Result<Option<(i64, [u8; 32])>> {
    let mut statement = c.prepare_cached("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1")?;
    Ok(statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// Appends a row in the transaction of what it tells of. Returns its number.
pub(super) fn append(c: &Connection, event: &Event) -> Result<i64> {
    Row::of(event.clone())?.insert(c)
}

/// A row whose place in the chain is not known yet. What can be written out before is: the one writer has to wait for
/// nothing but its hash.
struct Row {
    event: Event,
    body: String,
    arguments: String,
}

impl Row {
    fn of(event: Event) -> Result<Self> {
        Ok(Self { body: event.body()?, arguments: event.arguments.to_string(), event })
    }

    fn insert(&self, c: &Connection) -> Result<i64> {
        let Self { event, body, arguments } = self;
        let (last, prev) = head(c)?.unwrap_or((0, [0; 32]));
        let seq = last + 1;
        let hash = chain(&prev, seq, body);
        c.prepare_cached(
            "INSERT INTO audit (seq, time, event_type, user_id, user, topic, tool, door, action, arguments, risk,
                                outcome, error, duration_ms, call_id, prev_hash, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?
        .execute(params![
            seq,
            event.time.millis(),
            event.event_type.as_str(),
            event.user_id.map(|id| id.to_string()),
            event.user,
            event.topic.map(|id| id.to_string()),
            event.tool,
            event.door.as_str(),
            event.action,
            arguments,
            event.risk.map(crate::model::spec::Risk::as_str),
            event.outcome.as_str(),
            event.error,
            event.duration_ms.map(i64::try_from).transpose().map_err(Error::internal)?,
            event.call_id.map(|id| id.to_string()),
            prev,
            hash,
        ])?;
        Ok(seq)
    }
}

fn chain(prev: &[u8], seq: i64, body: &str) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(prev);
    digest.update(seq.to_be_bytes());
    digest.update(body.as_bytes());
    digest.finalize().into()
}

fn learn(c: &Connection, reward: &Reward, now: Time) -> Result<()> {
    let (least, most) = WEIGHT;
    c.prepare_cached(
        "INSERT INTO tool_outcomes (tool, calls, failures, weight, last_used_at)
         VALUES (?1, 1, ?2, min(max(1.0 + ?3, ?5), ?6), ?4)
         ON CONFLICT (tool) DO UPDATE SET calls = calls + 1, failures = failures + excluded.failures,
           weight = min(max(weight + ?3, ?5), ?6), last_used_at = excluded.last_used_at",
    )?
    .execute((&reward.tool, reward.failed, reward.change, now.millis(), least, most))?;
    Ok(())
}

/// Reads the chain from its first row: every number in order, every hash right, every anchor met.
pub fn verify(c: &Connection, anchors: &[Anchor], now: Time) -> Result<Verification> {
    let mut statement = c.prepare("SELECT * FROM audit ORDER BY seq")?;
    let mut rows = statement.query([])?;
    let (mut seq, mut prev) = (0_i64, vec![0_u8; 32]);
    let mut problem = None;
    while let Some(row) = rows.next()? {
        let stored = StoredRow::read(row)?;
        problem = stored.problem(seq + 1, &prev).or_else(|| missed(anchors, stored.seq, &stored.hash));
        if problem.is_some() {
            break;
        }
        (seq, prev) = (stored.seq, stored.hash);
    }
    let problem = problem.or_else(|| {
        let beyond = anchors.iter().find(|a| a.seq > seq)?;
        Some(format!(
            "The chain ends at entry {seq}, but entry {} was anchored {}: its end was cut off.",
            beyond.seq, beyond.at
        ))
    });
    let head = (seq > 0).then(|| hex::encode(&prev));
    Ok(Verification { ok: problem.is_none(), entries: seq, head, problem, verified_at: now })
}

/// Reads anchors, one JSON object a line.
pub fn parse_anchors(anchors: &str) -> Result<Vec<Anchor>> {
    let found = serde_json::Deserializer::from_str(anchors).into_iter().collect::<serde_json::Result<_>>();
    found.map_err(|e| Error::invalid(format!("Line {} of the anchors is not an anchor: {e}.", e.line())))
}

fn missed(anchors: &[Anchor], seq: i64, hash: &[u8]) -> Option<String> {
    let anchor = anchors.iter().find(|a| a.seq == seq && a.hash != hex::encode(hash))?;
    Some(format!("Entry {seq} is not the one anchored {}: the chain was written anew.", anchor.at))
}

/// A row as it stands in the table, its hashed part rebuilt from the columns.
struct StoredRow {
    seq: i64,
    body: Value,
    prev: Vec<u8>,
    hash: Vec<u8>,
}

impl StoredRow {
    fn read(row: &rusqlite::Row<'_>) -> Result<Self> {
        let text = |name: &str| row.get::<_, Option<String>>(name);
        let arguments: String = row.get("arguments")?;
        let body = json!({
            "time": row.get::<_, i64>("time")?,
            "event_type": text("event_type")?,
            "user_id": text("user_id")?,
            "user": text("user")?,
            "topic": text("topic")?,
            "tool": text("tool")?,
            "door": text("door")?,
            "action": text("action")?,
            "arguments": serde_json::from_str::<Value>(&arguments).unwrap_or(Value::String(arguments)),
            "risk": text("risk")?,
            "outcome": text("outcome")?,
            "error": text("error")?,
            "duration_ms": row.get::<_, Option<i64>>("duration_ms")?,
            "call_id": text("call_id")?,
        });
        Ok(Self { seq: row.get("seq")?, body, prev: row.get("prev_hash")?, hash: row.get("hash")? })
    }

    fn problem(&self, seq: i64, prev: &[u8]) -> Option<String> {
        if self.seq != seq {
            return Some(format!("Entry {seq} is missing: the next one is {}.", self.seq));
        }
        if self.prev != prev {
            return Some(format!("Entry {seq} does not follow the entry before it."));
        }
        if chain(prev, seq, &self.body.to_string()).as_slice() != self.hash {
            return Some(format!("Entry {seq} was changed after it was written."));
        }
        None
    }

    fn entry(self) -> Result<Entry> {
        let mut whole = self.body;
        if let Value::Object(fields) = &mut whole {
            let time = fields.get("time").and_then(Value::as_i64).unwrap_or_default();
            fields.insert("time".into(), json!(Time::from_millis(time)));
            fields.insert("seq".into(), json!(self.seq));
            fields.insert("prev_hash".into(), json!(hex::encode(self.prev)));
            fields.insert("hash".into(), json!(hex::encode(self.hash)));
        }
        serde_json::from_value(whole).map_err(Error::internal)
    }
}

/// Which rows a query wants; empty fields want all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Rows before this number.
    pub before: Option<i64>,
    /// Rows after this number.
    pub after: Option<i64>,
    /// `tool_invocation`, `chat_turn`, `auth`, `admin_action`; several by commas.
    pub event_type: Option<String>,
    /// Canonical id of the tool, or its bare name.
    pub tool: Option<String>,
    /// User name; several by commas.
    pub user: Option<String>,
    /// Only rows of this user's id, whatever else is asked.
    pub user_id: Option<String>,
    /// `success`, `failure`, `refused`, `waiting`; several by commas.
    pub outcome: Option<String>,
    /// Risks; several by commas.
    pub risk: Option<String>,
    /// Doors; several by commas.
    pub door: Option<String>,
    /// The conversation's id.
    pub topic: Option<String>,
    /// Text that stands in the tool, the action, the arguments or the error.
    pub text: Option<String>,
}

impl Filter {
    /// A condition and what it binds, in order.
    fn clause(&self) -> (String, Vec<String>) {
        let mut conditions = vec!["1".to_owned()];
        let mut bound = Vec::new();
        let numbers = [("seq < ?", self.before), ("seq > ?", self.after)];
        for (condition, number) in numbers {
            if let Some(number) = number {
                conditions.push(condition.replace('?', &number.to_string()));
            }
        }
        let lists = [
            ("event_type", &self.event_type),
            ("user", &self.user),
            ("user_id", &self.user_id),
            ("outcome", &self.outcome),
            ("risk", &self.risk),
            ("door", &self.door),
            ("topic", &self.topic),
        ];
        for (column, list) in lists {
            let Some(list) = list.as_deref().filter(|l| !l.is_empty()) else { continue };
            let marks: Vec<&str> = list
                .split(',')
                .map(|value| {
                    bound.push(value.trim().to_owned());
                    "?"
                })
                .collect();
            conditions.push(format!("{column} IN ({})", marks.join(", ")));
        }
        if let Some(tool) = self.tool.as_deref().filter(|t| !t.is_empty()) {
            conditions.push("tool IN (?, 'builtin:' || ?)".to_owned());
            bound.extend([tool.to_owned(), tool.to_owned()]);
        }
        if let Some(text) = self.text.as_deref().filter(|t| !t.is_empty()) {
            conditions.push("instr(lower(coalesce(tool, '') || ' ' || user || ' ' || action || ' ' || arguments || ' ' || coalesce(error, '') || ' ' || coalesce(call_id, '')), lower(?)) > 0".to_owned());
            bound.push(text.to_owned());
        }
        (conditions.join(" AND "), bound)
    }
}

impl Audit {
    /// The newest rows that pass, newest first.
    pub async fn find(&self, filter: Filter, limit: u32) -> Result<Vec<Entry>> {
        self.db
            .read(move |c| {
                let (condition, bound) = filter.clause();
                let order = if filter.after.is_some() { "ASC" } else { "DESC" };
                let sql = format!("SELECT * FROM audit WHERE {condition} ORDER BY seq {order} LIMIT {limit}");
                let mut statement = c.prepare(&sql)?;
                let mut rows = statement.query(rusqlite::params_from_iter(bound))?;
                let mut entries = Vec::new();
                while let Some(row) = rows.next()? {
                    entries.push(StoredRow::read(row)?.entry()?);
                }
                Ok(entries)
            })
            .await
    }

    /// One row by its number.
    pub async fn get(&self, seq: i64) -> Result<Entry> {
        let filter = Filter { after: Some(seq.saturating_sub(1)), ..Filter::default() };
        let found = self.find(filter, 1).await?.into_iter().find(|e| e.seq == seq);
        found.ok_or_else(|| Error::new(Kind::NotFound, format!("There is no audit entry {seq}.")))
    }

    /// How many rows stand under each value of a facet: `{column: {value: count}}`.
    pub async fn facets(&self) -> Result<Value> {
        self.db
            .read(|c| {
                let mut facets = serde_json::Map::new();
                for column in ["outcome", "risk", "door", "user", "event_type", "tool"] {
                    let sql = format!("SELECT {column}, count(*) FROM audit WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 20");
                    let mut statement = c.prepare(&sql)?;
                    let counts = statement
                        .query_map([], |row| Ok((row.get::<_, String>(0)?, json!(row.get::<_, i64>(1)?))))?
                        .collect::<rusqlite::Result<serde_json::Map<_, _>>>()?;
                    facets.insert(column.to_owned(), Value::Object(counts));
                }
                Ok(Value::Object(facets))
            })
            .await
    }
}
