//! Each user's own clipboard, for servers without a desktop.

use super::{db::Db, origin, sql::Row};
use satchel_model::{error::Result, origin::Origin, time::Time, user::UserId};

/// The content of a clipboard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clip {
    /// The text.
    pub text: String,
    /// The origin of content from outside that was near when it was written.
    pub origin: Option<Origin>,
}

/// A user's clipboard; empty where nothing was ever written to it.
pub async fn read(db: &Db, user: UserId) -> Result<Clip> {
    db.read(move |tx| {
        let sql = "SELECT text, origin FROM clipboards WHERE person = ?1";
        let read = |row: &Row<'_>| Ok(Clip { text: row.get("text")?, origin: origin::read(row)? });
        Ok(tx.first(sql, [user.to_string()], read)?.unwrap_or_default())
    })
    .await
}

/// Replaces what a user's clipboard holds.
pub async fn write(db: &Db, user: UserId, clip: Clip, now: Time) -> Result<()> {
    db.write(move |tx| {
        let sql = "INSERT INTO clipboards (person, text, origin, updated_at) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT (person) DO UPDATE
                     SET text = excluded.text, origin = excluded.origin, updated_at = excluded.updated_at";
        tx.run(sql, (user.to_string(), clip.text, origin::text(&clip.origin), now.millis())).map(drop)
    })
    .await
}
