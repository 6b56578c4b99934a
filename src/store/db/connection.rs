//! Connections to the database file.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags};

use crate::model::error::Result;

/// The time a statement waits for another connection's lock.
const BUSY: Duration = Duration::from_secs(5);

/// A connection that cannot write, for commands that look at a database another process may be serving.
pub fn open_read_only(path: &Path) -> Result<Connection> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

pub(in crate::store) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(128);
    if !flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY) {
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
        connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
        // What was deleted is overwritten, not only left behind.
        connection.pragma_update(None, "secure_delete", true)?;
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}
