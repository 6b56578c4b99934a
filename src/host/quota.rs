//! Limits of a folder's contents, and a count of them: taken a piece at a time, so that who counts can do other things
//! between.

use std::{
    collections::HashSet,
    fs::{self, Metadata, Permissions, ReadDir},
    io,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use satchel_model::{
    error::{Error, Kind},
    settings::Files,
};

/// Unit of a file's blocks in `stat`, in bytes.
pub(super) const BLOCK: u64 = 512;

/// Stands for the files of a folder that is nested too deeply to be counted.
pub(super) const UNCOUNTABLE: u64 = u64::MAX;

/// The most a person's workspace may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quota {
    /// Bytes on the disk.
    pub bytes: u64,
    /// Files, directories and links.
    pub files: u64,
}

/// The contents of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Bytes on the disk: a sparse file counts what is written, a file with several names counts once.
    pub bytes: u64,
    /// Names of files, directories and links.
    pub files: u64,
}

/// A kind of excess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Excess {
    /// Bytes.
    Bytes,
    /// Files.
    Files,
}

impl From<&Files> for Quota {
    fn from(settings: &Files) -> Self {
        Self { bytes: u64::from(settings.workspace_mb) << 20, files: u64::from(settings.workspace_files) }
    }
}

impl Default for Quota {
    fn default() -> Self {
        Self::from(&Files::default())
    }
}

impl Quota {
    /// The excess of `usage`; `None` if it is within the quota.
    pub(super) fn excess(self, usage: Usage) -> Option<Excess> {
        if usage.bytes > self.bytes {
            Some(Excess::Bytes)
        } else if usage.files > self.files {
            Some(Excess::Files)
        } else {
            None
        }
    }

    /// The answer to a write that finds no room.
    pub(super) fn refusal(self, excess: Excess) -> Error {
        let most = match excess {
            Excess::Bytes => format!("{} MB", self.bytes >> 20),
            Excess::Files => format!("{} files and folders", self.files),
        };
        Error::new(
            Kind::DiskFull,
            format!(
                "The workspace is full: it may hold {most}. Nothing was written. Remove files you no longer need, or ask \
                 an administrator for more room."
            ),
        )
    }
}

impl Usage {
    /// Both together.
    pub(super) fn plus(self, more: Self) -> Self {
        Self { bytes: self.bytes.saturating_add(more.bytes), files: self.files.saturating_add(more.files) }
    }
}

/// A count under way.
#[derive(Debug)]
pub(super) struct Count {
    listing: Option<(PathBuf, ReadDir)>,
    pending: Vec<PathBuf>,
    /// Files with more than one name that were seen.
    linked: HashSet<(u64, u64)>,
    found: Usage,
}

impl Count {
    /// The count of what lies below a folder, before its first step.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { listing: None, pending: vec![folder], linked: HashSet::new(), found: Usage::default() }
    }

    /// Looks at so many more entries. Returns the whole once nothing is left to look at.
    pub(super) fn advance(&mut self, entries: usize) -> Option<Usage> {
        for _ in 0..entries {
            if self.listing.is_none() && !self.open_next() {
                return Some(self.found);
            }
            let Some((folder, listing)) = &mut self.listing else { continue };
            match listing.next() {
                Some(Ok(entry)) => {
                    // What is gone meanwhile takes no room. A link is not followed.
                    if let Ok(about) = entry.metadata() {
                        let path = folder.join(entry.file_name());
                        self.add(path, &about);
                    }
                }
                Some(Err(_)) => {}
                None => self.listing = None,
            }
        }
        None
    }

    /// The count so far.
    pub(super) fn found(&self) -> Usage {
        self.found
    }

    fn open_next(&mut self) -> bool {
        let Some(folder) = self.pending.pop() else { return false };
        let listing = fs::read_dir(&folder).or_else(|e| match e.kind() {
            // Its owner closed it to themselves: what is in it counts all the same.
            io::ErrorKind::PermissionDenied => open_up(&folder).and_then(|()| fs::read_dir(&folder)),
            _ => Err(e),
        });
        match listing {
            Ok(listing) => self.listing = Some((folder, listing)),
            // Nested so deeply that no path reaches it, or nobody's to open: nothing is hidden there from the count.
            Err(e) if matches!(e.kind(), io::ErrorKind::InvalidFilename | io::ErrorKind::PermissionDenied) => {
                self.found.files = UNCOUNTABLE;
            }
            Err(_) => {}
        }
        true
    }

    fn add(&mut self, path: PathBuf, about: &Metadata) {
        self.found.files = self.found.files.saturating_add(1);
        if about.nlink() == 1 || about.is_dir() || self.linked.insert((about.dev(), about.ino())) {
            self.found.bytes = self.found.bytes.saturating_add(about.blocks().saturating_mul(BLOCK));
        }
        if about.is_dir() {
            self.pending.push(path);
        }
    }
}

