//! Failures of files, as sentences.

use std::{io, path::Path};

use satchel_model::error::{Error, Kind};

/// The failure of a file or directory that is written.
pub(super) fn unwritable(path: &Path, error: io::Error) -> Error {
    let place = path.display();
    // What went wrong further in has its own words.
    if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        return inner.clone();
    }
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            let told = format!(
                "The disk with {place} is full, and nothing half-done was left on it. Free some space and try again."
            );
            Error::new(Kind::DiskFull, told).caused_by(error)
        }
        _ => Error::conflict(format!("{place} cannot be written: {error}.")).caused_by(error),
    }
}

/// The failure of a file that is read.
pub(super) fn unreadable(path: &Path, error: io::Error) -> Error {
    let place = path.display();
    if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        return inner.clone();
    }
    match error.kind() {
        io::ErrorKind::NotFound => Error::not_found(format!("There is no file {place}.")),
        _ => Error::conflict(format!("{place} cannot be read: {error}.")).caused_by(error),
    }
}

/// An error of ours on its way through code that knows only those of files.
pub(super) fn carried(error: Error) -> io::Error {
    io::Error::other(error)
}

/// No room for what is about to be written.
pub(super) fn no_room(path: &Path, needed: u64, free: u64) -> Error {
    let (place, needed, free) = (path.display(), megabytes(needed), megabytes(free));
    Error::new(
        Kind::DiskFull,
        format!("The disk with {place} has no room: {needed} MB are needed, {free} MB are free. Nothing was written."),
    )
}

fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}
