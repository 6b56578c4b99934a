//! The lookup of a path: links are followed here, in the open, and the result is opened without following any.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    io,
    os::fd::{AsFd, OwnedFd},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, Stat, openat, openat2},
    io::Errno,
};

use crate::hidden::{Hidden, MOUNTS_UNKNOWN, closed_to};
use satchel_model::error::{Error, Kind, Result};

/// Links followed before a path is taken for a loop, as many as the kernel allows.
const MAX_LINKS: usize = 40;

/// An entry of `files.roots`, without links in it.
pub(super) fn root(path: &Path) -> Result<PathBuf> {
    if !path.is_absolute() {
        return Err(Error::invalid(format!(
            "files.roots holds '{}': write `workspace` or an absolute path.",
            path.display()
        )));
    }
    path.canonicalize().map_err(|e| {
        // Whoever calls a tool is not told where on the server it lies: the log is.
        let told = "A directory of files.roots cannot be opened. An administrator can mend it.";
        let cause = std::io::Error::new(e.kind(), format!("{}: {e}", path.display()));
        Error::new(Kind::Unconfigured, told).caused_by(cause)
    })
}

/// A place under a root. It may not exist.
#[derive(Debug)]
pub(super) struct Place {
    root: PathBuf,
    below: PathBuf,
    hidden: Arc<Hidden>,
}

impl Place {
    /// The whole path, without links.
    pub(super) fn absolute(&self) -> PathBuf {
        if self.below.as_os_str().is_empty() { self.root.clone() } else { self.root.join(&self.below) }
    }

    /// The root it is under.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The directory the place is in, and its name there; `None` for the root itself.
    pub(super) fn parent(&self) -> Option<(Place, &OsStr)> {
        let name = self.below.file_name()?;
        let below = self.below.parent()?.to_owned();
        Some((Self { root: self.root.clone(), below, hidden: Arc::clone(&self.hidden) }, name))
    }

    /// The names from the root down to here.
    pub(super) fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.below.iter()
    }

    /// Opens the root this place is under.
    pub(super) fn open_root(&self) -> io::Result<OwnedFd> {
        Ok(openat(CWD, &self.root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
    }

    /// Opens the place, with no link anywhere below the root.
    pub(super) fn open(&self, flags: OFlags) -> io::Result<OwnedFd> {
        let Some((parent, name)) = self.parent() else { return self.open_dir() };
        // With O_PATH the kernel refuses flags that say how to read.
        let reading = if flags.contains(OFlags::PATH) { OFlags::empty() } else { OFlags::NOCTTY };
        beneath(parent.open_dir()?, Path::new(name), flags | OFlags::CLOEXEC | reading)
    }

    /// Checks that the file found here is not the server's own, by a hard link. `path` is how the caller wrote it.
    ///
    /// # Errors
    ///
    /// If it is.
    pub(super) fn ensure_not_own_data(&self, file: &Stat, path: &str) -> Result<()> {
        match self.hidden.holds_file(file) {
            Ok(false) => Ok(()),
            Ok(true) => Err(Error::denied(format!(
                "'{path}' is a hard link to the server's own data, which no tool may reach."
            ))),
            Err(error) => Err(Error::internal(error)),
        }
    }

    /// Opens the place as a directory, to look up names in. What was a way to here may be one into the server's own
    /// data by now, so the directory that was opened is looked at.
    pub(super) fn open_dir(&self) -> io::Result<OwnedFd> {
        let dir = beneath(self.open_root()?, &self.below, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC)?;
        if self.hidden.holds(dir.as_fd())? { Err(Errno::LOOP.into()) } else { Ok(dir) }
    }
}

/// Finds where `path` leads and fails outside `roots`, and wherever the server's own data lies.
pub(super) fn place(roots: &[PathBuf], hidden: &Arc<Hidden>, path: &str) -> Result<Place> {
    if path.is_empty() || path.contains('\0') || path.len() > 4096 {
        return Err(Error::invalid("`path` is 1 to 4096 characters, none of them NUL."));
    }
    let outside =
        || Error::denied(format!("'{path}' leads outside the directories open to tools.{}", hint(roots, hidden)));
    let first = roots.first().ok_or_else(outside)?;
    let absolute = resolve(first, Path::new(path))
        .ok_or_else(|| Error::invalid(format!("'{path}' goes through too many links.")))?;
    let root = roots.iter().filter(|root| absolute.starts_with(root)).max_by_key(|root| root.as_os_str().len());
    let root = root.ok_or_else(outside)?;
    if hidden.hides(&absolute) || closed_to(root).any(|tree| absolute.starts_with(tree)) {
        return Err(outside());
    }
    let below = absolute.strip_prefix(root).map_err(Error::internal)?.to_owned();
    Ok(Place { root: root.clone(), below, hidden: Arc::clone(hidden) })
}

/// A hint what to use instead. Where anything lies on the server is nobody's business: no root is named by its path.
fn hint(roots: &[PathBuf], hidden: &Hidden) -> String {
    let is_own = |root: &&PathBuf| Some(root.as_path()) == hidden.own();
    let has_own = roots.iter().any(|root| is_own(&root));
    let has_others = roots.iter().any(|root| !is_own(&root) && root != Path::new("/"));
    let below = match (has_own, has_others) {
        (true, true) => " Use a path below your workspace, or below a directory that an administrator has opened.",
        (true, false) => " Use a path below your workspace.",
        (false, true) => " Use a path below a directory that an administrator has opened.",
        (false, false) => "",
    };
    let unknown = if hidden.is_complete() { String::new() } else { format!(" {MOUNTS_UNKNOWN}") };
    format!("{below}{unknown}")
}

/// Follows every link by hand; what does not exist is taken as written, so that a path outside gets the same answer
/// whether it exists or not. `None` for a loop.
fn resolve(start: &Path, path: &Path) -> Option<PathBuf> {
    let mut pending: VecDeque<OsString> = names(&start.join(path)).collect();
    let mut here = PathBuf::from("/");
    let mut links = 0;
    while let Some(name) = pending.pop_front() {
        if name == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&name);
        let Ok(target) = std::fs::read_link(&next) else {
            here = next;
            continue;
        };
        links += 1;
        if links > MAX_LINKS {
            return None;
        }
        if target.is_absolute() {
            here = PathBuf::from("/");
        }
        names(&target).rev().for_each(|name| pending.push_front(name));
    }
    Some(here)
}

