//! The server's own data, which no root shows to a tool: found wherever it appears in the file tree, by whatever mount.
//!
//! Directories are found by the table of mounts and known by their identity. File tools also refuse a hard link to a file
//! directly in the data directory, known by its identity.
//!
//! Not seen are:
//! - hard links in a root, by commands and by folders of documents; by any tool, those to files deeper in the data directory,
//!   and those to a file that was replaced since, such as the key of before a rotation;
//! - the data directory through FUSE, an overlay or a network mount of this very machine, where it has other identities;
//! - copies of it, backups among them, wherever they were put.

mod mounts;

use std::{
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::{
    fs::{AtFlags, CWD, Dir, Mode, OFlags, Stat, StatxFlags, fstat, openat, statat, statx},
    io::Errno,
};

use self::mounts::Mount;

/// Each user's own folder lies in this one of the data directory.
pub(super) const WORKSPACES: &str = "workspaces";

/// The directory where the machine's services listen and keep credentials.
const SERVICES: &str = "/run";

/// Trees that are the machine's own whatever the roots are: what looks like a file of the kernel's can be the server's
/// memory.
pub(super) const MACHINES_OWN: [&str; 4] = ["/proc", "/sys", "/dev", SERVICES];

/// Said where [`Hidden::is_complete`] does not hold.
pub(super) const MOUNTS_UNKNOWN: &str = "Nothing but each person's workspace is open: this system does not say what is \
                                         mounted where (/proc/self/mountinfo), so another directory might show the \
                                         server's own data.";

/// Those of [`MACHINES_OWN`] that a root does not open: a directory in `/run` may be opened, by name.
pub(super) fn closed_to(root: &Path) -> impl Iterator<Item = &'static Path> + '_ {
    let is_opened = move |tree: &Path| tree == Path::new(SERVICES) && root != tree && root.starts_with(tree);
    MACHINES_OWN.iter().map(Path::new).filter(move |tree| !is_opened(tree))
}

/// The data directory, known by what it is: it may be moved while the server runs.
#[derive(Debug, Clone)]
pub(super) struct OwnData {
    path: Arc<Path>,
    held: Option<Arc<OwnedFd>>,
}

impl OwnData {
    /// The data directory at this path.
    pub(super) fn new(path: PathBuf) -> Self {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let held = openat(CWD, &path, flags, Mode::empty()).ok().map(Arc::new);
        Self { path: path.into(), held }
    }

    /// The path it was given by.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Everywhere it appears now, but for `own`, the folder in it that is shown to its user.
    pub(super) fn hidden_but(&self, own: Option<&Path>) -> Hidden {
        // A table that cannot be read is one without the mount the data directory lies on.
        self.hidden_by(&mounts::table().unwrap_or_default(), own)
    }

    fn hidden_by(&self, table: &[Mount], own: Option<&Path>) -> Hidden {
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let given = canonical(&self.path);
        // Where the kernel says it lies now.
        let held = self.held.as_ref().and_then(|held| {
            std::fs::read_link(format!("/proc/self/fd/{}", held.as_raw_fd())).ok().filter(|path| path.is_absolute())
        });
        let now = held.unwrap_or_else(|| given.clone());
        let mut places = vec![given, now.clone()];
        let home = self.mount(table, &now);
        if let Some(home) = home {
            places.extend(mounts::appearances(table, home, &now));
        }
        let processes: Vec<PathBuf> = mounts::process_trees(table).collect();
        places.extend(processes.iter().cloned());
        places.sort();
        places.dedup();
        let data = self.held.as_ref().and_then(|held| fstat(held).ok()).as_ref().map(identity);
        let own = own.map(canonical);
        let opened = own.as_ref().and_then(|own| openat(CWD, own, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok());
        let own_id = opened.and_then(|own| fstat(own).ok()).as_ref().map(identity);
        let is_complete = home.is_some() && data.is_some();
        Hidden { places, processes, own, held: self.held.clone(), data, own_id, is_complete }
    }

    /// The mount it lies on.
    fn mount<'a>(&self, table: &'a [Mount], now: &Path) -> Option<&'a Mount> {
        let id = self.held.as_ref().and_then(|held| {
            let found = statx(held.as_fd(), c"", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
            StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::MNT_ID).then_some(found.stx_mnt_id)
        });
        let by_id = table.iter().find(|mount| Some(mount.id) == id);
        // A kernel before 5.8 does not say: of those on the way to it, the last one that was mounted on top.
        by_id.or_else(|| table.iter().filter(|mount| now.starts_with(&mount.point)).max_by_key(|mount| mount.depth()))
    }
}

/// A directory's identity, however it is reached: its file system and its number there.
type Identity = (u64, u64);

fn identity(stat: &Stat) -> Identity {
    (stat.st_dev, stat.st_ino)
}

/// Places not shown to one user's tools: the server's data, but for the user's own folder, and what shows processes.
#[derive(Debug, Clone)]
pub(super) struct Hidden {
    /// Absolute paths without links, in order.
    places: Vec<PathBuf>,
    /// Those of them that show processes.
    processes: Vec<PathBuf>,
    own: Option<PathBuf>,
    held: Option<Arc<OwnedFd>>,
    data: Option<Identity>,
    own_id: Option<Identity>,
    is_complete: bool,
}

impl Hidden {
    /// The paths that are not shown; each covers what lies below it, but for [`Self::own`].
    pub(super) fn places(&self) -> &[PathBuf] {
        &self.places
    }

