//! The data directory: made private, held by one process at a time.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use crate::model::error::{Error, Result};

/// A data directory this process holds; dropping it lets it go.
pub struct DataDir {
    path: PathBuf,
    _lock: File,
}

impl DataDir {
    /// Makes the directory where it is missing (only its owner may enter) and takes it.
    /// Fails while another process holds it.
    pub fn hold(path: &Path) -> Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|e| unusable(path, e))?;
        let path = fs::canonicalize(path).map_err(|e| unusable(path, e))?;
        let lock = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .mode(0o600)
            .open(path.join("lock"))
            .map_err(|e| unusable(&path, e))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(Error::conflict(format!(
                "Another Satchel is using the data directory {}. Stop it, or choose another with --data.",
                path.display()
            ))),
            Err(TryLockError::Error(error)) => Err(unusable(&path, error)),
        }
    }

    /// The directory, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        database(&self.path)
    }
}

/// Fails where others may enter the data directory.
pub fn demand_private(path: &Path) -> Result<()> {
    let mode = fs::metadata(path).map_err(|e| unusable(path, e))?.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(Error::conflict(format!("Others may enter the data directory {} (mode {mode:o}).", path.display())))
}

/// The database file of a data directory.
pub fn database(dir: &Path) -> PathBuf {
    dir.join("satchel.db")
}

fn unusable(path: &Path, error: std::io::Error) -> Error {
    Error::conflict(format!("The data directory {} cannot be used: {error}.", path.display())).caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_held_by_one_at_a_time() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a/b");
        let held = DataDir::hold(&path).unwrap();
        let Err(error) = DataDir::hold(&path) else { panic!("held twice") };
        assert!(error.message().starts_with("Another Satchel is using"), "{error}");
        drop(held);
        DataDir::hold(&path).unwrap();
    }

    #[test]
    fn only_its_owner_may_enter() {
        let temp = tempfile::tempdir().unwrap();
        let held = DataDir::hold(&temp.path().join("d")).unwrap();
        assert_eq!(fs::metadata(held.path()).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