fn names(path: &Path) -> impl DoubleEndedIterator<Item = OsString> + '_ {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

/// Opens `below` under `root` following no link: by the kernel in one step, or name by name where it is too old.
fn beneath(root: OwnedFd, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
    let rules = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    match openat2(root.as_fd(), below, flags, Mode::empty(), rules) {
        // Containers' filters say EPERM to calls they do not know.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(root, below, flags),
        other => Ok(other?),
    }
}

fn step_by_step(root: OwnedFd, below: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let mut here = root;
    let mut names = below.iter().peekable();
    while let Some(name) = names.next() {
        let last = names.peek().is_none();
        let flags = if last { flags } else { OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC };
        here = openat(here.as_fd(), name, flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(here)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out what they look up")]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_before_the_place_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("a/b")).unwrap();
        symlink("a/b", base.join("relative")).unwrap();
        symlink(base.join("a"), base.join("absolute")).unwrap();
        symlink("loop", base.join("loop")).unwrap();
        assert_eq!(resolve(&base, Path::new("relative/../x")), Some(base.join("a/x")));
        assert_eq!(resolve(&base, Path::new("absolute/b/./c")), Some(base.join("a/b/c")));
        assert_eq!(resolve(&base, Path::new("/../etc/x")), Some(PathBuf::from("/etc/x")));
        assert_eq!(resolve(&base, Path::new("loop")), None);
    }

    #[test]
    fn stepping_by_hand_opens_what_the_kernel_opens_and_refuses_links() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path();
        std::fs::create_dir_all(base.join("a")).unwrap();
        std::fs::write(base.join("a/file"), "x").unwrap();
        symlink("a", base.join("link")).unwrap();
        let open = |below: &str| {
            let root = openat(CWD, base, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
            step_by_step(root, Path::new(below), OFlags::RDONLY).map(drop).map_err(|e| e.raw_os_error())
        };
        assert_eq!(open("a/file"), Ok(()));
        assert_eq!(open("link/file"), Err(Some(libc::ENOTDIR)));
        assert_eq!(open("a/none"), Err(Some(libc::ENOENT)));
    }
}
