//! Whether the database is sound.

use std::fmt;

use super::{db::Db, sql::Depth};
use satchel_model::{
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
    db.read(|tx| {
        if let Some(problem) = tx.damage(Depth::Pages)? {
            return Err(Error::conflict(format!("It is damaged: {problem}.")));
        }
        if let Some(table) = tx.orphan()? {
            return Err(Error::conflict(format!("It is damaged: a row of {table} belongs to nothing.")));
        }
        let (page, pages, free) = tx.pages()?;
        Ok(Report { bytes: (page * pages).cast_signed(), free: (page * free).cast_signed() })
    })
    .await
}
