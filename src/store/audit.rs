//! The audit: append-only rows, each bound to the one before by its hash.
//!
//! `hash = SHA-256(prev_hash ‖ seq as 8 bytes big-endian ‖ body)`, body being [`Event::body`] as JSON text; in rows of
//! format 1 without `approved_by` and `edited`, in those before format 3 without `agent` and `situation`. The first row's
//! `prev_hash` is 32 zero bytes.

mod backfill;
mod counts;
mod facets;
mod filter;
mod find;
mod histogram;
mod kinds;
mod past;
mod stretches;
mod tally;
#[cfg(test)]
mod tests;
mod unnamed;
mod verify;
mod wanted;
mod words;

use std::sync::Arc;

use sha2::{Digest, Sha256};

use self::kinds::Kinds;
pub use self::{
    filter::Filter,
    find::{MAX_BYTES, Page},
    past::{Past, PastCall, PastPage},
    verify::{parse_anchors, verify},
};
use super::{
    db::Db,
    nodes::ABANDONED,
    sql::{Tx, params},
};
use satchel_model::{
    audit::{Anchor, AuditOutcome, Event, FORMAT, Verification},
    call::CallId,
    error::{Error, Result},
    time::Time,
};

/// How a call's end changes what is learned of its tool.
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
    kinds: Arc<Kinds>,
}

impl Audit {
    /// The audit of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone(), kinds: Arc::default() }
    }

    /// Appends a row; it is on the disk when this returns. Returns its number.
    pub async fn append(&self, event: Event) -> Result<i64> {
        let row = Row::new(event)?;
        self.db.append(move |tx| row.insert(tx)).await
    }

    /// Notes that a call that changes things is about to run.
    pub async fn open_call(&self, call: CallId, event: Event) -> Result<()> {
        let event = serde_json::to_string(&event).map_err(Error::internal)?;
        let (sql, node) = ("INSERT INTO open_calls (call_id, event, node) VALUES (?1, ?2, ?3)", self.db.node());
        self.db.write(move |tx| tx.run(sql, (call.to_string(), event, node.to_string())).map(drop)).await
    }

    /// Appends the row of a call and learns from it, all or nothing.
    pub async fn append_call(&self, event: Event, reward: Option<Reward>) -> Result<()> {
        self.end_call(event, reward, None).await
    }

    /// As [`Audit::append_call`], for a call [`Audit::open_call`] has noted: it is no longer open. Nothing happens where this
    /// node was taken for gone, and another has closed it.
    pub async fn close_call(&self, event: Event, reward: Option<Reward>) -> Result<()> {
        let open = event.call_id;
        self.end_call(event, reward, open).await
    }

    async fn end_call(&self, event: Event, reward: Option<Reward>, open: Option<CallId>) -> Result<()> {
        let (row, node) = (Row::new(event)?, self.db.node());
        self.db
            .append(move |tx| {
                let sql = "DELETE FROM open_calls WHERE call_id = ?1 AND node = ?2";
                if let Some(call) = open
                    && tx.run(sql, (call.to_string(), node.to_string()))? == 0
                {
                    return Ok(());
                }
                if let Some(reward) = reward {
                    learn(tx, &reward, row.event.time)?;
                }
                row.insert(tx).map(drop)
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
        self.db.read(move |tx| verify(tx, &anchors, now)).await
    }
}

/// Writes the rows of calls that were left in flight. Returns how many.
pub(super) fn close_left(tx: &Tx, now: Time) -> Result<usize> {
    let sql = format!("DELETE FROM open_calls WHERE {ABANDONED} RETURNING call_id, event");
    let mut left = tx.all(&sql, (), |row| Ok((row.get::<String>("call_id")?, row.json::<Event>("event")?)))?;
    left.sort_by(|(one, _), (other, _)| one.cmp(other));
    let error = Some("The server stopped while it ran: it may or may not have taken effect.".to_owned());
    for (_, event) in &left {
        append(tx, &Event { time: now, outcome: AuditOutcome::Failure, error: error.clone(), ..event.clone() })?;
    }
    Ok(left.len())
}

fn head(tx: &Tx) -> Result<Option<(i64, [u8; 32])>> {
    let sql = "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1";
    tx.first(sql, (), |row| Ok((row.get("seq")?, row.get("hash")?)))
}

/// Appends a row in the transaction of what it tells of. Returns its number.
pub(super) fn append(tx: &Tx, event: &Event) -> Result<i64> {
    Row::new(event.clone())?.insert(tx)
}

/// A row whose place in the chain is not known yet. What can be written out before is: the one writer has to wait for
/// nothing but its hash.
struct Row {
    event: Event,
    body: String,
    arguments: String,
    edited: Option<String>,
    situation: Option<String>,
}

impl Row {
    fn new(event: Event) -> Result<Self> {
        let event = event.bounded();
        let edited = (!event.edited.is_empty()).then(|| serde_json::to_string(&event.edited)).transpose();
        let edited = edited.map_err(Error::internal)?;
        let situation = event.situation.as_ref().map(serde_json::to_string).transpose().map_err(Error::internal)?;
        Ok(Self { body: event.body()?, arguments: event.arguments.to_string(), edited, situation, event })
    }

    fn insert(&self, tx: &Tx) -> Result<i64> {
        let Self { event, body, arguments, edited, situation } = self;
        let (last, prev) = head(tx)?.unwrap_or((0, [0; 32]));
        let seq = last + 1;
        let hash = chain(&prev, seq, body);
        tx.run(
            "INSERT INTO audit (seq, time, event_type, user_id, person, topic, tool, door, action, arguments, risk,
                                outcome, error, duration_ms, call_id, prev_hash, hash, format, approved_by, edited,
                                own_words, agent, situation)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                     ?22, ?23)",
            params![
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
                event.risk.map(satchel_model::spec::Risk::as_str),
                event.outcome.as_str(),
                event.error,
                event.duration_ms.map(i64::try_from).transpose().map_err(Error::internal)?,
                event.call_id.map(|id| id.to_string()),
                prev,
                hash,
                FORMAT,
                event.approved_by,
                edited,
                event.own_words,
                event.agent,
                situation,
            ],
        )?;
        counts::count(tx, seq, event)?;
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

fn learn(tx: &Tx, reward: &Reward, now: Time) -> Result<()> {
    let (least, most) = WEIGHT;
    tx.run(
        "INSERT INTO tool_outcomes (tool, calls, failures, weight, last_used_at)
         VALUES (?1, 1, ?2, ?7, ?4)
         ON CONFLICT (tool) DO UPDATE SET calls = tool_outcomes.calls + 1,
           failures = tool_outcomes.failures + excluded.failures, last_used_at = excluded.last_used_at,
           weight = CASE WHEN tool_outcomes.weight + ?3 < ?5 THEN ?5 WHEN tool_outcomes.weight + ?3 > ?6 THEN ?6
                         ELSE tool_outcomes.weight + ?3 END",
        (&reward.tool, reward.failed, reward.change, now, least, most, (1.0 + reward.change).clamp(least, most)),
    )?;
    Ok(())
}
