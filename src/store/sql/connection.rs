//! Connections to the database file.

use std::{ops::Deref, path::Path, time::Duration};

use rusqlite::{OpenFlags, Transaction, TransactionBehavior, hooks::Action};

use super::{failure::from_sqlite, tx::Tx};
use satchel_model::error::Result;

/// The time a statement waits for another connection's lock.
const BUSY: Duration = Duration::from_secs(5);

/// A connection to a database file.
pub struct Connection(Tx);

impl Deref for Connection {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        &self.0
    }
}

impl Connection {
    /// A connection to a database, which is made where there is none.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        Self::connect(path, OpenFlags::default())
    }

    /// As [`Connection::open`]; a database that is not there is not made.
    pub(crate) fn open_existing(path: &Path) -> Result<Self> {
        Self::connect(path, existing())
    }

    /// A connection that cannot write, for commands that look at a database another process may be serving.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        Self::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
    }

    /// A connection that looks at a copy and leaves it as it is, without the settings of one that is written to.
    pub(crate) fn open_copy(path: &Path) -> Result<Self> {
        rusqlite::Connection::open_with_flags(path, existing())
            .map(|connection| Self(Tx(connection)))
            .map_err(from_sqlite)
    }

    /// A database without a file.
    #[cfg(test)]
    pub(crate) fn in_memory() -> Self {
        Self(Tx(rusqlite::Connection::open_in_memory().unwrap()))
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self> {
        let connection = rusqlite::Connection::open_with_flags(path, flags).map_err(from_sqlite)?;
        connection.busy_timeout(BUSY).map_err(from_sqlite)?;
        connection.set_prepared_statement_cache_capacity(128);
        if !flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY) {
            connection.pragma_update(None, "journal_mode", "WAL").map_err(from_sqlite)?;
            connection.pragma_update(None, "synchronous", "FULL").map_err(from_sqlite)?;
            connection.pragma_update(None, "wal_autocheckpoint", 4_000).map_err(from_sqlite)?;
            connection.pragma_update(None, "journal_size_limit", 64 << 20).map_err(from_sqlite)?;
            // What was deleted is overwritten, not only left behind.
            connection.pragma_update(None, "secure_delete", true).map_err(from_sqlite)?;
        }
        connection.pragma_update(None, "foreign_keys", true).map_err(from_sqlite)?;
        connection.pragma_update(None, "trusted_schema", false).map_err(from_sqlite)?;
        Ok(Self(Tx(connection)))
    }

    /// Runs `work` in a transaction that writes. Undoes all of it where `work` fails.
    pub(crate) fn commit(&self, work: impl FnOnce(&Tx) -> Result<()>) -> Result<()> {
        let open = Transaction::new_unchecked(&self.0.0, TransactionBehavior::Immediate).map_err(from_sqlite)?;
        work(self)?;
        open.commit().map_err(from_sqlite)
    }

    /// Calls `heard` at every row that this connection puts into `table`.
    pub(crate) fn on_insert(&self, table: &'static str, heard: impl Fn() + Send + 'static) -> Result<()> {
        let hook = move |action, _: &str, changed: &str, _| {
            if action == Action::SQLITE_INSERT && changed == table {
                heard();
            }
        };
        self.0.0.update_hook(Some(hook)).map_err(from_sqlite)
    }

    /// Writes the log back into the file and empties it; waits so long for others who read or write. False where somebody
    /// still reads from it.
    pub(crate) fn fold(&self, patience: Duration) -> Result<bool> {
        self.0.0.busy_timeout(patience).map_err(from_sqlite)?;
        Ok(!self.one::<bool>("PRAGMA wal_checkpoint(TRUNCATE)", ())?)
    }

    /// Closes it.
    ///
    /// # Errors
    /// Where what was written cannot be brought to the disk.
    pub(crate) fn close(self) -> Result<()> {
        self.0.0.close().map_err(|(_, error)| error).map_err(from_sqlite)
    }

    /// The driver's own, for the parts of the seam.
    pub(super) fn driver(&mut self) -> &mut rusqlite::Connection {
        &mut self.0.0
    }
}

/// A database that is not there is not made.
fn existing() -> OpenFlags {
    OpenFlags::default().difference(OpenFlags::SQLITE_OPEN_CREATE)
}
