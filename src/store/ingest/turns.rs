//! Whose document is next: people take turns, so that nobody waits for all that somebody else has sent.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::{
    model::{error::Result, time::Time},
    store::rows::all,
};

/// A person's id; empty where nobody added a document, or nobody who is still there.
type Who = String;

/// Whose turn it was.
#[derive(Default)]
pub(super) struct Turns {
    read: Mutex<Who>,
    embedded: AtomicUsize,
}

impl Turns {
    /// The next document to be read: of the person who comes after the last one, who has a document that may be begun and
    /// fewer than `each` of them being read.
    pub(super) fn next_to_read(&self, c: &Connection, now: Time, each: u32) -> Result<Option<i64>> {
        let sql = "SELECT coalesce(added_by, ''), count(*) FROM documents WHERE status = 'reading'
                   GROUP BY coalesce(added_by, '')";
        let row = |row: &Row<'_>| Ok((row.get::<_, Who>(0)?, row.get::<_, u32>(1)?));
        let reading: HashMap<Who, u32> = all(c, sql, (), row)?.into_iter().collect();
        let mut last = self.read.lock();
        let mut waiting = people(c, "queued")?;
        let first = waiting.partition_point(|who| *who <= *last);
        waiting.rotate_left(first);
        waiting.retain(|who| reading.get(who).is_none_or(|count| *count < each));
        let sql = "SELECT number FROM documents
                   WHERE status = 'queued' AND coalesce(added_by, '') = ?1 AND not_before <= ?2 ORDER BY number LIMIT 1";
        for who in waiting {
            let next = c.prepare_cached(sql)?.query_row((&who, now.millis()), |row| row.get(0)).optional()?;
            if next.is_some() {
                *last = who;
                return Ok(next);
            }
        }
        Ok(None)
    }

    /// Documents to be embedded, read by `one` from `number`, `run` and `version`: by turns one of each person, another one
    /// first each time. Those of a person come in the order they were added.
    pub(super) fn to_embed<T>(&self, c: &Connection, most: u32, one: fn(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
        let mut waiting = people(c, "embedding")?;
        if waiting.is_empty() {
            return Ok(Vec::new());
        }
        let first = self.embedded.fetch_add(1, Ordering::Relaxed) % waiting.len();
        waiting.rotate_left(first);
        let each = most.div_ceil(u32::try_from(waiting.len()).unwrap_or(u32::MAX));
        let sql = "SELECT number, run, version + 1 FROM documents
                   WHERE status = 'embedding' AND coalesce(added_by, '') = ?1
                     AND EXISTS (SELECT 1 FROM chunks WHERE document = documents.number AND version = documents.version + 1)
                   ORDER BY number LIMIT ?2";
        let mut lists = Vec::with_capacity(waiting.len());
        for who in waiting {
            lists.push(all(c, sql, (who, each), one)?.into_iter());
        }
        let mut turns = Vec::new();
        for _ in 0..each {
            turns.extend(lists.iter_mut().filter_map(Iterator::next));
        }
        turns.truncate(most as usize);
        Ok(turns)
    }
}

/// People who have documents of this status, in the order of their ids. Each is found by the index in one step.
fn people(c: &Connection, status: &'static str) -> Result<Vec<Who>> {
    let sql = format!(
        "WITH RECURSIVE people (who) AS (
           SELECT min(coalesce(added_by, '')) FROM documents WHERE status = '{status}'
           UNION ALL
           SELECT (SELECT min(coalesce(added_by, '')) FROM documents
                   WHERE status = '{status}' AND coalesce(added_by, '') > people.who)
           FROM people WHERE people.who IS NOT NULL
         )
         SELECT who FROM people WHERE who IS NOT NULL"
    );
    all(c, &sql, (), |row| Ok(row.get(0)?))
}
