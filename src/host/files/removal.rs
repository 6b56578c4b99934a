//! Removing the workspace of somebody who was deleted.
#![expect(clippy::disallowed_methods, reason = "removes a folder of the data directory as a whole")]

use std::{fs, io::ErrorKind};

use super::{WORKSPACES, Workspaces};
use crate::model::{
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
        match fs::remove_dir_all(&workspace) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let told = format!("{} cannot be removed: {error}.", workspace.display());
                Err(Error::conflict(told).caused_by(error))
            }
            _ => Ok(()),
        }
    }
}
