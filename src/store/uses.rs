//! What each person may open and how often and lately they did: the habit the launcher ranks by.

use std::collections::HashMap;

use super::{collections::VISIBLE, db::Db, excerpts::Authorship, sql::Row};
use satchel_model::{
    error::Result,
    knowledge::DocumentId,
    launch::{Frecency, Kind},
    reader::Reader,
    time::Time,
    user::UserId,
};

/// Most things remembered of one person; the ones opened longest ago go.
const MOST: i64 = 500;

/// What a person opened, by kind and id.
pub type Habits = HashMap<(String, String), Frecency>;

/// Everything this person opened.
pub async fn habits(db: &Db, user: UserId) -> Result<Habits> {
    let sql = "SELECT kind, id, count, used_at FROM uses WHERE person = ?1";
    let read = db.read(move |tx| {
        tx.all(sql, [user.to_string()], |row| {
            let habit = Frecency { count: row.get("count")?, used_at: row.time("used_at")? };
            Ok(((row.get("kind")?, row.get("id")?), habit))
        })
    });
    Ok(read.await?.into_iter().collect())
}

/// The newest documents this person sees, by id, title and whose words they are.
pub async fn documents(db: &Db, reader: Reader, limit: usize) -> Result<Vec<(DocumentId, String, Authorship)>> {
    let sql = format!(
        "SELECT d.id, d.title, {} FROM documents d JOIN collections k ON k.number = d.collection
         WHERE {VISIBLE} AND d.deleted_at IS NULL ORDER BY d.number DESC LIMIT ?2",
        Authorship::COLUMNS
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let read = |row: &Row<'_>| Ok((row.parsed("id")?, row.get("title")?, Authorship::read(row)?));
    db.read(move |tx| tx.all(&sql, (reader.to_string(), limit), read)).await
}

/// Notes that this person opened something.
pub async fn used(db: &Db, user: UserId, what: (Kind, String), now: Time) -> Result<()> {
    db.write(move |tx| {
        let (user, kind, id) = (user.to_string(), what.0.as_str(), what.1);
        let sql = "SELECT count, used_at FROM uses WHERE person = ?1 AND kind = ?2 AND id = ?3";
        let before = tx.first(sql, (&user, kind, &id), |row| {
            Ok(Frecency { count: row.get("count")?, used_at: row.time("used_at")? })
        })?;
        let after = before.map_or_else(|| Frecency::first(now), |before| before.used(now));
        tx.run(
            "INSERT INTO uses (person, kind, id, count, used_at) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (person, kind, id) DO UPDATE SET count = excluded.count, used_at = excluded.used_at",
            (&user, kind, id, after.count, after.used_at),
        )?;
        tx.run(
            "DELETE FROM uses WHERE person = ?1 AND (kind, id) NOT IN
               (SELECT kind, id FROM uses WHERE person = ?1 ORDER BY used_at DESC LIMIT ?2)",
            (user, MOST),
        )?;
        Ok(())
    })
    .await
}
