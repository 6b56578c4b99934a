//! The schema: forward-only migrations.

use include_dir::{Dir, include_dir};
use rusqlite_migration::{Migrations, SchemaVersion};

use super::{connection::Connection, failure::from_sqlite};
use satchel_model::error::{Error, Result};

static MIGRATIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../migrations");

/// The number of the last migration this binary knows.
pub(crate) fn newest_schema() -> usize {
    MIGRATIONS.dirs().count()
}

/// Brings the schema up to date; where there is one already, `before` is told its number first, and stops it by failing.
pub(crate) fn migrate(connection: &mut Connection, before: impl FnOnce(usize) -> Result<()>) -> Result<()> {
    let migrations = Migrations::from_directory(&MIGRATIONS).map_err(Error::internal)?;
    let (newest, connection) = (newest_schema(), connection.driver());
    match migrations.current_version(connection).map_err(unmigrated)? {
        SchemaVersion::Outside(version) => Err(Error::conflict(format!(
            "The data directory was written by a newer Satchel (its schema is {version}, this one knows {newest}). \
             Start that version, go back with its `satchel rollback`, or restore a backup made with this one."
        ))),
        SchemaVersion::Inside(version) if version.get() < newest => {
            before(version.get())?;
            migrations.to_latest(connection).map_err(unmigrated)
        }
        _ => migrations.to_latest(connection).map_err(unmigrated),
    }
}

fn unmigrated(error: rusqlite_migration::Error) -> Error {
    match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => from_sqlite(err),
        error => Error::internal(error),
    }
}

/// A database as a version left it whose last migration was this one, to be opened by the version of now.
#[cfg(test)]
pub(crate) fn left_at(path: &std::path::Path, migration: usize) -> Connection {
    let mut connection = Connection::open(path).unwrap();
    Migrations::from_directory(&MIGRATIONS).unwrap().to_version(connection.driver(), migration).unwrap();
    connection
}
