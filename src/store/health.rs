//! Whether the database is sound.

use std::fmt;

use super::{db::Db, rows};
use crate::model::{
    error::{Error, Result},
    figure::bytes,
};

/// A sound database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its size.
    pub bytes: i64,
    /// Bytes of it that the next writes will use.
    pub free: i64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "It is sound: {}, {} of them free.",
            bytes(self.bytes.unsigned_abs()),
            bytes(self.free.unsigned_abs())
        )
    }
}

/// Reads every page and index; fails with the first thing that is wrong.
pub async fn examine(db: &Db) -> Result<Report> {
    db.read_afresh(|c| {
        let found = rows::all(c, "PRAGMA quick_check(1)", (), |row| Ok(row.get::<_, String>(0)?))?;
        let broken_link = rows::first(c, "PRAGMA foreign_key_check", (), |row| Ok(row.get::<_, String>(0)?))?;
        if let Some(problem) = found.into_iter().find(|line| line != "ok") {
            return Err(Error::conflict(format!("It is damaged: {problem}.")));
        }
        if let Some(table) = broken_link {
            return Err(Error::conflict(format!("It is damaged: a row of {table} belongs to nothing.")));
        }
        let pragma = |sql: &str| Ok::<i64, Error>(c.query_row(sql, (), |row| row.get(0))?);
        let page = pragma("PRAGMA page_size")?;
        Ok(Report { bytes: page * pragma("PRAGMA page_count")?, free: page * pragma("PRAGMA freelist_count")? })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::db::Commit;

    #[tokio::test]
    async fn what_was_searched_before_it_changed_is_not_taken_for_damage() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        for n in 0..60 {
            let insert = "INSERT INTO memory_words (rowid, owner, words) VALUES (?1, 'a', 'hold')";
            db.write(move |c| Ok(c.execute(insert, [n])?)).await.unwrap();
            // The reader learns how the words lie; then enough are added for them to be merged.
            if n % 20 == 0 {
                let search = "SELECT count(*) FROM memory_words WHERE memory_words MATCH 'hold'";
                db.read(move |c| Ok(c.query_row(search, (), |row| row.get::<_, i64>(0))?)).await.unwrap();
            } else if n % 20 == 19 {
                examine(&db).await.unwrap();
            }
        }
    }
}
