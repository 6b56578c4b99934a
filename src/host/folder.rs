//! Folders an administrator opened to documents: what lies in them, and what changes there.
#![expect(clippy::disallowed_methods, reason = "host is where files are opened")]

use std::{
    fs::{self, DirEntry, Metadata, OpenOptions},
    io::{self, Read, Write},
    os::{fd::AsRawFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2},
    io::Errno,
};

use super::files::Workspaces;
use satchel_model::{
    error::{Error, Result},
    id::shorten,
};

/// Most files of one folder.
pub const MOST: usize = 50_000;
/// Deepest folder within one.
const DEEPEST: usize = 32;

/// A file that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Changes with its content: nanoseconds of its last change, mixed with its size and place on the disk.
    pub stamp: i64,
}

/// Returns the path of a folder as it can be kept: absolute, without links.
///
/// # Errors
///
/// If it is none, or the server's own data shows in it.
pub fn check(path: &str, files: &Workspaces) -> Result<PathBuf> {
    let given = Path::new(path);
    if !given.is_absolute() {
        return Err(Error::invalid(format!("'{}' is not an absolute path.", shorten(path))));
    }
    let found = given.canonicalize().map_err(|error| unreadable(given, &error))?;
    if !found.is_dir() {
        return Err(Error::invalid(format!("'{}' is not a folder.", shorten(path))));
    }
    ensure_apart(&found, files)?;
    Ok(found)
}

/// Checks that a folder and the server's own data lie apart.
///
/// # Errors
///
/// If the data shows in the folder, or the folder in it.
pub fn ensure_apart(folder: &Path, files: &Workspaces) -> Result<()> {
    if files.meets_own_data(folder)? {
        return Err(Error::denied(format!(
            "'{}' holds the server's own data, or lies in it. Choose another folder.",
            shorten(&folder.to_string_lossy())
        )));
    }
    Ok(())
}

/// Every file below a folder. Hidden ones and links are left out. Blocks.
pub fn walk(root: &Path) -> Result<Vec<File>> {
    let mut found = Vec::new();
    let mut left = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = left.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // One that cannot be entered, or is gone meanwhile, hides its files; the root must be there.
            Err(_) if depth > 0 => continue,
            Err(error) => return Err(unreadable(root, &error)),
        };
        for entry in entries.flatten() {
            match look(&entry) {
                Some((path, about)) if about.is_dir() && depth < DEEPEST => left.push((path, depth + 1)),
                Some((path, about)) if about.is_file() => {
                    found.push(File { path, bytes: about.len(), stamp: stamp(&about) });
                }
                _ => {}
            }
            if found.len() > MOST {
                return Err(Error::invalid(format!(
                    "The folder holds more than {MOST} files. Add the folders in it one by one."
                )));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn look(entry: &DirEntry) -> Option<(PathBuf, Metadata)> {
    let hidden = entry.file_name().to_string_lossy().starts_with('.');
    // Not followed: a link may lead anywhere.
    let about = entry.path().symlink_metadata().ok()?;
    (!hidden && !about.is_symlink()).then(|| (entry.path(), about))
}

fn stamp(about: &Metadata) -> i64 {
    let changed = about.mtime().wrapping_mul(1_000_000_000).wrapping_add(about.mtime_nsec());
    changed ^ about.len().cast_signed().rotate_left(17) ^ about.ino().cast_signed().rotate_left(41)
}

/// Opens a file of a folder for reading, unless it is a link now, or lies behind one: that may lead anywhere.
pub fn open(path: &Path) -> Result<tokio::fs::File> {
    let file = open_without_links(path).map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => {
            Error::invalid(format!("'{}' is a link now, or lies behind one.", shorten(&path.to_string_lossy())))
        }
        _ => unreadable(path, &error),
    })?;
    match file.metadata() {
        Ok(about) if about.is_file() => Ok(file.into()),
        _ => Err(Error::invalid(format!("'{}' is not a file.", shorten(&path.to_string_lossy())))),
    }
}

/// Opens an absolute path that has no link in it, for reading.
///
/// # Errors
///
/// ELOOP if it has one.
fn open_without_links(path: &Path) -> io::Result<fs::File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
    let rules = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(CWD, path, flags, Mode::empty(), rules) {
        // Before Linux 5.6, and in containers whose filter does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => open_and_ask(path, flags),
        other => Ok(other?.into()),
    }
}

/// The same by asking the kernel afterwards where the file lies: the links on the way were followed.
fn open_and_ask(path: &Path, flags: OFlags) -> io::Result<fs::File> {
    let file = fs::File::from(openat(CWD, path, flags, Mode::empty())?);
    match fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))? {
        place if place == path => Ok(file),
        _ => Err(Errno::LOOP.into()),
    }
}

/// A whole file. Blocks.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| unreadable(path, &error))
}

/// Makes a folder, and those it lies in, where there is none. Blocks.
pub fn make(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| unreadable(path, &error))
}

/// Returns the identity of the folder a path means now: another one may come in its place, or the path may be a link
/// that is turned. Blocks.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
}

/// Writes a file that is not there yet. Blocks.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(bytes)).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Error::conflict(format!("{} is there already.", path.display())),
        _ => unreadable(path, &error),
    })
}

