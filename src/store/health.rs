//! Whether the database is sound.

use std::fmt;

use super::{db::Db, rows};
use crate::model::error::{Error, Result};

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
        write!(f, "It is sound: {} KiB, {} KiB of them free.", self.bytes / 1024, self.free / 1024)
    }
}

/// Reads every page and index; fails with the first thing that is wrong.
pub async fn examine(db: &Db) -> Result<Report> {
    db.read(|c| {
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
