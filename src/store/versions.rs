//! Versions of things that change, counted in the transaction that changes them: answers do not come in the order of the
//! commits, and a copy in memory is to keep the later state.

use super::sql::Tx;
use satchel_model::error::Result;

/// A thing whose changes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    Catalog,
    /// Counted by the database, where what was learned goes with something else.
    Learning,
    Settings,
    /// Attempts of the egress ledger, of which the rows are removed after a while: the last number that was removed.
    Egress,
}

impl Thing {
    fn as_str(self) -> &'static str {
        match self {
            Self::Catalog => "catalog",
            Self::Learning => "learning",
            Self::Settings => "settings",
            Self::Egress => "egress",
        }
    }
}

/// Counts a change. Returns its number.
pub(super) fn next(tx: &Tx, thing: Thing) -> Result<i64> {
    let sql = "INSERT INTO versions (name, number) VALUES (?1, 1)
               ON CONFLICT (name) DO UPDATE SET number = versions.number + 1 RETURNING number";
    tx.one(sql, [thing.as_str()])
}

/// Sees to it that the number of the last change is no lower than this.
pub(super) fn raise(tx: &Tx, thing: Thing, number: i64) -> Result<()> {
    let sql = "INSERT INTO versions (name, number) VALUES (?1, ?2)
               ON CONFLICT (name) DO UPDATE SET number = excluded.number WHERE versions.number < excluded.number";
    tx.run(sql, (thing.as_str(), number)).map(drop)
}

/// The number of the last change; 0 before the first.
pub(super) fn last(tx: &Tx, thing: Thing) -> Result<i64> {
    tx.one("SELECT coalesce(max(number), 0) FROM versions WHERE name = ?1", [thing.as_str()])
}
