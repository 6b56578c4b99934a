//! Files below a directory, opened by their names so that nothing else is ever read or written in their place: no link is
//! followed, no pipe is waited for. What people's programs make in a workspace changes while it is looked at.

use std::{
    ffi::OsStr,
    fs::{File, Metadata},
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::Path,
};

use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, mkdirat, openat, openat2, statat},
    io::Errno,
};

/// A directory that is held open.
pub(super) struct Root(OwnedFd);

/// An entry of a directory, as it was found.
pub(super) struct Found {
    /// Its name.
    pub(super) name: Vec<u8>,
    /// What it is.
    pub(super) kind: FileType,
    /// Its size.
    pub(super) bytes: u64,
    /// How much of it lies on the disk.
    pub(super) on_disk: u64,
}

impl Root {
    /// Opens a directory. It may be reached by a link itself: whoever runs the server put that there.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(openat(CWD, path, flags, Mode::empty())?))
    }

    /// Opens a plain file for reading, and says what it is now.
    ///
    /// # Errors
    /// Where it is something else, or lies behind a link.
    pub(super) fn file(&self, name: &[u8]) -> io::Result<(File, Metadata)> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(self.beneath(name, flags)?);
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
        }
        Ok((file, about))
    }

    /// What a name is, without following a link in its last part. `None` if there is nothing.
    pub(super) fn look(&self, name: &[u8]) -> io::Result<Option<Found>> {
        match found(self.0.as_fd(), name) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What lies in a folder, in the order of the names; the empty name is the directory itself.
    pub(super) fn list(&self, name: &[u8]) -> io::Result<Vec<Found>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut dir = Dir::new(self.beneath(if name.is_empty() { b"." } else { name }, flags)?)?;
        let mut entries = Vec::new();
        while let Some(entry) = dir.read() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            match found(dir.fd()?, name) {
                Ok(found) => entries.push(found),
                // Gone since.
                Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Makes a new file that only its owner may read, and the folders it lies in.
    pub(super) fn create(&self, name: &Path) -> io::Result<File> {
        let mut here = self.0.try_clone()?;
        for part in name.parent().into_iter().flat_map(Path::iter) {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let next = match openat(&here, part, flags, Mode::empty()) {
                Err(Errno::NOENT) => {
                    mkdirat(&here, part, Mode::RWXU)?;
                    openat(&here, part, flags, Mode::empty())
                }
                other => other,
            };
            here = next?;
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&here, name.file_name().unwrap_or_default(), flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    fn beneath(&self, name: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        let (name, flags) = (Path::new(OsStr::from_bytes(name)), flags | OFlags::NOFOLLOW);
        let rules = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        match openat2(&self.0, name, flags, Mode::empty(), rules) {
            // Containers' filters say EPERM to calls they do not know.
            Err(Errno::NOSYS | Errno::PERM) => self.step_by_step(name, flags),
            other => Ok(other?),
        }
    }

    /// As the kernel does it in one step. Names have no `..`: they come from listings.
    fn step_by_step(&self, name: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let mut here = self.0.try_clone()?;
        for part in name.parent().into_iter().flat_map(Path::iter) {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            here = openat(&here, part, flags, Mode::empty())?;
        }
        let last = name.file_name().unwrap_or(OsStr::new("."));
        Ok(openat(&here, last, flags, Mode::empty())?)
    }
}

fn found(folder: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<Found> {
    let about = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(Found {
        name: name.to_vec(),
        kind: FileType::from_raw_mode(about.st_mode),
        bytes: u64::try_from(about.st_size).unwrap_or_default(),
        on_disk: u64::try_from(about.st_blocks).unwrap_or_default().saturating_mul(512),
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out what they open")]
mod tests {
    use super::*;
    use std::{fs, io::Read, os::unix::fs::symlink};

    #[test]
    fn links_pipes_and_folders_are_not_opened_in_one_step_or_part_by_part() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path();
        fs::create_dir_all(base.join("in/a")).unwrap();
        fs::write(base.join("in/a/plain"), "kept").unwrap();
        fs::write(base.join("secret"), "secret").unwrap();
        symlink("../../secret", base.join("in/a/link")).unwrap();
        symlink("a", base.join("in/behind")).unwrap();
        rustix::fs::mknodat(CWD, base.join("in/a/pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        let root = Root::open(&base.join("in")).unwrap();
        let mut text = String::new();
        root.file(b"a/plain").unwrap().0.read_to_string(&mut text).unwrap();
        assert_eq!(text, "kept");
        for name in ["a/link", "a/pipe", "behind/plain", "../secret", "a"] {
            assert!(root.file(name.as_bytes()).is_err(), "{name}");
        }
        assert_eq!(
            root.list(b"").unwrap().iter().map(|found| found.name.as_slice()).collect::<Vec<_>>(),
            [&b"a"[..], b"behind"]
        );
        assert!(root.list(b"behind").is_err());
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        assert!(root.step_by_step(Path::new("a/plain"), flags).is_ok());
        for name in ["a/link", "behind/plain"] {
            assert!(root.step_by_step(Path::new(name), flags).is_err(), "{name}");
        }
    }

    #[test]
    fn a_name_that_is_longer_than_a_path_may_be_here_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let long: std::path::PathBuf = std::iter::repeat_n("d".repeat(200), 20).chain(["e".repeat(70)]).collect();
        assert_eq!(long.as_os_str().len(), 4_090);
        drop(root.create(&long).unwrap());
        assert_eq!(root.create(&long).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let below = root.create(Path::new("a/b")).and_then(|_| root.create(Path::new("a/b/c")));
        assert_eq!(below.unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }
}
