//! Failures of SQLite, as errors people can act on.

use std::ffi::c_int;

use rusqlite::{ErrorCode, ffi};

use satchel_model::error::{Error, Kind};

/// Returns a failure of the driver as an error that people can act on.
pub(super) fn from_sqlite(error: rusqlite::Error) -> Error {
    if matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)) {
        let message =
            "The database, satchel.db in the data directory, is damaged: stop Satchel and put it back from a backup.";
        return Error::new(Kind::Internal, message).caused_by(error);
    }
    if extended(&error) == Some(ffi::SQLITE_CONSTRAINT_FOREIGNKEY) {
        let message = "It would belong to a person or a thing that is not there. Before there is an owner, open the link that \
                       Satchel prints when it starts, and make one.";
        return Error::conflict(message).caused_by(error);
    }
    if !is_full(&error) {
        return Error::internal(error);
    }
    Error::new(
        Kind::DiskFull,
        "The disk with the data directory is full: nothing was written. Free some space and try again.",
    )
    .caused_by(error)
}

/// No room for the file, or for the memory SQLite shares between processes, which lies on the disk as well.
fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DiskFull) || extended(error) == Some(ffi::SQLITE_IOERR_SHMSIZE)
}

/// SQLite's code for what exactly went wrong.
fn extended(error: &rusqlite::Error) -> Option<c_int> {
    error.sqlite_error().map(|error| error.extended_code)
}
