//! Copying a database that is in use, page by page.

use std::path::Path;

use rusqlite::backup::{Backup, StepResult};

use super::{failure::from_sqlite, tx::Tx};
use satchel_model::error::Result;

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Pages were copied, and more follow.
    More,
    /// A lock was in the way.
    Busy,
}

/// Copies a database to the file `target`, so many pages at once. `between` sees what came of each step but the last.
pub(crate) fn copy(from: &Tx, target: &Path, pages: i32, mut between: impl FnMut(Step) -> Result<()>) -> Result<()> {
    let mut to = rusqlite::Connection::open(target).map_err(from_sqlite)?;
    // A copy that was cut is thrown away, so nothing of it needs to be undone.
    to.pragma_update(None, "journal_mode", "OFF").map_err(from_sqlite)?;
    to.pragma_update(None, "synchronous", "OFF").map_err(from_sqlite)?;
    to.pragma_update(None, "cache_size", -8_192).map_err(from_sqlite)?;
    let copying = Backup::new(&from.0, &mut to).map_err(from_sqlite)?;
    loop {
        between(match copying.step(pages).map_err(from_sqlite)? {
            StepResult::Done => return Ok(()),
            StepResult::More => Step::More,
            _ => Step::Busy,
        })?;
    }
}
