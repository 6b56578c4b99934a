//! Copying a database that is in use, page by page.

use std::path::Path;

use rusqlite::backup::{Backup, StepResult};

use super::tx::Tx;
use crate::model::error::Result;

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Step {
    /// Pages were copied, and more follow.
    More,
    /// A lock was in the way.
    Busy,
}

/// Copies a database to the file `target`, so many pages at once. `between` sees what came of each step but the last.
pub(in crate::store) fn copy(
    from: &Tx,
    target: &Path,
    pages: i32,
    mut between: impl FnMut(Step) -> Result<()>,
) -> Result<()> {
    let mut to = rusqlite::Connection::open(target)?;
    // A copy that was cut is thrown away, so nothing of it needs to be undone.
    to.pragma_update(None, "journal_mode", "OFF")?;
    to.pragma_update(None, "synchronous", "OFF")?;
    to.pragma_update(None, "cache_size", -8_192)?;
    let copying = Backup::new(&from.0, &mut to)?;
    loop {
        between(match copying.step(pages)? {
            StepResult::Done => return Ok(()),
            StepResult::More => Step::More,
            _ => Step::Busy,
        })?;
    }
}
