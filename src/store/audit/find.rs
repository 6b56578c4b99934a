//! Rows of the audit, as they are asked for.

use super::{
    Audit,
    counts::{self, Place},
    filter::{Between, Filter},
    tally,
    verify::StoredRow,
};
use crate::sql::{Row, Tx};
use satchel_model::{
    audit::Entry,
    error::{Error, Kind, Result},
};

/// Bytes of arguments and changes of the rows that are read at once: a row beyond them is the last.
pub const MAX_BYTES: usize = 1 << 20;

/// Rows that were read at once.
pub struct Page {
    /// The rows.
    pub entries: Vec<Entry>,
    /// Whether more may follow.
    pub more: bool,
}

impl Audit {
    /// The newest rows that pass, newest first; after a row, the oldest first. At most so many, and fewer of large ones.
    pub async fn find(&self, filter: Filter, limit: u32) -> Result<Vec<Entry>> {
        Ok(self.page(filter, limit).await?.entries)
    }

    /// The same, and whether more may follow.
    pub async fn page(&self, filter: Filter, limit: u32) -> Result<Page> {
        self.db
            .read(move |tx| {
                let filter = filter.resolve(tx)?;
                let (condition, bound) = filter.clause(between(tx, &filter)?);
                let order = if filter.after.is_some() { "ASC" } else { "DESC" };
                let sql = format!("SELECT * FROM audit WHERE {condition} ORDER BY seq {order} LIMIT {limit}");
                let (mut entries, mut bytes) = (Vec::new(), 0);
                tx.find(&sql, bound, |row| {
                    bytes += size(row)?;
                    entries.push(StoredRow::read(row)?.entry()?);
                    Ok((bytes >= MAX_BYTES).then_some(()))
                })?;
                let more = entries.len() == limit as usize || bytes >= MAX_BYTES;
                Ok(Page { entries, more })
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

/// Bytes of what a row has no fixed size of.
fn size(row: &Row<'_>) -> Result<usize> {
    let bytes = |name| Ok::<_, Error>(row.get::<Option<&str>>(name)?.map_or(0, str::len));
    Ok(bytes("arguments")? + bytes("edited")?)
}

/// Where the rows of the filter's time stand; `None` where it wants any time, or few rows that an index finds.
fn between(tx: &Tx, filter: &Filter) -> Result<Option<Between>> {
    if (filter.from.is_none() && filter.to.is_none()) || filter.is_indexed() {
        return Ok(None);
    }
    let (from, to) = tally::bounds(filter);
    let uncounted = counts::uncounted(tx)?;
    // Where there are none, these bounds leave nothing.
    let place = counts::place(tx, from, to)?.unwrap_or(Place { first: 1, last: 0 });
    Ok(Some(Between { place, uncounted }))
}
