//! Memories as rows, with their earlier wordings.

use std::str::FromStr;

use super::search;
use crate::{
    origin,
    sql::{Row, Tx, params},
};
use satchel_model::{
    error::{Error, Result},
    id::{Id, Noun},
    memory::{Layer, Memory, MemoryId, Wording},
    strength::Strength,
    time::Time,
    user::UserId,
};

/// Most earlier wordings kept of one memory, of each kind.
const WORDINGS: i64 = 20;

/// Why an earlier wording is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    /// It says the same.
    Merged,
    /// It no longer holds.
    Corrected,
}

pub(super) fn insert(tx: &Tx, user: UserId, memory: &Memory, now: Time) -> Result<()> {
    tx.run(
        "INSERT INTO memories (id, person, layer, category, key, content, source, message, created_at, updated_at,
                               stability, fresh_at, origin)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            memory.id.to_string(),
            user.to_string(),
            memory.layer.as_str(),
            memory.category,
            memory.key,
            memory.content,
            memory.source_conversation.map(|id| id.to_string()),
            memory.source_message.map(|id| id.to_string()),
            memory.created_at.millis(),
            memory.updated_at.millis(),
            Strength::new(memory.layer, now).stability,
            now.millis(),
            origin::text(&memory.origin),
        ],
    )?;
    put_words(tx, memory)
}

pub(super) fn replace(tx: &Tx, memory: &Memory) -> Result<()> {
    tx.run(
        "UPDATE memories SET layer = ?2, category = ?3, key = ?4, content = ?5, source = ?6, message = ?7,
           updated_at = ?8, origin = ?9 WHERE id = ?1",
        params![
            memory.id.to_string(),
            memory.layer.as_str(),
            memory.category,
            memory.key,
            memory.content,
            memory.source_conversation.map(|id| id.to_string()),
            memory.source_message.map(|id| id.to_string()),
            memory.updated_at.millis(),
            origin::text(&memory.origin),
        ],
    )?;
    put_words(tx, memory)
}

/// Keeps the words by which a memory is found, in place of those before.
fn put_words(tx: &Tx, memory: &Memory) -> Result<()> {
    let id = memory.id.to_string();
    tx.run("DELETE FROM memory_words WHERE memory = (SELECT number FROM memories WHERE id = ?1)", [&id])?;
    let sql = "INSERT INTO memory_words (person, word, memory) SELECT person, ?2, number FROM memories WHERE id = ?1";
    tx.many(sql, search::own_words(memory).iter().map(|word| (&id, word))).map(drop)
}

/// Keeps an earlier wording; the oldest go where there are too many.
pub(super) fn keep(tx: &Tx, id: MemoryId, earlier: Earlier, wording: &Wording) -> Result<()> {
    let corrected = earlier == Earlier::Corrected;
    tx.run(
        "INSERT INTO memory_versions (memory, content, said_at, corrected)
         SELECT m.number, ?2, ?3, ?4 FROM memories m WHERE m.id = ?1 AND NOT EXISTS
           (SELECT 1 FROM memory_versions v WHERE v.memory = m.number AND v.content = ?2 AND v.corrected = ?4)",
        params![id.to_string(), wording.content, wording.said_at.millis(), corrected],
    )?;
    tx.run(
        "DELETE FROM memory_versions WHERE corrected = ?2 AND memory = (SELECT number FROM memories WHERE id = ?1)
           AND id NOT IN (SELECT v.id FROM memory_versions v JOIN memories m ON m.number = v.memory
                          WHERE m.id = ?1 AND v.corrected = ?2 ORDER BY v.id DESC LIMIT ?3)",
        params![id.to_string(), corrected, WORDINGS],
    )?;
    Ok(())
}

