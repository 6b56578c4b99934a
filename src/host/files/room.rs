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
    disk,
    quota::{BLOCK, Quota, Usage, count},
};
use satchel_model::error::Result;

/// Time a count is believed. Commands, which are watched themselves, write beside it.
const BELIEVED: Duration = Duration::from_secs(30);

/// Workspaces that are remembered; the others are counted anew.
const REMEMBERED: usize = 1_000;

/// Contents of each workspace when it was counted, and what was written since. Copies share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Room(Arc<Mutex<HashMap<PathBuf, Folder>>>);

/// A workspace, locked while it is counted; `None` if it never was.
type Folder = Arc<Mutex<Option<Known>>>;

#[derive(Debug, Clone, Copy)]
struct Known {
    usage: Usage,
    counted: Instant,
}

impl Room {
    /// Writes what takes `more` of a folder, one write of it after the other: two that count it at once would each leave out
    /// what the other is about to write.
    ///
    /// # Errors
    ///
    /// [`Kind::DiskFull`](satchel_model::error::Kind::DiskFull) if it does not fit; what `write` fails with.
    fn within<T>(&self, folder: &Path, quota: Quota, more: Usage, write: impl FnOnce() -> Result<T>) -> Result<T> {
        let shared = self.for_folder(folder);
        let mut known = shared.lock();
        let believed =
            known.filter(|known| known.is_believed()).map(|known| Known { usage: known.usage.plus(more), ..known });
        let taken = match believed.filter(|known| quota.excess(known.usage).is_none()) {
            Some(known) => known,
            // Something may have been removed since, so nothing is refused by memory.
            None => Known { usage: count(folder, quota).plus(more), counted: Instant::now() },
        };
        if let Some(excess) = quota.excess(taken.usage) {
            return Err(quota.refusal(excess));
        }
        *known = Some(taken);
        write()
    }

    fn for_folder(&self, folder: &Path) -> Folder {
        let mut folders = self.0.lock();
        if let Some(known) = folders.get(folder) {
            return Arc::clone(known);
        }
        if folders.len() >= REMEMBERED {
            folders.retain(|_, folder| {
                Arc::strong_count(folder) > 1 || folder.lock().is_some_and(|known| known.is_believed())
            });
        }
        let new = Folder::default();
        if folders.len() < REMEMBERED {
            folders.insert(folder.to_owned(), Arc::clone(&new));
        }
        new
    }
}

impl Known {
    fn is_believed(&self) -> bool {
        self.counted.elapsed() < BELIEVED
    }
}

impl Rooted {
    /// The user's own folder, where these roots open it.
    pub(crate) fn bounded(&self) -> Option<&Path> {
        let own = self.hidden.own()?;
        let is_open = own.is_dir() && self.roots.iter().any(|root| own.starts_with(root));
        is_open.then_some(own)
    }

    /// Writes a file whole, where the workspace has room for it and enough of its disk stays free. Returns the bytes written.
    pub(super) fn put(&self, place: &Place, path: &str, bytes: &[u8], parents: Parents) -> Result<u64> {
        disk::ensure_room(place.root(), &self.settings, bytes.len() as u64)?;
        let target = place.absolute();
        if let Some(own) = self.bounded().filter(|own| target.starts_with(own)) {
            let more = growth(&target, bytes.len() as u64);
            if more != Usage::default() {
                let quota = Quota::from(&*self.settings);
                return self.room.within(own, quota, more, || write::whole(place, path, bytes, parents));
            }
        }
        write::whole(place, path, bytes, parents)
    }
}

/// Growth of the workspace by a file of so many bytes at this place.
fn growth(target: &Path, bytes: u64) -> Usage {
    match fs::symlink_metadata(target) {
        Ok(old) => Usage { bytes: bytes.saturating_sub(old.blocks().saturating_mul(BLOCK)), files: 0 },
        Err(_) => Usage { bytes, files: 1 },
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use satchel_model::error::Error;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "writes beside the files")]
    fn writes_at_once_take_no_more_than_there_is() {
        let (folder, room) = (tempfile::tempdir().unwrap(), Room::default());
        let quota = Quota { bytes: 10 << 20, files: 100 };
        let more = Usage { bytes: 3 << 20, files: 1 };
        let write = |number: usize| {
            let path = folder.path().join(number.to_string());
            room.within(folder.path(), quota, more, || fs::write(path, vec![1; 3 << 20]).map_err(Error::internal))
                .is_ok()
        };
        let taken = thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|number| scope.spawn(move || write(number))).collect();
            threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum::<usize>()
        });
        assert_eq!(taken, 3);
    }
}
