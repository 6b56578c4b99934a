//! Rows of the audit, as they are asked for.

use rusqlite::Connection;

use super::{
    Audit,
    counts::{self, Place},
    filter::{Between, Filter},
    tally,
    verify::StoredRow,
};
use crate::model::{
    audit::Entry,
    error::{Error, Kind, Result},
};

impl Audit {
    /// The newest rows that pass, newest first; after a row, the oldest first.
    pub async fn find(&self, filter: Filter, limit: u32) -> Result<Vec<Entry>> {
        self.db
            .read(move |c| {
                let filter = filter.resolve(c)?;
                let (condition, bound) = filter.clause(between(c, &filter)?);
                let order = if filter.after.is_some() { "ASC" } else { "DESC" };
                let sql = format!("SELECT * FROM audit WHERE {condition} ORDER BY seq {order} LIMIT {limit}");
                let mut statement = c.prepare(&sql)?;
                let mut rows = statement.query(rusqlite::params_from_iter(bound))?;
                let mut entries = Vec::new();
                while let Some(row) = rows.next()? {
                    entries.push(StoredRow::read(row)?.entry()?);
                }
                Ok(entries)
            })
            .await
    }

    /// One row by its number.
    pub async fn get(&self, seq: i64) -> Result<Entry> {
        let filter = Filter { after: Some(seq.saturating_sub(1)), ..Filter::default() };
        let found = self.find(filter, 1).await?.into_iter().find(|e| e.seq == seq);
        found.ok_or_else(|| Error::new(Kind::NotFound, format!("There is no audit entry {seq}.")))
    }
}

/// Where the rows of the filter's time stand; `None` where it wants any time, or few rows that an index finds.
fn between(c: &Connection, filter: &Filter) -> Result<Option<Between>> {
    if (filter.from.is_none() && filter.to.is_none()) || filter.is_indexed() {
        return Ok(None);
    }
    let (from, to) = tally::bounds(filter);
    let uncounted = counts::uncounted(c)?;
    // Where there are none, these bounds leave nothing.
    let place = counts::place(c, from, to)?.unwrap_or(Place { first: 1, last: 0 });
    Ok(Some(Between { place, uncounted }))
}
