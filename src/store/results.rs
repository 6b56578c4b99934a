//! Long results of tools, under a handle: a model reads the head, the data tools the whole (R40).

use std::{str::FromStr, time::Duration};

use super::{db::Db, origin, rows::first};
use crate::model::{
    conversation::ConversationId,
    error::{Error, Result},
    id::{Id, Noun},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// How long a result is kept.
pub const LIFETIME: Duration = Duration::from_secs(7 * 24 * 3_600);
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
    /// Where it came from, if from outside.
    pub origin: Option<Origin>,
}

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

    /// Keeps a text and gives its handle. What is older than [`LIFETIME`] goes, whoever's it is.
    pub async fn put(&self, result: StoredText, now: Time) -> Result<String> {
        let (id, user, topic) = (ResultId::new(), self.user.to_string(), self.topic.map(|id| id.to_string()));
        let oldest = oldest(now);
        self.db
            .write(move |c| {
                c.prepare_cached("DELETE FROM results WHERE created_at < ?1")?.execute([oldest])?;
                c.prepare_cached(
                    "INSERT INTO results (id, user, topic, text, created_at, origin) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute((
                    id.to_string(),
                    user,
                    topic,
                    result.text,
                    now.millis(),
                    origin::text(&result.origin),
                ))?;
                Ok(format!("{PREFIX}{id}"))
            })
            .await
    }

    /// The result behind a handle.
    pub async fn get(&self, handle: &str, now: Time) -> Result<StoredText> {
        let gone = || Error::not_found("There is no such result in this conversation. Results are kept for 7 days.");
        let id = handle_id(handle).ok_or_else(gone)?;
        let (user, topic) = (self.user.to_string(), self.topic.map(|id| id.to_string()));
        let oldest = oldest(now);
        let found = self.db.read(move |c| {
            let sql = "SELECT text, origin FROM results
                       WHERE id = ?1 AND user = ?2 AND topic IS ?3 AND created_at >= ?4";
            first(c, sql, (id.to_string(), user, topic, oldest), |row| {
                Ok(StoredText { text: row.get(0)?, origin: origin::read(row, 1)? })
            })
        });
        found.await?.ok_or_else(gone)
    }
}

/// The id in a handle, where a text is one.
pub fn handle_id(text: &str) -> Option<ResultId> {
    ResultId::from_str(text.trim().strip_prefix(PREFIX)?).ok()
}

fn oldest(now: Time) -> i64 {
    now.millis().saturating_sub(i64::try_from(LIFETIME.as_millis()).unwrap_or(i64::MAX))
}
