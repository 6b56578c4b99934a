//! A copy of a database that is in use: as it is at one moment, and without holding anybody up.
//!
//! The pages are read inside one read transaction, so that writes go on beside it and are not in the copy. They are brought
//! to the disk as they come: what piled up would have to be written by whoever flushes next, which is a write of somebody's.
#![expect(clippy::disallowed_methods, reason = "copies of the database are the store's own files")]

use std::{
    fs::{self, File, OpenOptions},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    thread,
    time::Duration,
};

use super::{fault, watch::Watch};
use crate::sql::{
    Connection, Tx,
    pages::{self, Step},
};
use satchel_model::{
    backup::Part,
    error::{Kind, Result},
};

/// Pages copied at once: half a megabyte.
const STEP: i32 = 128;
/// Steps between two flushes.
const FLUSH: u32 = 8;
/// The time a lock that is in the way is waited for.
const WAIT: Duration = Duration::from_millis(20);

/// Copies the database `source` to a new file, as it is now. Blocks. Leaves nothing where it fails. `begun` sees what is
/// copied, before anything of it is.
pub(super) fn copy(source: &Path, target: &Path, watch: &Watch, begun: impl FnOnce(&Tx) -> Result<()>) -> Result<()> {
    let done = copy_pages(source, target, watch, begun);
    if done.is_err() {
        let _ = fs::remove_file(target);
    }
    done.map_err(|error| match error.kind() {
        // Of the copy, not of the database itself: nothing of that is lost.
        Kind::DiskFull => fault::unwritable(target, std::io::ErrorKind::StorageFull.into()).caused_by(error),
        _ => error,
    })
}

fn copy_pages(source: &Path, target: &Path, watch: &Watch, begun: impl FnOnce(&Tx) -> Result<()>) -> Result<()> {
    let from = Connection::open_read_only(source)?;
    let moment = from.moment()?;
    // The first read begins it: from here on nothing that is written is seen.
    let (page, pages, _) = moment.pages()?;
    moment.tables()?;
    begun(&moment)?;
    watch.begin(Part::Database, page * pages);
    let file = new_private(target).map_err(|e| fault::unwritable(target, e))?;
    let mut steps = 0_u32;
    pages::copy(&moment, target, STEP, |step| {
        match step {
            Step::More => watch.advance(page * u64::from(STEP.unsigned_abs()))?,
            Step::Busy => thread::sleep(WAIT),
        }
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(FLUSH) {
            // Where it cannot be flushed, the last flush says so.
            let _ = file.sync_data();
        }
        Ok(())
    })?;
    file.sync_all().map_err(|e| fault::unwritable(target, e))
}

/// A new file that only its owner may read.
pub(super) fn new_private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_as_it_begins_is_what_is_copied() {
        let dir = tempfile::tempdir().unwrap();
        let (source, target) = (dir.path().join("a.db"), dir.path().join("b.db"));
        let writer = Connection::open(&source).unwrap();
        writer.run("CREATE TABLE t (x)", ()).unwrap();
        writer.run("INSERT INTO t VALUES (1)", ()).unwrap();
        let begun = |tx: &Tx| {
            writer.run("INSERT INTO t VALUES (2)", ()).unwrap();
            assert_eq!(tx.count("t").unwrap(), 1);
            Ok(())
        };
        copy(&source, &target, &Watch::default(), begun).unwrap();
        let copied = Connection::open(&target).unwrap();
        assert_eq!((writer.count("t").unwrap(), copied.count("t").unwrap()), (2, 1));
    }
}
