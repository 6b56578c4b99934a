//! Counting rows that were written before there were counts.

use std::collections::{BTreeMap, HashMap};

use super::{
    Audit,
    counts::{Group, add, is_wrong, uncounted},
    kinds::{self, Placed, Trust},
    stretches::{MINUTE, floor},
    unnamed,
    words::{Kind, Words},
};
use crate::sql::Tx;
use satchel_model::error::Result;

/// Rows that are counted in one transaction.
const PART: i64 = 10_000;

impl Audit {
    /// Counts some more rows that were written before there were counts, the newest of them first. False once there are
    /// none left.
    pub async fn count_older(&self) -> Result<bool> {
        self.db.write(count_part).await
    }
}

fn count_part(tx: &Tx) -> Result<bool> {
    let upto = uncounted(tx)?;
    if upto == 0 {
        return Ok(false);
    }
    let after = (upto - PART).max(0);
    let sql = "SELECT event_type, outcome, risk, door, person, tool, user_id, time, seq FROM audit
               WHERE seq > ?1 AND seq <= ?2";
    let (mut words, mut groups) = (Words::default(), Groups::default());
    tx.all(sql, [after, upto], |row| {
        let kind = words.read(row)?;
        let is_person = row.get::<Option<&str>>("user_id")?.is_some();
        let (time, seq) = (row.get("time")?, row.get("seq")?);
        let told = kind.map(|word| words.get(word));
        let placed = groups.place(tx, (kind, is_person), told)?;
        unnamed::note(tx, (seq, time), placed, told)?;
        let [_, outcome, ..] = told;
        groups.count(placed.id, (seq, time), is_wrong(outcome));
        Ok(())
    })?;
    // In order, so that neighbours are written one after the other.
    groups.made.values().try_for_each(|group| add(tx, group))?;
    tx.run("UPDATE audit_uncounted SET upto = ?1", [after])?;
    Ok(after > 0)
}

/// Rows by their stretch and kind, and the kinds that were looked up for them.
#[derive(Default)]
struct Groups {
    placed: HashMap<(Kind, bool), Placed>,
    made: BTreeMap<(i64, i64), Group>,
}

impl Groups {
    fn place(&mut self, tx: &Tx, key: (Kind, bool), words: [&str; 6]) -> Result<Placed> {
        if let Some(placed) = self.placed.get(&key) {
            return Ok(*placed);
        }
        let placed = kinds::place(tx, words, Trust::in_row(words, key.1))?;
        self.placed.insert(key, placed);
        Ok(placed)
    }

    fn count(&mut self, kind: i64, (seq, time): (i64, i64), is_wrong: bool) {
        let minute = time.div_euclid(MINUTE);
        let new = Group { minute, kind, number: 0, wrong: 0, first: seq, last: seq };
        let group = self.made.entry((floor(time), kind)).or_insert(new);
        group.number += 1;
        group.wrong += i64::from(is_wrong);
        group.first = group.first.min(seq);
        group.last = group.last.max(seq);
    }
}
