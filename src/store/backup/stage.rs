//! Where a backup is unpacked: a directory beside the target or in it, which takes its place once everything was proven.
#![expect(clippy::disallowed_methods, reason = "the data directory is the store's own")]

use std::{
    fs::{self, DirBuilder, File},
    io::{self, ErrorKind},
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, RenameFlags},
    io::Errno,
    process::geteuid,
};

use super::{
    fault,
    names::DATABASE,
    write::{Scrap, sync_dir},
};
use crate::dir::{DataDir, LOCK};
use satchel_model::error::{Error, Result};

/// Names that may lie in an empty directory: the root of a disk of its own, and what a restoring left that was killed.
const IGNORED: [&str; 3] = ["lost+found", INSIDE, LOCK];
/// The stage inside a target that cannot be replaced: a disk of its own, for instance.
const INSIDE: &str = ".restoring";

/// The target, absolute. Fails where there is something in it.
pub(super) fn require_empty(target: &Path) -> Result<PathBuf> {
    let target = match fs::canonicalize(target) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return std::path::absolute(target).map_err(|e| fault::unwritable(target, e));
        }
        Err(error) => return Err(fault::unreadable(target, error)),
    };
    if is_empty(&target)? {
        return Ok(target);
    }
    let held = File::open(target.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_err());
    Err(if held { running(&target) } else { not_empty(&target) })
}

/// Whether nothing lies in it but what may.
fn is_empty(target: &Path) -> Result<bool> {
    let mut entries = fs::read_dir(target).map_err(|e| fault::unreadable(target, e))?.flatten();
    Ok(entries.all(|entry| IGNORED.iter().any(|ignored| entry.file_name() == *ignored)))
}

fn running(target: &Path) -> Error {
    Error::conflict(format!(
        "A Satchel is running in {}: stop it, and restore into an empty directory. Nothing was changed.",
        target.display()
    ))
}

fn not_empty(target: &Path) -> Error {
    Error::conflict(format!(
        "{} is not empty: restore into a new directory, or move what is in it away. Nothing was changed.",
        target.display()
    ))
}

/// Where a backup is unpacked before it takes the target's place. Dropped without a commit, nothing of it is left.
pub(super) struct Stage {
    path: PathBuf,
    /// The target, where this is inside it. Nobody starts in it meanwhile.
    around: Option<Around>,
    _held: DataDir,
}

/// A target that is held while it is filled.
struct Around {
    /// Removed while it is held, unless it was there before.
    lock: Option<Scrap>,
    _held: DataDir,
}

impl Around {
    fn hold(target: &Path) -> Result<Self> {
        let lock = target.join(LOCK);
        let was_there = lock.exists();
        let held = DataDir::hold(target).map_err(|error| match was_there {
            true => running(target).caused_by(error),
            false => error,
        })?;
        Ok(Self { lock: (!was_there).then(|| Scrap(lock)), _held: held })
    }
}

impl Stage {
    pub(super) fn open(target: &Path) -> Result<Self> {
        let (parent, name) = (target.parent().unwrap_or(Path::new("/")), target.file_name().unwrap_or_default());
        let mut beside = std::ffi::OsString::from(".");
        beside.push(name);
        beside.push(INSIDE);
        let there = target.is_dir();
        if !there {
            DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(|e| fault::unwritable(parent, e))?;
        }
        let inside = there && (is_root_of_a_disk(target, parent) || !may_write(parent) || !is_bare(target)?);
        let around = if inside { Some(Around::hold(target)?) } else { None };
        let path = if inside { target.join(INSIDE) } else { parent.join(beside) };
        make_own(&path)?;
        // Where there was room for the directory alone, it goes again; one that is held is not empty.
        let held = DataDir::hold(&path).inspect_err(|_| drop(fs::remove_dir(&path)))?;
        let stage = Self { path: held.path().to_owned(), around, _held: held };
        stage.clear()?;
        Ok(stage)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what a restoring left that was killed.
    fn clear(&self) -> Result<()> {
        for entry in fs::read_dir(&self.path).map_err(|e| fault::unreadable(&self.path, e))?.flatten() {
            if entry.file_name() != LOCK {
                drop(Scrap(entry.path()));
            }
        }
        Ok(())
    }

    /// Brings everything to the disk and puts it in the target's place.
    pub(super) fn commit(mut self, target: &Path) -> Result<()> {
        sync_all(&self.path)?;
        if let Some(around) = self.around.take() {
            if !is_empty(target)? {
                return Err(not_empty(target));
            }
            move_in(&self.path, target)?;
            // It stays with what was restored.
            std::mem::forget(around.lock);
        } else {
            fs::rename(&self.path, target).map_err(|error| match error.kind() {
                ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => not_empty(target).caused_by(error),
                _ => fault::unwritable(target, error),
            })?;
            sync_dir(target.parent().unwrap_or(Path::new("/")))?;
        }
        // A stage that took the target's place is no longer where it would be removed.
        Ok(())
    }
}

/// Makes the directory of a stage. Its name can be guessed: what is there already may lead anywhere, or be somebody else's.
fn make_own(path: &Path) -> Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(fault::unwritable(path, error)),
        Err(_) => {}
    }
    let found = fs::symlink_metadata(path).map_err(|e| fault::unreadable(path, e))?;
    if found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "{} is in the way, and Satchel did not make it: look what it is, and remove it. Nothing was changed.",
        path.display()
    )))
}

