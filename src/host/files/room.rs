//! Room in a workspace: what is in it is remembered for a while, so that a write seldom waits for a count.

use std::{
    collections::HashMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use super::{
    Rooted,
    lookup::Place,
    write::{self, Parents},
};
use crate::{
    host::{
        disk,
        quota::{BLOCK, Quota, Usage, count},
    },
    model::error::Result,
};

/// How long a count is believed. Commands, which are watched themselves, write beside it.
const BELIEVED: Duration = Duration::from_secs(30);

/// Workspaces that are remembered; the others are counted anew.
const REMEMBERED: usize = 1_000;

/// What each workspace held when it was counted, and what was written since. Copies share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Room(Arc<Mutex<HashMap<PathBuf, Known>>>);

#[derive(Debug, Clone, Copy)]
struct Known {
    usage: Usage,
    counted: Instant,
}

impl Room {
    /// Takes `more` of what is left in a folder.
    ///
    /// # Errors
    /// [`Kind::DiskFull`](crate::model::error::Kind::DiskFull) where it does not fit.
    fn take(&self, folder: &Path, quota: Quota, more: Usage) -> Result<()> {
        let believed = |known: &&mut Known| known.counted.elapsed() < BELIEVED;
        if let Some(known) = self.0.lock().get_mut(folder).filter(believed)
            && quota.excess(known.usage.plus(more)).is_none()
        {
            known.usage = known.usage.plus(more);
            return Ok(());
        }
        // Something may have been removed since, so nothing is refused by memory.
        let usage = count(folder, quota).plus(more);
        if let Some(excess) = quota.excess(usage) {
            return Err(quota.refusal(excess));
        }
        let mut known = self.0.lock();
        if known.len() >= REMEMBERED {
            known.retain(|_, known| known.counted.elapsed() < BELIEVED);
        }
        if known.len() < REMEMBERED {
            known.insert(folder.to_owned(), Known { usage, counted: Instant::now() });
        }
        Ok(())
    }
}

impl Rooted {
    /// The same files with another bound to what the workspace may hold.
    #[must_use]
    pub fn within(self, quota: Quota) -> Self {
        Self { quota, ..self }
    }

    /// The user's own folder where these roots open it, and the most it may hold.
    pub(in crate::host) fn bounded(&self) -> Option<(&Path, Quota)> {
        let own = self.hidden.own()?;
        let is_open = own.is_dir() && self.roots.iter().any(|root| own.starts_with(root));
        is_open.then_some((own, self.quota))
    }

    /// Writes a file whole, where the workspace has room for it and enough of its disk stays free. Returns the bytes written.
    pub(super) fn put(&self, place: &Place, path: &str, bytes: &[u8], parents: Parents) -> Result<u64> {
        disk::ensure_room(place.root(), &self.settings, bytes.len() as u64)?;
        let target = place.absolute();
        if let Some((own, quota)) = self.bounded().filter(|(own, _)| target.starts_with(own)) {
            let more = growth(&target, bytes.len() as u64);
            if more != Usage::default() {
                self.room.take(own, quota, more)?;
            }
        }
        write::whole(place, path, bytes, parents)
    }
}

/// What a file of so many bytes takes beyond what is at this place now.
fn growth(target: &Path, bytes: u64) -> Usage {
    match fs::symlink_metadata(target) {
        Ok(old) => Usage { bytes: bytes.saturating_sub(old.blocks().saturating_mul(BLOCK)), files: 0 },
        Err(_) => Usage { bytes, files: 1 },
    }
}
