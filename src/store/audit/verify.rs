//! Reading the chain back: each row as it stands, and whether it is as it was written.

use serde_json::{Value, json};

use super::chain;
use crate::sql::{Row, Tx};
use satchel_model::{
    audit::{Anchor, Entry, FORMAT, Verification},
    error::{Error, Result},
    time::Time,
};

/// Reads the chain from its first row: every number in order, every hash right, every anchor met.
pub fn verify(tx: &Tx, anchors: &[Anchor], now: Time) -> Result<Verification> {
    let (mut seq, mut prev) = (0_i64, vec![0_u8; 32]);
    let problem = tx.find("SELECT * FROM audit ORDER BY seq", (), |row| {
        let stored = StoredRow::read(row)?;
        let problem = stored.problem(seq + 1, &prev).or_else(|| missed(anchors, stored.seq, &stored.hash));
        if problem.is_none() {
            (seq, prev) = (stored.seq, stored.hash);
        }
        Ok(problem)
    })?;
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
pub(super) struct StoredRow {
    seq: i64,
    body: Value,
    prev: Vec<u8>,
    hash: Vec<u8>,
    /// It has what no row of its format has.
    odd: bool,
    own_words: bool,
}

impl StoredRow {
    pub(super) fn read(row: &Row<'_>) -> Result<Self> {
        let text = |name: &str| row.get::<Option<String>>(name);
        let arguments: String = row.get("arguments")?;
        let body = json!({
            "time": row.get::<i64>("time")?,
            "event_type": text("event_type")?,
            "user_id": text("user_id")?,
            // In a database that this version has not opened yet the column may still be called otherwise.
            "user": text("person").or_else(|_| text("user"))?,
            "topic": text("topic")?,
            "tool": text("tool")?,
            "door": text("door")?,
            "action": text("action")?,
            "arguments": serde_json::from_str::<Value>(&arguments).unwrap_or(Value::String(arguments)),
            "risk": text("risk")?,
            "outcome": text("outcome")?,
            "error": text("error")?,
            "duration_ms": row.get::<Option<i64>>("duration_ms")?,
            "call_id": text("call_id")?,
        });
        // A database that this version has not opened yet has no column for it.
        let own_words = row.get("own_words").unwrap_or_default();
        let mut stored = Self {
            seq: row.get("seq")?,
            body,
            prev: row.get("prev_hash")?,
            hash: row.get("hash")?,
            odd: false,
            own_words,
        };
        stored.read_format(row)?;
        Ok(stored)
    }

    /// Adds what its format has beyond the first.
    fn read_format(&mut self, row: &Row<'_>) -> Result<()> {
        // A database that no newer version has opened yet has rows of the first format only, and no column for it.
        let Ok(format) = row.get::<i64>("format") else { return Ok(()) };
        let approved_by: Option<String> = row.get("approved_by")?;
        let edited: Option<String> = row.get("edited")?;
        if format == 1 {
            // No hash of the first format covers these.
            let has = |column: &str| row.get::<Option<String>>(column).is_ok_and(|value| value.is_some());
            self.odd = approved_by.is_some() || edited.is_some() || has("agent") || has("situation");
            return Ok(());
        }
        let read = |text: String| serde_json::from_str::<Value>(&text).unwrap_or(Value::String(text));
        self.odd = !(2..=FORMAT).contains(&format);
        let Value::Object(fields) = &mut self.body else { return Ok(()) };
        fields.insert("approved_by".into(), json!(approved_by));
        fields.insert("edited".into(), edited.map_or_else(|| json!([]), read));
        // A database that this version has not opened yet has rows of the second format only, and no column for it.
        let Ok(agent) = row.get::<Option<String>>("agent") else { return Ok(()) };
        let situation: Option<String> = row.get("situation")?;
        if format == 2 {
            self.odd = agent.is_some() || situation.is_some();
            return Ok(());
        }
        let kept = situation.clone().map(read);
        // Another text of the same value would hash alike.
        self.odd |= kept.as_ref().is_some_and(|kept| kept.is_null() || Some(kept.to_string()) != situation);
        fields.insert("agent".into(), json!(agent));
        fields.insert("situation".into(), kept.unwrap_or(Value::Null));
        Ok(())
    }

    fn problem(&self, seq: i64, prev: &[u8]) -> Option<String> {
        if self.seq != seq {
            return Some(format!("Entry {seq} is missing: the next one is {}.", self.seq));
        }
        if self.prev != prev {
            return Some(format!("Entry {seq} does not follow the entry before it."));
        }
        if self.odd || chain(prev, seq, &self.body.to_string()).as_slice() != self.hash {
            return Some(format!("Entry {seq} was changed after it was written."));
        }
        None
    }

    pub(super) fn entry(self) -> Result<Entry> {
        let mut whole = self.body;
        if let Value::Object(fields) = &mut whole {
            let time = fields.get("time").and_then(Value::as_i64).unwrap_or_default();
            fields.insert("time".into(), json!(Time::from_millis(time)));
            fields.insert("seq".into(), json!(self.seq));
            fields.insert("own_words".into(), json!(self.own_words));
            fields.insert("prev_hash".into(), json!(hex::encode(self.prev)));
            fields.insert("hash".into(), json!(hex::encode(self.hash)));
        }
        serde_json::from_value(whole).map_err(Error::internal)
    }
}