/// The files directly in a folder whose names end in `.ending`: their names without it, and what stands in them, or why
/// that is not read. Hidden ones are left out. Blocks.
pub fn texts(folder: &Path, ending: &str, most: usize) -> Result<Vec<(String, Result<String>)>> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut found = Vec::new();
    for entry in entries.flatten().take(most) {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if let (false, Some(stem), Some(_)) = (hidden, path.file_stem(), path.extension().filter(|end| *end == ending))
            && let Some(text) = text(&path)
        {
            found.push((stem.to_string_lossy().into_owned(), text));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// Returns the text of a file, or why that is not read; `None` if it is no file, or gone meanwhile.
fn text(path: &Path) -> Option<Result<String>> {
    let about = path.symlink_metadata().ok()?;
    if about.is_symlink() {
        return Some(Err(Error::invalid("It is a link, and links are not followed: put the file itself here.")));
    }
    if !about.is_file() {
        return None;
    }
    match read_plain(path) {
        Ok(bytes) => Some(
            String::from_utf8(bytes).map_err(|_| Error::invalid("It is no text in UTF-8: save it in this encoding.")),
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(Error::invalid(format!("It cannot be read: {error}.")))),
    }
}

/// Not behind a link that came since it was looked at, at least not as the last name: an administrator names the folder.
fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut bytes = Vec::new();
    fs::File::from(openat(CWD, path, flags, Mode::empty())?).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::invalid(format!("'{}' cannot be read: {error}.", shorten(&path.to_string_lossy())))
}

/// Looks out for changes below folders, until it is dropped.
pub struct Lookout {
    watcher: RecommendedWatcher,
}

impl Lookout {
    /// Calls `changed` with a path for whatever is made, changed, moved or removed; from another thread, often, and at
    /// times for nothing.
    pub fn new(changed: impl Fn(&Path) + Send + 'static) -> Result<Self> {
        let told = move |event: notify::Result<notify::Event>| {
            if let Ok(event) = event
                && !event.kind.is_access()
            {
                event.paths.iter().for_each(|path| changed(path));
            }
        };
        Ok(Self { watcher: notify::recommended_watcher(told).map_err(|error| cannot_watch(&error))? })
    }

    /// Looks out below this folder, too.
    pub fn add(&mut self, folder: &Path) -> Result<()> {
        self.watcher.watch(folder, RecursiveMode::Recursive).map_err(|error| cannot_watch(&error))
    }

    /// Looks out there no more.
    pub fn remove(&mut self, folder: &Path) {
        // It may be gone, and with it what was looked out for.
        let _ = self.watcher.unwatch(folder);
    }
}

fn cannot_watch(error: &notify::Error) -> Error {
    Error::conflict(format!("The folder cannot be watched: {error}. It is looked through every few minutes instead."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_seen_and_links_and_hidden_ones_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        for file in ["a/b/two.md", "one.md", ".hidden", ".git/config"] {
            fs::write(root.join(file), "x").unwrap();
        }
        std::os::unix::fs::symlink("/etc", root.join("etc")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("passwd")).unwrap();
        let seen = walk(&root).unwrap();
        let paths: Vec<_> = seen.iter().map(|file| file.path.strip_prefix(&root).unwrap().to_str().unwrap()).collect();
        assert_eq!(paths, ["a/b/two.md", "one.md"]);
        fs::write(root.join("one.md"), "xy").unwrap();
        assert_ne!(walk(&root).unwrap()[1].stamp, seen[1].stamp);
        assert!(open(&root.join("passwd")).is_err());
        assert!(open(&root.join("a/b/two.md")).is_ok());
        fs::rename(root.join("a"), root.join("was")).unwrap();
        std::os::unix::fs::symlink("was", root.join("a")).unwrap();
        assert!(open(&root.join("a/b/two.md")).unwrap_err().message().contains("lies behind one"));
    }

    #[test]
    fn an_older_kernel_opens_what_a_newer_one_opens_and_refuses_links() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/one"), "x").unwrap();
        std::os::unix::fs::symlink("a", root.join("b")).unwrap();
        std::os::unix::fs::symlink("one", root.join("a/two")).unwrap();
        for path in ["a/one", "b/one", "a/two", "a/none"] {
            let newer = open_without_links(&root.join(path)).map(drop).map_err(|error| error.raw_os_error());
            let older = open_and_ask(&root.join(path), OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC);
            assert_eq!(older.map(drop).map_err(|error| error.raw_os_error()), newer, "{path}");
        }
    }

    #[test]
    fn of_a_file_that_is_no_text_it_is_said_why() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::write(root.join("b.rhai"), "ü").unwrap();
        fs::write(root.join("latin.rhai"), b"// gr\xfc\xdfe").unwrap();
        fs::write(root.join(".hidden.rhai"), b"\xff").unwrap();
        fs::write(root.join("a.txt"), "x").unwrap();
        fs::create_dir(root.join("folder.rhai")).unwrap();
        std::os::unix::fs::symlink("b.rhai", root.join("link.rhai")).unwrap();
        let told: Vec<_> = texts(root, "rhai", 100)
            .unwrap()
            .into_iter()
            .map(|(stem, text)| (stem, text.unwrap_or_else(|error| error.message().to_owned())))
            .collect();
        let told: Vec<_> = told.iter().map(|(stem, text)| (stem.as_str(), text.split(':').next().unwrap())).collect();
        assert_eq!(
            told,
            [("b", "ü"), ("latin", "It is no text in UTF-8"), ("link", "It is a link, and links are not followed")]
        );
    }

    #[test]
    fn a_folder_is_checked_before_it_is_kept() {
        let (dir, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let files = Workspaces::new(own.path());
        let refused = |path: &Path| check(path.to_str().unwrap(), &files).unwrap_err().message().to_owned();
        assert!(check("docs", &files).unwrap_err().message().contains("absolute"));
        assert!(refused(&dir.path().join("none")).contains("cannot be read"));
        assert!(refused(own.path()).contains("server's own data"));
        assert!(refused(own.path().parent().unwrap()).contains("server's own data"));
        assert_eq!(check(dir.path().to_str().unwrap(), &files).unwrap(), dir.path().canonicalize().unwrap());
    }
}
