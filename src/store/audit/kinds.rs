//! The kinds of rows there are: every combination of facets that a row of the audit has had.
//!
//! There are few of them beside the rows, and none is ever changed: they are remembered once they were read. That there are
//! few is not left to whoever calls tools by made-up names, or signs in under them: such names are no part of a kind.

use std::sync::Arc;

use parking_lot::Mutex;

use super::words::{Kind, Words};
use crate::sql::Tx;
use satchel_model::error::Result;

/// Most kinds that name a person and a tool. Where there are so many, new ones name neither.
pub(super) const MOST: i64 = 100_000;

/// Names of a row that are known not to be made up: the others are part of a kind only if an earlier row vouches for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trust {
    /// The person's.
    pub person: bool,
    /// The tool's.
    pub tool: bool,
}

impl Trust {
    /// Trust in the names of a row. Who fails to sign in may have given any name. A tool that was found has a risk.
    pub(super) fn in_row([event_type, _, risk, ..]: [&str; 6], is_person: bool) -> Self {
        Self { person: is_person || event_type != "auth", tool: !risk.is_empty() }
    }
}

/// The kind a row counts under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    /// The kind's number.
    pub id: i64,
    /// Whether it names the row's person.
    pub names_person: bool,
    /// Whether it names the row's tool.
    pub names_tool: bool,
}

/// The kind of a row with these words, which is made where there is none such.
pub(super) fn place(tx: &Tx, words: [&str; 6], trust: Trust) -> Result<Placed> {
    if let Some(id) = known(tx, words)? {
        return Ok(Placed { id, names_person: true, names_tool: true });
    }
    let last: i64 = tx.one("SELECT coalesce(max(id), 0) FROM audit_kinds", ())?;
    let [event_type, outcome, risk, door, person, tool] = words;
    let is_named = |name: &str, trusted: bool, sql: &str| -> Result<bool> {
        Ok(name.is_empty() || last < MOST && (trusted || tx.exists(sql, [name])?))
    };
    let names_person = is_named(person, trust.person, "SELECT 1 FROM audit_kinds WHERE person = ?1 LIMIT 1")?;
    let names_tool = is_named(tool, trust.tool, "SELECT 1 FROM audit_kinds WHERE tool = ?1 LIMIT 1")?;
    let named = |name, is_named| if is_named { name } else { "" };
    let words = [event_type, outcome, risk, door, named(person, names_person), named(tool, names_tool)];
    let id = match known(tx, words)? {
        Some(id) => id,
        None => add(tx, words, last + 1)?,
    };
    Ok(Placed { id, names_person, names_tool })
}

fn known(tx: &Tx, words: [&str; 6]) -> Result<Option<i64>> {
    let sql = "SELECT id FROM audit_kinds
               WHERE event_type = ?1 AND outcome = ?2 AND risk = ?3 AND door = ?4 AND person = ?5 AND tool = ?6";
    tx.first(sql, words, |row| row.get("id"))
}

fn add(tx: &Tx, words: [&str; 6], id: i64) -> Result<i64> {
    let [event_type, outcome, risk, door, person, tool] = words;
    tx.run(
        "INSERT INTO audit_kinds (id, event_type, outcome, risk, door, person, tool)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (id, event_type, outcome, risk, door, person, tool),
    )?;
    Ok(id)
}

/// The kinds as far as they were read.
#[derive(Default)]
pub(super) struct Kinds {
    known: Mutex<Arc<Known>>,
}

/// Kinds, numbered from 1 without gaps, and their words.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub kinds: Vec<Kind>,
    pub words: Words,
}

impl Known {
    /// The place among [`Known::kinds`] of the kind with this number.
    pub(super) fn index(number: i64) -> usize {
        usize::try_from(number - 1).unwrap_or(usize::MAX)
    }
}

impl Kinds {
    /// All kinds of now.
    pub(super) fn all(&self, tx: &Tx) -> Result<Arc<Known>> {
        let mut now = Arc::clone(&self.known.lock());
        let sql = "SELECT event_type, outcome, risk, door, person, tool FROM audit_kinds WHERE id > ?1 ORDER BY id";
        let before = now.kinds.len();
        tx.all(sql, [i64::try_from(before).unwrap_or(i64::MAX)], |row| {
            let known = Arc::make_mut(&mut now);
            let kind = known.words.read(row)?;
            known.kinds.push(kind);
            Ok(())
        })?;
        if now.kinds.len() > before {
            let mut known = self.known.lock();
            if known.kinds.len() < now.kinds.len() {
                *known = Arc::clone(&now);
            }
        }
        Ok(now)
    }
}
