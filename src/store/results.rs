//! Long results of tools, under a handle: a model reads the head, the data tools the whole.

use std::{str::FromStr, time::Duration};

use super::{db::Db, origin};
use satchel_model::{
    conversation::ConversationId,
    error::{Error, Result},
    id::{Id, Noun},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// The time for which a result is kept.
pub const LIFETIME: Duration = Duration::from_secs(7 * 24 * 3_600);
/// Bytes of results that are kept of one person; the oldest go first.
const KEPT: i64 = 256 << 20;
/// Most bytes of a text written at once: whoever else writes waits for no more.
const PIECE: usize = 128 << 10;
/// What every handle begins with.
const PREFIX: &str = "result:";

/// The noun a result's id names.
#[derive(Debug)]
pub struct StoredResult;

impl Noun for StoredResult {
    const NAME: &'static str = "result";
}

/// The name of a stored result: `result:<id>`.
pub type ResultId = Id<StoredResult>;

/// A long result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredText {
    /// The whole of it.
    pub text: String,
    /// Its origin, if from outside.
    pub origin: Option<Origin>,
}

/// The results of one person in one conversation; those of others cannot be reached. Cheap to clone.
#[derive(Clone)]
pub struct Results {
    db: Db,
    user: UserId,
    topic: Option<ConversationId>,
}

impl Results {
    /// This person's results in this conversation, or outside all conversations.
    pub fn new(db: &Db, user: UserId, topic: Option<ConversationId>) -> Self {
        Self { db: db.clone(), user, topic }
    }

    /// Keeps a text and gives its handle. What is older than [`LIFETIME`] goes, whoever's it is, and what is more than 256 MB
    /// of one person.
    pub async fn put(&self, result: StoredText, now: Time) -> Result<String> {
        let (id, user, topic) = (ResultId::new(), self.user.to_string(), self.topic.map(|id| id.to_string()));
        let oldest = oldest(now);
        let StoredText { text, origin } = result;
        let origin = origin::text(&origin);
        let mut pieces = pieces(&text).map(str::to_owned);
        let first = pieces.next().unwrap_or_default();
        self.db
            .write(move |tx| {
                tx.run("DELETE FROM results WHERE created_at < ?1", [oldest])?;
                let sql =
                    "INSERT INTO results (id, person, topic, text, created_at, origin) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                tx.run(sql, (id.to_string(), &user, topic, first, now.millis(), origin))?;
                tx.run(SURPLUS, (&user, KEPT))
            })
            .await?;
        for (part, piece) in (1_i64..).zip(pieces) {
            let sql = "INSERT INTO result_parts (result, part, text) VALUES (?1, ?2, ?3)";
            self.db.write(move |tx| tx.run(sql, (id.to_string(), part, piece))).await?;
        }
        Ok(format!("{PREFIX}{id}"))
    }

    /// Bytes of the text behind a handle; 0 if there is none.
    pub async fn bytes(&self, handle: &str) -> Result<u64> {
        let Some(id) = handle_id(handle) else { return Ok(0) };
        let user = self.user.to_string();
        let sql =
            "SELECT octet_length(text) + (SELECT coalesce(sum(octet_length(parts.text)), 0) FROM result_parts parts
                                                WHERE parts.result = results.id) AS bytes
                   FROM results WHERE id = ?1 AND person = ?2";
        let bytes = self.db.read(move |tx| tx.first(sql, (id.to_string(), user), |row| row.get::<i64>("bytes")));
        Ok(bytes.await?.unwrap_or(0).unsigned_abs())
    }

    /// The result behind a handle.
    pub async fn get(&self, handle: &str, now: Time) -> Result<StoredText> {
        let gone = || Error::not_found("There is no such result in this conversation. Results are kept for 7 days.");
        let id = handle_id(handle).ok_or_else(gone)?;
        let (user, topic) = (self.user.to_string(), self.topic.map(|id| id.to_string()));
        let oldest = oldest(now);
        let found = self.db.read(move |tx| {
            let sql = "SELECT text, origin FROM results
                       WHERE id = ?1 AND person = ?2 AND topic IS NOT DISTINCT FROM ?3 AND created_at >= ?4";
            let begun = tx.first(sql, (id.to_string(), user, topic, oldest), |row| {
                Ok(StoredText { text: row.get("text")?, origin: origin::read(row)? })
            })?;
            let Some(mut stored) = begun else { return Ok(None) };
            let sql = "SELECT text FROM result_parts WHERE result = ?1 ORDER BY part";
            for part in tx.all(sql, [id.to_string()], |row| row.get::<String>("text"))? {
                stored.text.push_str(&part);
            }
            Ok(Some(stored))
        });
        found.await?.ok_or_else(gone)
    }
}

/// Removes the oldest of a person's results, where all have more than so many bytes.
const SURPLUS: &str = "DELETE FROM results WHERE id IN (
  SELECT id FROM (
    SELECT id, sum(octet_length(text) + (SELECT coalesce(sum(octet_length(parts.text)), 0) FROM result_parts parts
                                         WHERE parts.result = results.id))
               OVER (ORDER BY created_at DESC, id DESC) AS bytes
    FROM results WHERE person = ?1) sized
  WHERE bytes > ?2)";

/// A text in pieces that end with whole characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The id in a handle, where a text is one.
pub fn handle_id(text: &str) -> Option<ResultId> {
    ResultId::from_str(text.trim().strip_prefix(PREFIX)?).ok()
}

fn oldest(now: Time) -> i64 {
    now.millis().saturating_sub(i64::try_from(LIFETIME.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        let text = "é".repeat(PIECE);
        let all: Vec<&str> = pieces(&text).collect();
        assert!(all.len() == 2 && all.iter().all(|piece| piece.len() <= PIECE));
        assert_eq!(all.concat(), text);
        let odd = format!("a{text}");
        let all: Vec<&str> = pieces(&odd).collect();
        assert_eq!((all.len(), all.concat()), (3, odd.clone()));
        assert_eq!(pieces("").count(), 0);
    }
}
