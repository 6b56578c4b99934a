//! Whose document is next: people take turns, so that nobody waits for all that somebody else has sent.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use parking_lot::Mutex;

use crate::sql::{Row, Tx};
use satchel_model::{error::Result, time::Time};

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
    pub(super) fn next_to_read(&self, tx: &Tx, now: Time, each: u32) -> Result<Option<i64>> {
        let sql = "SELECT coalesce(added_by, '') AS who, count(*) AS number FROM documents WHERE status = 'reading'
                   GROUP BY coalesce(added_by, '')";
        let row = |row: &Row<'_>| Ok((row.get::<Who>("who")?, row.get::<u32>("number")?));
        let reading: HashMap<Who, u32> = tx.all(sql, (), row)?.into_iter().collect();
        let mut last = self.read.lock();
        let mut waiting = people(tx, "queued")?;
        let first = waiting.partition_point(|who| *who <= *last);
        waiting.rotate_left(first);
        waiting.retain(|who| reading.get(who).is_none_or(|count| *count < each));
        let sql = "SELECT number FROM documents
                   WHERE status = 'queued' AND coalesce(added_by, '') = ?1 AND not_before <= ?2 ORDER BY number LIMIT 1";
        for who in waiting {
            let next = tx.first(sql, (&who, now.millis()), |row| row.get("number"))?;
            if next.is_some() {
                *last = who;
                return Ok(next);
            }
        }
        Ok(None)
    }

    /// Documents to be embedded, read by `one` from `number`, `run` and `version`: by turns one of each person, another one
    /// first each time. Those of a person come in the order they were added.
    pub(super) fn to_embed<T>(&self, tx: &Tx, most: u32, one: fn(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
        let mut waiting = people(tx, "embedding")?;
        if waiting.is_empty() {
            return Ok(Vec::new());
        }
        let first = self.embedded.fetch_add(1, Ordering::Relaxed) % waiting.len();
        waiting.rotate_left(first);
        let each = most.div_ceil(u32::try_from(waiting.len()).unwrap_or(u32::MAX));
        let sql = "SELECT number, run, version + 1 AS version FROM documents
                   WHERE status = 'embedding' AND coalesce(added_by, '') = ?1
                     AND EXISTS (SELECT 1 FROM chunks WHERE document = documents.number AND version = documents.version + 1)
                   ORDER BY number LIMIT ?2";
        let mut lists = Vec::with_capacity(waiting.len());
        for who in waiting {
            lists.push(tx.all(sql, (who, each), one)?.into_iter());
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
fn people(tx: &Tx, status: &'static str) -> Result<Vec<Who>> {
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
    tx.all(&sql, (), |row| row.get("who"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        db::{Commit, Db},
        sql::Connection,
    };

    const ONE: &str = "01900000-0000-7000-8000-0000000000a1";
    const OTHER: &str = "01900000-0000-7000-8000-0000000000a2";

    /// A database with these documents: whose each is, and its status.
    fn documents(all: &[(Option<&str>, &str)]) -> (tempfile::TempDir, Db) {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let c = Connection::open(&dir.path().join("satchel.db")).unwrap();
        c.script(&format!(
            "INSERT INTO roles VALUES ('viewer', '[]', TRUE) ON CONFLICT (name) DO NOTHING;
             INSERT INTO users VALUES ('{ONE}', 'Mara', 'mara', 'viewer', 'x', 0, 0, NULL);
             INSERT INTO users VALUES ('{OTHER}', 'Otto', 'otto', 'viewer', 'x', 0, 0, NULL);"
        ))
        .unwrap();
        for (number, (who, status)) in (1_i64..).zip(all) {
            let id = format!("01900000-0000-7000-8000-{number:012}");
            let document =
                "INSERT INTO documents (number, id, collection, title, titled, source, name, mime, bytes, status,
                                                   added_by, created_at, updated_at)
                            VALUES (?1, ?2, 1, 'Heron', 1, 'text', 'a.md', 'text/markdown', 5, ?3, ?4, 0, 0)";
            c.run(document, (number, id, status, who)).unwrap();
            let chunk =
                "INSERT INTO chunks (id, document, version, ordinal, heading, context, start, until, text, hash)
                         VALUES (?1, ?1, 1, 0, '', '', 0, 5, 'heron', zeroblob(32))";
            c.run(chunk, [number]).unwrap();
        }
        (dir, db)
    }

    /// The documents that are begun one after the other.
    async fn begun(db: &Db, each: u32) -> Vec<i64> {
        let turns = std::sync::Arc::new(Turns::default());
        let mut begun = Vec::new();
        loop {
            let turns = std::sync::Arc::clone(&turns);
            let next = db.write(move |tx| {
                let next = turns.next_to_read(tx, Time::from_millis(1), each)?;
                tx.run("UPDATE documents SET status = 'reading' WHERE number = ?1", [next])?;
                Ok(next)
            });
            match next.await.unwrap() {
                Some(number) => begun.push(number),
                None => return begun,
            }
        }
    }

    #[tokio::test]
    async fn documents_are_read_by_turns_and_so_many_of_a_person_at_once() {
        let (one, other) = ((Some(ONE), "queued"), (Some(OTHER), "queued"));
        let all = [one, one, one, one, other, other, (None, "queued"), one];
        let (_dir, db) = documents(&all);
        assert_eq!(begun(&db, 100).await, [1, 5, 7, 2, 6, 3, 4, 8]);
        let (_dir, db) = documents(&[one, one, one, (Some(ONE), "reading"), other]);
        assert_eq!(begun(&db, 2).await, [1, 5], "two of one person are being read");
    }

    #[tokio::test]
    async fn what_may_not_be_begun_yet_keeps_nobody_waiting() {
        let (_dir, db) = documents(&[(Some(ONE), "queued"), (Some(ONE), "queued"), (Some(OTHER), "queued")]);
        db.write(|tx| tx.run("UPDATE documents SET not_before = 2 WHERE number <> 2", ())).await.unwrap();
        assert_eq!(begun(&db, 100).await, [2]);
    }

    #[tokio::test]
    async fn documents_are_embedded_by_turns_and_another_person_is_first_each_time() {
        let (one, other) = ((Some(ONE), "embedding"), (Some(OTHER), "embedding"));
        let (_dir, db) = documents(&[one, one, one, one, other, (None, "embedding"), (Some(OTHER), "ready")]);
        let turns = std::sync::Arc::new(Turns::default());
        let next = async |most: u32| {
            let turns = std::sync::Arc::clone(&turns);
            db.read(move |tx| turns.to_embed(tx, most, |row| row.get::<i64>("number"))).await.unwrap()
        };
        assert_eq!(next(12).await, [6, 1, 5, 2, 3, 4]);
        assert_eq!(next(12).await, [1, 5, 6, 2, 3, 4]);
        assert_eq!(next(2).await, [5, 6]);
    }
}
