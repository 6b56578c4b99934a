//! Counts beside the rows: written in the transaction of the row, so that the page over millions of rows reads few.
//!
//! A row counts under its kind, for each of the stretches of time it falls on. The shorter stretches also know how many rows
//! of any kind they have, and between which numbers those stand, which is how rows of a time are found without an index over
//! times.

use super::{
    kinds::{self, Trust},
    stretches::{MINUTE, SPANS, TOTALS, ceil, floor, stretches},
    unnamed,
};
use crate::sql::Tx;
use satchel_model::{audit::Event, error::Result, spec::Risk};

/// Whether this outcome is of what went wrong.
pub(super) fn is_wrong(outcome: &str) -> bool {
    matches!(outcome, "failure" | "refused")
}

/// Counts a row that is being written.
pub(super) fn count(tx: &Tx, seq: i64, event: &Event) -> Result<()> {
    let words = [
        event.event_type.as_str(),
        event.outcome.as_str(),
        event.risk.map_or("", Risk::as_str),
        event.door.as_str(),
        &event.user,
        event.tool.as_deref().unwrap_or_default(),
    ];
    let kind = kinds::place(tx, words, Trust::in_row(words, event.user_id.is_some()))?;
    unnamed::note(tx, (seq, event.time.millis()), kind, words)?;
    let minute = event.time.millis().div_euclid(MINUTE);
    let wrong = i64::from(is_wrong(event.outcome.as_str()));
    add(tx, &Group { minute, kind: kind.id, number: 1, wrong, first: seq, last: seq })
}

/// Rows of one kind in one of the shortest stretches.
pub(super) struct Group {
    /// A minute of that stretch.
    pub minute: i64,
    /// The kind's number.
    pub kind: i64,
    /// Number of rows.
    pub number: i64,
    /// Number of those that went wrong.
    pub wrong: i64,
    /// The first row's number.
    pub first: i64,
    /// The last row's.
    pub last: i64,
}

/// Adds rows to the counts of every stretch they fall on.
pub(super) fn add(tx: &Tx, group: &Group) -> Result<()> {
    let Group { minute, kind, number, wrong, first, last } = group;
    let start = |minutes: i64| minute.div_euclid(minutes) * minutes;
    tx.many(
        "INSERT INTO audit_counts (minutes, start, kind, number) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (minutes, start, kind) DO UPDATE SET number = audit_counts.number + excluded.number",
        SPANS.map(|minutes| [minutes, start(minutes), *kind, *number]),
    )?;
    tx.many(
        "INSERT INTO audit_totals (minutes, start, first_seq, last_seq, number, wrong) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (minutes, start) DO UPDATE SET
           first_seq = CASE WHEN excluded.first_seq < audit_totals.first_seq THEN excluded.first_seq
                            ELSE audit_totals.first_seq END,
           last_seq = CASE WHEN excluded.last_seq > audit_totals.last_seq THEN excluded.last_seq
                           ELSE audit_totals.last_seq END,
           number = audit_totals.number + excluded.number, wrong = audit_totals.wrong + excluded.wrong",
        TOTALS.map(|minutes| [minutes, start(minutes), *first, *last, *number, *wrong]),
    )?;
    Ok(())
}

/// Rows up to this number are not counted yet; 0 where all are.
pub(super) fn uncounted(tx: &Tx) -> Result<i64> {
    Ok(tx.first("SELECT upto FROM audit_uncounted", (), |row| row.get("upto"))?.unwrap_or_default())
}

/// The numbers between which the rows of a time stand, with others among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The first row's number.
    pub first: i64,
    /// The last row's.
    pub last: i64,
}

impl Place {
    /// Number of rows that are read to look at all of it.
    pub(super) fn rows(self) -> i64 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }
}

/// The place of the rows from `from` on and before `to`, in milliseconds, rounded out to five minutes; `None` where there
/// are none.
pub(super) fn place(tx: &Tx, from: i64, to: i64) -> Result<Option<Place>> {
    let sql = "SELECT min(first_seq) AS first, max(last_seq) AS last FROM audit_totals
               WHERE minutes = ?1 AND start >= ?2 AND start < ?3";
    let mut found: Option<Place> = None;
    for stretch in stretches((floor(from), ceil(to)), &TOTALS, i64::MAX) {
        let part =
            tx.first(sql, stretch, |row| Ok((row.get::<Option<i64>>("first")?, row.get::<Option<i64>>("last")?)))?;
        if let Some((first, last)) = part.and_then(|(first, last)| first.zip(last)) {
            let before = found.unwrap_or(Place { first, last });
            found = Some(Place { first: before.first.min(first), last: before.last.max(last) });
        }
    }
    Ok(found)
}