/// Firms a memory up: it was called back, or said again.
pub(super) fn renew(tx: &Tx, user: UserId, id: MemoryId, now: Time) -> Result<()> {
    let key = (id.to_string(), user.to_string());
    let sql = "SELECT stability, fresh_at FROM memories WHERE id = ?1 AND person = ?2";
    let held =
        tx.first(sql, key, |row| Ok(Strength { stability: row.get("stability")?, fresh_at: row.time("fresh_at")? }))?;
    // It may have been forgotten since it was read.
    let Some(held) = held else { return Ok(()) };
    let held = held.renewed(now);
    tx.run(
        "UPDATE memories SET stability = ?2, fresh_at = ?3, recalls = recalls + 1 WHERE id = ?1",
        (id.to_string(), held.stability, held.fresh_at.millis()),
    )?;
    Ok(())
}

pub(super) fn recent(tx: &Tx, user: UserId, layers: &[Layer], limit: usize, now: Time) -> Result<Vec<Memory>> {
    let wanted: Vec<&str> = layers.iter().map(|layer| layer.as_str()).collect();
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let sql = "SELECT * FROM memories WHERE person = ?1 AND (?2 = '' OR ?2 LIKE '%' || layer || '%')
               ORDER BY updated_at DESC, number DESC LIMIT ?3";
    let mut found = tx.all(sql, (user.to_string(), wanted.join(","), limit), |row| read(row, now))?;
    found.iter_mut().try_for_each(|memory| with_wordings(tx, memory))?;
    Ok(found)
}

pub(super) fn by_key(tx: &Tx, user: UserId, key: &str, now: Time) -> Result<Option<Memory>> {
    first(tx, "SELECT * FROM memories WHERE person = ?1 AND key = ?2", (user.to_string(), key.to_owned()), now)
}

pub(super) fn first(tx: &Tx, sql: &str, bound: (String, String), now: Time) -> Result<Option<Memory>> {
    let mut found = tx.first(sql, bound, |row| read(row, now))?;
    found.iter_mut().try_for_each(|memory| with_wordings(tx, memory))?;
    Ok(found)
}

/// Reads the earlier wordings of a memory.
pub(super) fn with_wordings(tx: &Tx, memory: &mut Memory) -> Result<()> {
    let sql = "SELECT v.content, v.said_at, v.corrected FROM memory_versions v JOIN memories m ON m.number = v.memory
               WHERE m.id = ?1 ORDER BY v.id DESC";
    let found = tx.all(sql, [memory.id.to_string()], |row| {
        let wording = Wording { content: row.get("content")?, said_at: row.time("said_at")? };
        Ok((wording, row.get::<bool>("corrected")?))
    })?;
    let (history, merged): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, corrected)| *corrected);
    memory.history = history.into_iter().map(|(wording, _)| wording).collect();
    memory.merged_from = merged.into_iter().map(|(wording, _)| wording).collect();
    Ok(())
}

pub(super) fn no_memory(key: &str) -> Error {
    let shown: String = key.chars().take(80).collect();
    Error::not_found(format!("There is no memory '{shown}'. Search with recall_memories to see what there is."))
}

/// A row of the table, without its earlier wordings.
pub(super) fn read(row: &Row<'_>, now: Time) -> Result<Memory> {
    let text = |name: &str| row.get::<String>(name);
    let held = Strength { stability: row.get("stability")?, fresh_at: row.time("fresh_at")? };
    Ok(Memory {
        id: MemoryId::from_str(&text("id")?)?,
        layer: serde_json::from_value(text("layer")?.into()).map_err(Error::internal)?,
        category: text("category")?,
        content: text("content")?,
        key: text("key")?,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
        source_conversation: optional(row, "source")?,
        source_message: optional(row, "message")?,
        strength: (held.at(now) * 1_000.0).round() / 1_000.0,
        recalls: row.get("recalls")?,
        merged_from: Vec::new(),
        history: Vec::new(),
        origin: origin::read(row)?,
    })
}

fn optional<N: Noun>(row: &Row<'_>, column: &str) -> Result<Option<Id<N>>> {
    let text: Option<String> = row.get(column)?;
    text.as_deref().map(Id::from_str).transpose()
}
