//! When files last changed: of one, and of all that a command could have written to.

use std::{
    collections::BTreeMap,
    io,
    os::fd::OwnedFd,
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, openat, statat},
    io::Errno,
};

use super::{Place, Rooted};
use crate::model::error::{Error, Kind, Result};

/// How far the time that files are stamped with may be behind the clock, in nanoseconds: a second is more than enough on
/// one machine.
const BEHIND: i64 = 1_000_000_000;

/// A file's inode, and when that last changed, in nanoseconds since 1970. Nobody can set that back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    /// Nanoseconds since 1970.
    pub changed: i64,
}

/// The regular files below a user's roots, by their absolute paths.
pub type Survey = BTreeMap<PathBuf, Stamp>;

/// A time from which on every change of a file bears a later one, in nanoseconds since 1970.
pub fn before_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX).saturating_sub(BEHIND)
}

impl Rooted {
    /// When a file last changed; `None` if there is nothing at this path.
    pub async fn changed(&self, path: &str) -> Result<Option<i64>> {
        let path = path.to_owned();
        self.blocking(move |files| {
            let place = files.place(&path)?;
            match place.open(OFlags::PATH).and_then(|file| Ok(fstat(file)?)) {
                Ok(stat) => Ok(Some(stamp(&stat).changed)),
                Err(e) if matches!(e.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => Ok(None),
                Err(e) => Err(Error::internal(e)),
            }
        })
        .await
    }

    /// All regular files below the roots; `None` if there are more than `most` names or one directory cannot be read.
    pub async fn survey(&self, most: usize) -> Result<Option<Survey>> {
        self.blocking(move |files| Ok(survey(files, most).ok().flatten())).await
    }
}

fn stamp(stat: &Stat) -> Stamp {
    let nanoseconds = i64::try_from(stat.st_ctime_nsec).unwrap_or_default();
    let changed = stat.st_ctime.saturating_mul(1_000_000_000).saturating_add(nanoseconds);
    Stamp { inode: stat.st_ino, changed }
}

/// What was not read could have been written to: a directory that fails makes the whole unknown, unless it is gone.
fn survey(files: &Rooted, most: usize) -> io::Result<Option<Survey>> {
    let mut found = Survey::new();
    let mut left = most;
    let mut pending: Vec<PathBuf> = files.roots().to_vec();
    while let Some(directory) = pending.pop() {
        let path = directory.to_str().ok_or(Errno::INVAL)?;
        let place = match files.place(path) {
            Ok(place) => place,
            // Places of the server's own are no tool's to write to.
            Err(error) if error.kind() == Kind::Denied => continue,
            Err(_) => return Err(Errno::NAMETOOLONG.into()),
        };
        let Some(opened) = open(&place)? else { continue };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        for entry in Dir::new(openat(&opened, c".", flags, Mode::empty())?)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let Some(rest) = left.checked_sub(1) else { return Ok(None) };
            left = rest;
            let path = directory.join(name.to_str().map_err(|_| Errno::INVAL)?);
            let stat = match statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(error.into()),
            };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => pending.push(path),
                FileType::RegularFile => drop(found.insert(path, stamp(&stat))),
                _ => {}
            }
        }
    }
    Ok(Some(found))
}

fn open(place: &Place) -> io::Result<Option<OwnedFd>> {
    match place.open_dir() {
        Ok(directory) => Ok(Some(directory)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
