//! Long results of tools, under a handle: a model reads the head, the data tools the whole (R40).

use std::{str::FromStr, time::Duration};

use rusqlite::OptionalExtension;

use super::db::Db;
use crate::model::{
    conversation::ConversationId,
    error::{Error, Result},
    id::{Id, Noun},
    time::Time,
    user::UserId,
};

/// How long a result is kept.
pub const LIFETIME: Duration = Duration::from_secs(7 * 24 * 3_600);
/// Bytes of results that are kept of one person; the oldest go first.
const KEPT: i64 = 256 << 20;
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

/// The results of one person in one conversation; those of others cannot be reached (R44). Cheap to clone.
#[derive(Clone)]
pub struct Results {
    db: Db,
    user: UserId,
    topic: Option<ConversationId>,
}

impl Results {
    /// This person's results in this conversation, or outside all conversations.
    pub fn of(db: &Db, user: UserId, topic: Option<ConversationId>) -> Self {
        Self { db: db.clone(), user, topic }
    }

    /// Keeps a text and gives its handle. What is older than [`LIFETIME`] goes, whoever's it is, and what is more than 256 MB
    /// of one person.
    pub async fn put(&self, text: String, now: Time) -> Result<String> {
        let (id, user, topic) = (ResultId::new(), self.user.to_string(), self.topic.map(|id| id.to_string()));
        let oldest = oldest(now);
        self.db
            .write(move |c| {
                c.prepare_cached("DELETE FROM results WHERE created_at < ?1")?.execute([oldest])?;
                c.prepare_cached(
                    "INSERT INTO results (id, user, topic, text, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute((id.to_string(), &user, topic, text, now.millis()))?;
                c.prepare_cached(
                    "DELETE FROM results WHERE id IN (
                       SELECT id FROM (SELECT id, sum(octet_length(text)) OVER (ORDER BY created_at DESC, id DESC) AS bytes
                                       FROM results WHERE user = ?1)
                       WHERE bytes > ?2)",
                )?
                .execute((&user, KEPT))?;
                Ok(format!("{PREFIX}{id}"))
            })
            .await
    }

    /// The text behind a handle.
    pub async fn text(&self, handle: &str, now: Time) -> Result<String> {
        let gone = || Error::not_found("There is no such result in this conversation. Results are kept for 7 days.");
        let id = handle_id(handle).ok_or_else(gone)?;
        let (user, topic) = (self.user.to_string(), self.topic.map(|id| id.to_string()));
        let oldest = oldest(now);
        let text = self.db.read(move |c| {
            let mut statement = c.prepare_cached(
                "SELECT text FROM results WHERE id = ?1 AND user = ?2 AND topic IS ?3 AND created_at >= ?4",
            )?;
            Ok(statement.query_row((id.to_string(), user, topic, oldest), |row| row.get(0)).optional()?)
        });
        text.await?.ok_or_else(gone)
    }
}

/// The id in a handle, where a text is one.
pub fn handle_id(text: &str) -> Option<ResultId> {
    ResultId::from_str(text.trim().strip_prefix(PREFIX)?).ok()
}

fn oldest(now: Time) -> i64 {
    now.millis().saturating_sub(i64::try_from(LIFETIME.as_millis()).unwrap_or(i64::MAX))
}