/// Opens a folder to the user it belongs to.
pub(super) fn open_up(folder: &Path) -> io::Result<()> {
    let about = fs::symlink_metadata(folder)?;
    match about.is_dir() {
        true => fs::set_permissions(folder, Permissions::from_mode(about.mode() & 0o777 | 0o700)),
        false => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

/// Counts a folder's contents; the count ends where the quota is passed. Blocks.
pub(super) fn count(folder: &Path, quota: Quota) -> Usage {
    /// Entries between two looks at the quota.
    const STEP: usize = 1_000;
    let mut count = Count::new(folder.to_owned());
    loop {
        match count.advance(STEP) {
            Some(usage) => return usage,
            None if quota.excess(count.found()).is_some() => return count.found(),
            None => {}
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out what they count")]
mod tests {
    use super::*;

    const WIDE: Quota = Quota { bytes: u64::MAX, files: u64::MAX };

    #[test]
    fn names_count_each_and_bytes_once_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path();
        fs::create_dir_all(base.join("a/b")).unwrap();
        let empty = count(base, WIDE);
        assert_eq!(empty.files, 2);
        fs::write(base.join("a/b/one"), vec![1; 100_000]).unwrap();
        let one = count(base, WIDE);
        assert!(one.bytes - empty.bytes >= 100_000, "{one:?}");
        fs::hard_link(base.join("a/b/one"), base.join("two")).unwrap();
        std::os::unix::fs::symlink("/usr", base.join("usr")).unwrap();
        let sparse = fs::File::create(base.join("sparse")).unwrap();
        sparse.set_len(1 << 40).unwrap();
        let all = count(base, WIDE);
        assert_eq!(all.files, 6);
        assert!(all.bytes - one.bytes < 100_000, "{all:?}");
    }

    #[test]
    fn a_count_goes_on_where_it_stopped_and_ends_where_the_quota_is_passed() {
        let dir = tempfile::tempdir().unwrap();
        for name in 0..2_500 {
            fs::write(dir.path().join(name.to_string()), "").unwrap();
        }
        let mut steps = Count::new(dir.path().to_owned());
        let whole = std::iter::repeat_with(|| steps.advance(7)).find_map(|whole| whole).unwrap();
        assert_eq!(whole.files, 2_500);
        let cut = count(dir.path(), Quota { bytes: u64::MAX, files: 10 });
        assert!((11..2_500).contains(&cut.files), "{cut:?}");
    }

    #[test]
    fn what_is_too_much_is_said() {
        let quota = Quota { bytes: 10 << 20, files: 5 };
        assert_eq!(quota.excess(Usage { bytes: 10 << 20, files: 5 }), None);
        assert_eq!(quota.excess(Usage { bytes: (10 << 20) + 1, files: 0 }), Some(Excess::Bytes));
        assert_eq!(quota.excess(Usage { bytes: 0, files: 6 }), Some(Excess::Files));
        assert!(quota.refusal(Excess::Bytes).message().contains("may hold 10 MB"));
    }
}
