//! Removing the workspace of somebody who was deleted.
#![expect(clippy::disallowed_methods, reason = "removes a folder of the data directory as a whole")]

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

use super::{WORKSPACES, Workspaces};
use crate::quota::open_up;
use satchel_model::{
    error::{Error, Result},
    user::UserId,
};

impl Workspaces {
    /// Removes a user's workspace with all that is in it. Blocks. Links are removed, not what they lead to.
    ///
    /// # Errors
    ///
    /// If something in it cannot be removed.
    pub fn remove(&self, user: UserId) -> Result<()> {
        let workspace = self.data.path().join(WORKSPACES).join(user.to_string());
        let removed = fs::remove_dir_all(&workspace).or_else(|error| match error.kind() {
            ErrorKind::PermissionDenied => open_all(&workspace).and_then(|()| fs::remove_dir_all(&workspace)),
            _ => Err(error),
        });
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let told = format!("{} cannot be removed: {error}.", workspace.display());
                Err(Error::conflict(told).caused_by(error))
            }
            _ => Ok(()),
        }
    }
}

/// Opens every folder below this one that a person closed, so that it can be removed.
fn open_all(folder: &Path) -> io::Result<()> {
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        open_up(&folder)?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                pending.push(entry.path());
            }
        }
    }
    Ok(())
}