    /// The user's own folder; it need not exist.
    pub(super) fn own(&self) -> Option<&Path> {
        self.own.as_deref()
    }

    /// Returns whether all places were found. Where this system does not say what is mounted where, any directory may
    /// be one.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns whether an absolute path without links leads to what is not shown, or may do so.
    pub(super) fn hides(&self, path: &Path) -> bool {
        let own = self.own.as_ref().filter(|own| path.starts_with(own));
        if !self.is_complete && own.is_none() {
            return true;
        }
        self.places.iter().any(|place| path.starts_with(place) && !own.is_some_and(|own| own.starts_with(place)))
    }

    /// Returns whether the server's data is at an absolute path without links, or shows in it, or holds it.
    pub(super) fn meets(&self, path: &Path) -> bool {
        let mut data = self.places.iter().filter(|place| !self.processes.contains(place));
        data.any(|place| path.starts_with(place) || place.starts_with(path))
    }

    /// Returns whether an open file is one of those directly in the data directory, found by another name of it: the
    /// keys, the database with its log, `satchel.toml`.
    pub(super) fn holds_file(&self, file: &Stat) -> io::Result<bool> {
        if file.st_nlink < 2 {
            return Ok(false);
        }
        let Some(held) = &self.held else { return Ok(true) };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        for entry in Dir::new(openat(held, c".", flags, Mode::empty())?)? {
            let entry = entry?;
            match statat(held, entry.file_name(), AtFlags::empty()) {
                Ok(found) if identity(&found) == identity(file) => return Ok(true),
                // The log of the database comes and goes.
                Ok(_) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }

    /// Returns whether an open directory lies in the data directory: asked of the directory itself, since the path that
    /// led to it may lead elsewhere by now.
    pub(super) fn holds(&self, dir: BorrowedFd<'_>) -> io::Result<bool> {
        let Some(data) = self.data else { return Ok(false) };
        let mut here = identity(&fstat(dir)?);
        let mut above: Option<OwnedFd> = None;
        loop {
            if here == data {
                return Ok(true);
            }
            if Some(here) == self.own_id {
                return Ok(false);
            }
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let next = openat(above.as_ref().map_or(dir, AsFd::as_fd), c"..", flags, Mode::empty())?;
            let there = identity(&fstat(&next)?);
            if there == here {
                return Ok(false);
            }
            (here, above) = (there, Some(next));
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out what they look up")]
mod tests {
    use super::*;

    #[test]
    fn without_a_table_of_mounts_nothing_is_shown_but_the_users_folder() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("data/workspaces/me")).unwrap();
        std::fs::create_dir(base.join("beside")).unwrap();
        let (data, own) = (OwnData::new(base.join("data")), base.join("data/workspaces/me"));
        let (read, unread) = (data.hidden_but(Some(&own)), data.hidden_by(&[], Some(&own)));
        assert!(read.is_complete() && !read.hides(&base.join("beside")));
        assert!(!unread.is_complete() && unread.hides(&base.join("beside")) && unread.hides(Path::new("/")));
        assert!(!unread.hides(&own) && !unread.hides(&own.join("deep")));
    }

    #[test]
    fn a_hard_link_to_a_file_of_the_data_directory_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path();
        std::fs::create_dir(base.join("data")).unwrap();
        for (file, link) in [("data/secret.key", "key"), ("mine", "twin")] {
            std::fs::write(base.join(file), "x").unwrap();
            std::fs::hard_link(base.join(file), base.join(link)).unwrap();
        }
        std::os::unix::fs::symlink("nowhere", base.join("data/dangling")).unwrap();
        let hidden = OwnData::new(base.join("data")).hidden_but(None);
        let holds = |path: &str| hidden.holds_file(&statat(CWD, base.join(path), AtFlags::empty()).unwrap()).unwrap();
        assert!(holds("key") && holds("data/secret.key"));
        assert!(!holds("mine") && !holds("twin"));
    }

    #[test]
    fn a_directory_in_run_is_opened_by_name_and_nothing_else_of_the_machines_own() {
        let closed = |root: &str| closed_to(Path::new(root)).collect::<Vec<_>>();
        let all = MACHINES_OWN.map(Path::new).to_vec();
        for root in ["/", "/run", "/proc/self", "/dev/shm", "/running"] {
            assert_eq!(closed(root), all, "{root}");
        }
        assert_eq!(closed("/run/app"), all[..3]);
    }

    #[test]
    fn the_data_directory_is_known_by_what_it_is_and_not_by_its_path() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("data/workspaces/me/deep")).unwrap();
        std::fs::create_dir_all(base.join("data/keys/deep")).unwrap();
        let data = OwnData::new(base.join("data"));
        std::fs::rename(base.join("data"), base.join("moved")).unwrap();
        let hidden = data.hidden_but(Some(&base.join("moved/workspaces/me")));
        assert!(hidden.hides(&base.join("moved/keys")) && hidden.hides(&base.join("data")));
        assert!(!hidden.hides(&base.join("moved/workspaces/me/deep")) && !hidden.hides(&base));
        assert!(hidden.hides(&base.join("moved/workspaces/menace")));
        let holds = |path: &str| {
            let opened = openat(CWD, base.join(path), OFlags::PATH, Mode::empty()).unwrap();
            hidden.holds(opened.as_fd()).unwrap()
        };
        assert!(holds("moved") && holds("moved/keys/deep") && holds("moved/workspaces"));
        assert!(!holds("moved/workspaces/me/deep") && !holds("."));
    }
}
