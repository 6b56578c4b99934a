//! Each user's own clipboard, for servers without a desktop.

use rusqlite::OptionalExtension;

use super::db::Db;
use crate::model::{error::Result, time::Time, user::UserId};

/// The text of a user's clipboard; empty where nothing was ever written to it.
pub async fn read(db: &Db, user: UserId) -> Result<String> {
    db.read(move |c| {
        let mut statement = c.prepare_cached("SELECT text FROM clipboards WHERE user = ?1")?;
        Ok(statement.query_row([user.to_string()], |row| row.get(0)).optional()?.unwrap_or_default())
    })
    .await
}

/// Replaces the text of a user's clipboard.
pub async fn write(db: &Db, user: UserId, text: String, now: Time) -> Result<()> {
    db.write(move |c| {
        let mut statement = c.prepare_cached(
            "INSERT INTO clipboards (user, text, updated_at) VALUES (?1, ?2, ?3)
             ON CONFLICT (user) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at",
        )?;
        statement.execute((user.to_string(), text, now.millis()))?;
        Ok(())
    })
    .await
}