impl Drop for Stage {
    fn drop(&mut self) {
        drop(Scrap(self.path.clone()));
    }
}

/// Moves what was unpacked into the directory around it: the database last, as without it there is nothing to start on.
/// Replaces nothing; where something is in the way, all is as before.
pub(super) fn move_in(from: &Path, to: &Path) -> Result<()> {
    let entries = fs::read_dir(from).map_err(|e| fault::unreadable(from, e))?;
    let mut names: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
    names.sort_by_key(|name| name == DATABASE);
    names.retain(|name| name != LOCK);
    for (moved, name) in names.iter().enumerate() {
        if let Err(error) = move_new(&from.join(name), &to.join(name)) {
            for back in names.iter().take(moved) {
                // What cannot go back either is said by the error all the same.
                let _ = fs::rename(to.join(back), from.join(back));
            }
            return Err(fault::unwritable(&to.join(name), error));
        }
    }
    sync_dir(to)
}

/// Moves a file or directory to where nothing is.
pub(super) fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // A file system that cannot be asked for it; the directory is held, so that nobody comes in between.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => match fs::symlink_metadata(to) {
            Err(error) if error.kind() == ErrorKind::NotFound => fs::rename(from, to),
            Err(error) => Err(error),
            Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        },
        moved => Ok(moved?),
    }
}

/// Whether there is nothing at all in it, so that a rename can put another in its place.
fn is_bare(target: &Path) -> Result<bool> {
    Ok(fs::read_dir(target).map_err(|e| fault::unreadable(target, e))?.next().is_none())
}

fn is_root_of_a_disk(target: &Path, parent: &Path) -> bool {
    let device = |path: &Path| fs::metadata(path).map(|found| found.dev()).ok();
    device(target) != device(parent)
}

fn may_write(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
}

/// Brings a whole disk's writes to it: one call for any number of files.
pub(super) fn sync_all(path: &Path) -> Result<()> {
    let dir = File::open(path).map_err(|e| fault::unreadable(path, e))?;
    rustix::fs::syncfs(dir).map_err(|e| fault::unwritable(path, e.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_starts_in_a_target_while_it_is_filled_and_what_came_meanwhile_stays() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().canonicalize().unwrap();
        fs::create_dir(target.join("lost+found")).unwrap();
        let stage = Stage::open(&target).unwrap();
        assert!(DataDir::hold(&target).is_err(), "held twice");
        fs::write(stage.path.join(DATABASE), "restored").unwrap();
        fs::write(target.join(DATABASE), "mine").unwrap();
        let Err(error) = stage.commit(&target) else { panic!("replaced") };
        assert!(error.message().contains("is not empty"), "{error}");
        assert_eq!(fs::read_to_string(target.join(DATABASE)).unwrap(), "mine");
        assert!(!target.join(INSIDE).exists() && !target.join(LOCK).exists());
    }

    #[test]
    fn a_lock_that_was_there_before_stays() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().canonicalize().unwrap();
        fs::write(target.join(LOCK), "").unwrap();
        drop(Stage::open(&target).unwrap());
        assert!(target.join(LOCK).exists() && !target.join(INSIDE).exists());
    }

    #[test]
    fn what_somebody_put_in_the_way_is_neither_followed_nor_emptied() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (target, planted, victim) = (base.join("new"), base.join(".new.restoring"), base.join("victim"));
        fs::create_dir(&victim).unwrap();
        fs::write(victim.join("kept"), "kept").unwrap();
        let is_refused = || {
            let Err(error) = Stage::open(&target) else { panic!("taken") };
            assert!(error.message().contains("is in the way"), "{error}");
            assert_eq!(fs::read_to_string(victim.join("kept")).unwrap(), "kept");
        };
        std::os::unix::fs::symlink(&victim, &planted).unwrap();
        is_refused();
        fs::remove_file(&planted).unwrap();
        fs::write(&planted, "").unwrap();
        is_refused();
        fs::remove_file(&planted).unwrap();
        DirBuilder::new().mode(0o777).create(&planted).unwrap();
        fs::set_permissions(&planted, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        is_refused();
        assert!(planted.is_dir());
        // One of a restoring that was killed is taken over.
        fs::set_permissions(&planted, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        fs::write(planted.join("secret.key"), "older").unwrap();
        let stage = Stage::open(&target).unwrap();
        assert!(!stage.path().join("secret.key").exists());
    }

    #[test]
    fn moving_in_replaces_nothing_and_is_undone_where_something_is_in_the_way() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        for (place, text) in [(&from, "new"), (&to, "old")] {
            fs::create_dir(place).unwrap();
            fs::write(place.join(DATABASE), text).unwrap();
        }
        fs::write(from.join("secret.key"), "new").unwrap();
        assert!(move_in(&from, &to).is_err());
        assert_eq!(fs::read_to_string(to.join(DATABASE)).unwrap(), "old");
        assert!(from.join("secret.key").exists() && !to.join("secret.key").exists());
    }
}
