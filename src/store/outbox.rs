//! What the indexes have still to see: a row beside each change, written in the same transaction.
//!
//! An index remembers the last number it has seen. A row is trimmed when every index has seen it on the disk.

use std::collections::HashSet;

use super::{chunks, entries, sql::Tx};
use satchel_model::{
    error::Result,
    index::{Entry, Space},
};

/// One change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Its number: later changes have larger ones.
    pub seq: i64,
    /// What was inserted, changed or deleted.
    pub id: i64,
}

/// Tells the indexes that this entry was inserted, changed or deleted. To be called inside the transaction that did it.
pub fn changed(tx: &Tx, space: Space, id: i64) -> Result<()> {
    tx.run("INSERT INTO outbox (space, id) VALUES (?1, ?2)", (space.as_str(), id))?;
    Ok(())
}

/// The next `n` changes of a space after `seq`, in order.
pub fn after(tx: &Tx, space: Space, seq: i64, n: u32) -> Result<Vec<Change>> {
    let sql = "SELECT seq, id FROM outbox WHERE space = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
    tx.all(sql, (space.as_str(), seq, n), |row| Ok(Change { seq: row.get("seq")?, id: row.get("id")? }))
}

/// Those of these entries that changed after `seq`.
pub fn changed_since(tx: &Tx, space: Space, seq: i64, among: &HashSet<i64>) -> Result<HashSet<i64>> {
    let sql = "SELECT id FROM outbox WHERE space = ?1 AND seq > ?2";
    let changed = tx.all(sql, (space.as_str(), seq), |row| row.get("id"))?;
    Ok(changed.into_iter().filter(|id| among.contains(id)).collect())
}

/// How many changes of a space come after `seq`.
pub fn pending(tx: &Tx, space: Space, seq: i64) -> Result<i64> {
    let sql = "SELECT count(*) FROM outbox WHERE space = ?1 AND seq > ?2";
    tx.one(sql, (space.as_str(), seq))
}

/// The number of the last change of any space, trimmed or not; 0 before the first.
pub fn last(tx: &Tx) -> Result<i64> {
    tx.one(
        "SELECT coalesce(max(seq), 0) FROM (SELECT max(seq) AS seq FROM outbox UNION ALL SELECT max(seq) FROM outbox_trimmed) told",
        (),
    )
}

/// Forgets the changes of a space up to `seq`: every index of it has seen them.
pub fn trim(tx: &Tx, space: Space, seq: i64) -> Result<()> {
    tx.run("DELETE FROM outbox WHERE space = ?1 AND seq <= ?2", (space.as_str(), seq))?;
    tx.run(
        "INSERT INTO outbox_trimmed (space, seq) VALUES (?1, ?2)
         ON CONFLICT (space) DO UPDATE SET seq = excluded.seq WHERE excluded.seq > outbox_trimmed.seq",
        (space.as_str(), seq),
    )?;
    Ok(())
}

/// Up to where changes of a space were forgotten; 0 where none were.
pub fn trimmed(tx: &Tx, space: Space) -> Result<i64> {
    let sql = "SELECT seq FROM outbox_trimmed WHERE space = ?1";
    Ok(tx.first(sql, [space.as_str()], |row| row.get("seq"))?.unwrap_or(0))
}

/// Which database this is.
pub fn origin(tx: &Tx) -> Result<String> {
    tx.one("SELECT origin FROM outbox_origin", ())
}

/// The entry as it is now; none where it is gone. Each noun says what its entries are.
pub fn entry(tx: &Tx, space: Space, id: i64) -> Result<Option<Entry>> {
    match space {
        Space::Entries => entries::entry(tx, id),
        Space::Knowledge => chunks::entry(tx, id),
    }
}

/// The next `n` entries with an id above `after`, by id: what an index is rebuilt from.
pub fn entries_after(tx: &Tx, space: Space, after: i64, n: u32) -> Result<Vec<Entry>> {
    match space {
        Space::Entries => entries::entries_after(tx, after, n),
        Space::Knowledge => chunks::entries_after(tx, after, n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Commit, Db};

    #[tokio::test]
    async fn changes_come_in_order_and_numbers_are_never_used_again() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        db.write(|tx| {
            assert_eq!(last(tx)?, 0);
            changed(tx, Space::Entries, 7)?;
            changed(tx, Space::Knowledge, 7)?;
            changed(tx, Space::Entries, 8)?;
            assert_eq!(after(tx, Space::Entries, 0, 9)?, [Change { seq: 1, id: 7 }, Change { seq: 3, id: 8 }]);
            assert_eq!(after(tx, Space::Entries, 1, 9)?, [Change { seq: 3, id: 8 }]);
            assert_eq!(changed_since(tx, Space::Entries, 1, &HashSet::from([7, 8]))?, HashSet::from([8]));
            assert_eq!((pending(tx, Space::Entries, 0)?, pending(tx, Space::Entries, 3)?), (2, 0));
            trim(tx, Space::Entries, 3)?;
            trim(tx, Space::Knowledge, 3)?;
            assert_eq!((last(tx)?, trimmed(tx, Space::Entries)?), (3, 3));
            changed(tx, Space::Knowledge, 9)?;
            assert_eq!(after(tx, Space::Knowledge, 0, 9)?, [Change { seq: 4, id: 9 }]);
            Ok(())
        })
        .await
        .unwrap();
    }
}
