//! The last changes of files: of one, and of all that a command could have written to.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, openat, statat},
    io::Errno,
};

use super::{Place, Rooted};
use satchel_model::{
    error::{Error, Kind, Result},
    origin::LastChange,
};

/// Nanoseconds by which the time that files are stamped with may be behind the clock: a second is more than enough on one
/// machine.
const BEHIND: i64 = 1_000_000_000;

/// A file's inode, and when that last changed, in nanoseconds since 1970. Nobody can set that back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    changed: i64,
}

/// All names below a user's roots, by their absolute paths. A directory's stamp does not change with what it holds.
pub type Survey = BTreeMap<PathBuf, Stamp>;

/// A time from which on every change of a file bears a later one, in nanoseconds since 1970.
pub fn before_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX).saturating_sub(BEHIND)
}

impl Rooted {
    /// Returns when the name at this absolute path last changed; a link is not followed. `None` if there is nothing.
    pub async fn changed(&self, path: &Path) -> Result<Option<LastChange>> {
        let path = path.to_owned();
        self.blocking(move |files| {
            let text = |path: &Path| path.to_str().map(str::to_owned);
            let parent = path.parent().and_then(text);
            let (Some(parent), Some(name)) = (parent, path.file_name()) else {
                return Err(Error::invalid("A path to a file is needed, in UTF-8."));
            };
            match last_change(files.place(&parent)?, name) {
                Ok(found) => Ok(Some(found)),
                Err(e) if matches!(e.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => Ok(None),
                Err(e) => Err(Error::internal(e)),
            }
        })
        .await
    }

    /// All names below the roots; `None` if there are more than `most` or one directory cannot be read.
    pub async fn survey(&self, most: usize) -> Result<Option<Survey>> {
        self.blocking(move |files| Ok(survey(files, most).ok().flatten())).await
    }
}

/// Moving a directory does not change the files in it, only the directory. A root stays where it is.
fn last_change(mut directory: Place, name: &OsStr) -> io::Result<LastChange> {
    let file = stamp(&statat(directory.open_dir()?, name, AtFlags::SYMLINK_NOFOLLOW)?).changed;
    let mut path = file;
    while let Some((above, _)) = directory.parent() {
        path = path.max(stamp(&fstat(directory.open_dir()?)?).changed);
        directory = above;
    }
    Ok(LastChange { file, path })
}

fn stamp(stat: &Stat) -> Stamp {
    let nanoseconds = i64::try_from(stat.st_ctime_nsec).unwrap_or_default();
    let changed = stat.st_ctime.saturating_mul(1_000_000_000).saturating_add(nanoseconds);
    Stamp { inode: stat.st_ino, changed }
}

/// A directory that cannot be read makes the whole unknown, unless it is gone: it could have been written to.
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
            let mut stamp = stamp(&stat);
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                pending.push(path.clone());
                stamp.changed = 0;
            }
            found.insert(path, stamp);
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
