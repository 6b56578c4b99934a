//! Writing: into a new file beside the old one, then renamed, so that nobody ever sees half of it.

use std::{
    ffi::OsStr,
    fs::{DirBuilder, File},
    io::{self, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::DirBuilderExt,
    },
    path::Path,
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, fchmod, mkdirat, openat, renameat, statat, unlinkat},
    io::Errno,
};

use super::{Fault, Place};
use satchel_model::error::{Error, Kind, Result};

/// The choice whether the directories a new file lies in are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    /// They must be there.
    Must,
    /// Those missing are made.
    Create,
}

/// Makes a directory nobody else may look into, and those above it.
pub(super) fn make_private_dir(path: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|e| Fault::new("your workspace", e).of_directory())
}

pub(super) fn whole(place: &Place, path: &str, bytes: &[u8], parents: Parents) -> Result<u64> {
    let Some((parent, name)) = place.parent().filter(|_| !path.ends_with('/')) else {
        return Err(Fault::new(path, io::Error::from_raw_os_error(libc::EISDIR)).of_file());
    };
    if parents == Parents::Create {
        make_dirs(&parent).map_err(|e| Fault::new(path, e).of_directory())?;
    }
    let dir = parent.open_dir().map_err(|e| missing_parent(path, e))?;
    let mode = mode_of_old(place, &dir, name, path)?;
    let temporary = format!(".{}.satchel", uuid::Uuid::new_v4().simple());
    let written = fill(&dir, &temporary, bytes, mode).and_then(|()| Ok(renameat(&dir, &temporary, &dir, name)?));
    if let Err(e) = written {
        // The failure to write is what the caller must hear of; what is left behind cannot be helped here.
        let _ = unlinkat(&dir, &temporary, AtFlags::empty());
        return Err(Fault::new(path, e).of_file());
    }
    Ok(bytes.len() as u64)
}

/// Checks that [`whole`] would succeed, as far as that shows before. Returns whether there is a file already.
///
/// # Errors
///
/// If it would not.
pub(super) fn ensure_possible(place: &Place, path: &str, parents: Parents) -> Result<bool> {
    let Some((parent, name)) = place.parent().filter(|_| !path.ends_with('/')) else {
        return Err(Fault::new(path, io::Error::from_raw_os_error(libc::EISDIR)).of_file());
    };
    match parent.open_dir() {
        Ok(dir) => Ok(mode_of_old(place, &dir, name, path)?.is_some()),
        Err(e) if parents == Parents::Create && e.raw_os_error() == Some(libc::ENOENT) => Ok(false),
        Err(e) => Err(missing_parent(path, e)),
    }
}

fn fill(dir: &OwnedFd, name: &str, bytes: &[u8], mode: Option<Mode>) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(dir.as_fd(), name, flags, Mode::from_raw_mode(0o666))?);
    file.write_all(bytes)?;
    if let Some(mode) = mode {
        fchmod(&file, mode)?;
    }
    file.sync_data()
}

/// The mode of the file that is replaced; `None` if there is none yet.
fn mode_of_old(place: &Place, dir: &OwnedFd, name: &OsStr, path: &str) -> Result<Option<Mode>> {
    let old = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(old) => old,
        Err(Errno::NOENT) => return Ok(None),
        Err(e) => return Err(Fault::new(path, e).of_file()),
    };
    place.ensure_not_own_data(&old, path)?;
    let mode = Mode::from_raw_mode(old.st_mode & 0o777);
    match FileType::from_raw_mode(old.st_mode) {
        FileType::RegularFile if mode.intersects(Mode::WUSR | Mode::WGRP | Mode::WOTH) => Ok(Some(mode)),
        FileType::RegularFile => Err(Error::denied(format!("'{path}' is write-protected."))),
        FileType::Directory => Err(Fault::new(path, io::Error::from_raw_os_error(libc::EISDIR)).of_file()),
        FileType::Symlink => Err(Fault::new(path, io::Error::from_raw_os_error(libc::ELOOP)).of_file()),
        _ => Err(Error::invalid(format!("'{path}' is a pipe, a socket or a device, not a file."))),
    }
}

fn make_dirs(place: &Place) -> io::Result<()> {
    let mut here = place.open_root()?;
    for name in place.names() {
        match mkdirat(&here, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(e) => return Err(e.into()),
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        here = openat(&here, name, flags, Mode::empty())?;
    }
    Ok(())
}

fn missing_parent(path: &str, cause: io::Error) -> Error {
    if cause.raw_os_error() != Some(libc::ENOENT) {
        return Fault::new(path, cause).of_directory();
    }
    let message = format!("The directory of '{path}' does not exist. Make it first, or pass create_dirs: true.");
    Error::new(Kind::NotFound, message).caused_by(cause)
}
