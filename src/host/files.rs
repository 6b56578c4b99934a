//! Files under a user's roots, and nothing outside them: links are followed first, then the place is checked,
//! and the kernel is told to open exactly that place.

mod encoding;
mod fault;
mod lookup;
mod name;
mod read;
mod removal;
mod room;
mod survey;
mod write;

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;

pub use self::{
    encoding::Charset,
    name::stored_name,
    read::{MAX_READ, Text, Window},
    survey::{Survey, before_now},
    write::Parents,
};
use self::{
    fault::Fault,
    lookup::{Place, root},
    room::Room,
};
use super::{
    hidden::{Hidden, MOUNTS_UNKNOWN, OwnData, WORKSPACES, closed_to},
    work::Work,
};
use satchel_model::{
    error::{Error, Kind, Result},
    id::shorten,
    settings::Files,
    user::UserId,
};

/// The root that is each user's own folder.
const WORKSPACE: &str = "workspace";

/// Every user's files on this machine. Copies share their locks.
#[derive(Debug, Clone)]
pub struct Workspaces {
    data: OwnData,
    locks: Arc<[Mutex<()>; 16]>,
    work: Work,
    room: Room,
}

impl Workspaces {
    /// Workspaces are kept in `data_dir/workspaces/<user>`; nothing else of `data_dir`, which must exist, is ever shown.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        let data = OwnData::new(data_dir.into());
        Self { data, locks: Arc::default(), work: Work::shared(AT_ONCE, EACH), room: Room::default() }
    }

    /// Returns whether a directory without links in its path is the server's own data, lies in it, or holds it.
    ///
    /// # Errors
    ///
    /// If this system does not say what is mounted where.
    pub fn meets_own_data(&self, dir: &Path) -> Result<bool> {
        let hidden = self.data.hidden_but(None);
        if hidden.is_complete() { Ok(hidden.meets(dir)) } else { Err(mounts_unknown()) }
    }

    /// Checks an entry of `files.roots`.
    ///
    /// # Errors
    ///
    /// If it opens nothing: it is neither `workspace` nor the absolute path of a directory, or no tool may reach what
    /// it names.
    pub fn ensure_root(&self, entry: &str) -> Result<()> {
        if entry == WORKSPACE {
            return Ok(());
        }
        let refused = |why: &str| Err(Error::invalid(format!("'{}' {why}", shorten(entry))));
        let path = Path::new(entry);
        let found = path.canonicalize().ok().filter(|found| path.is_absolute() && found.is_dir());
        let Some(found) = found else {
            return refused("is no directory of this machine: write the absolute path of one, or `workspace`.");
        };
        let hidden = self.data.hidden_but(None);
        if !hidden.is_complete() {
            return Err(mounts_unknown());
        }
        if hidden.hides(&found) {
            return refused(
                "lies in the server's own data, which no tool may reach: name another directory, or `workspace`.",
            );
        }
        if closed_to(&found).any(|tree| found.starts_with(tree)) {
            return refused(
                "is the machine's own: no tool may reach /proc, /sys and /dev, or all of /run. Name another directory.",
            );
        }
        Ok(())
    }

    /// The files this user's tools may reach, within these settings. Of the roots, `workspace` is their own folder (made if
    /// missing) and every other entry an absolute path.
    ///
    /// # Errors
    ///
    /// If no directory is open, or one of the settings' cannot be opened.
    pub fn open(&self, user: UserId, settings: &Files) -> Result<Rooted> {
        let roots = &settings.roots;
        let workspace = self.data.path().join(WORKSPACES).join(user.to_string());
        if roots.iter().any(|root| root == WORKSPACE) {
            write::make_private_dir(&workspace)?;
        }
        let paths = roots.iter().map(|root| if root == WORKSPACE { workspace.clone() } else { PathBuf::from(root) });
        Ok(Rooted { settings: Arc::new(settings.clone()), ..Rooted::new(user, paths, &workspace, self)? })
    }
}

/// The directories one user's tools may reach. Relative paths are looked up in the first.
#[derive(Debug, Clone)]
pub struct Rooted {
    user: UserId,
    roots: Arc<[PathBuf]>,
    hidden: Arc<Hidden>,
    locks: Arc<[Mutex<()>; 16]>,
    work: Work,
    room: Room,
    settings: Arc<Files>,
}

/// Most files that are read, written or looked for at once, and by one person: each takes a thread.
const AT_ONCE: usize = 32;
const EACH: usize = 16;

/// Bytes of a file that take a turn.
const MEGABYTE: u64 = 1 << 20;

/// Files of one name in a folder, told apart by a number.
const MAX_SAME_NAMES: usize = 1_000;

/// The longest a change waits for another change of the same file.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

impl Rooted {
    fn new(user: UserId, paths: impl Iterator<Item = PathBuf>, own: &Path, all: &Workspaces) -> Result<Self> {
        let roots = paths.map(|path| root(&path)).collect::<Result<Vec<_>>>()?;
        if roots.is_empty() {
            return Err(Error::new(
                Kind::Disabled,
                "No directory is open to file tools. An administrator can add one under files.roots.",
            ));
        }
        let hidden = all.data.hidden_but(Some(own));
        let open: Vec<PathBuf> = roots.into_iter().filter(|root| !hidden.hides(root)).collect();
        if open.is_empty() && !hidden.is_complete() {
            return Err(mounts_unknown());
        }
        if open.is_empty() {
            return Err(Error::new(
                Kind::Disabled,
                "What files.roots names lies in the server's own data, which no tool may reach. An administrator can \
                 name other directories.",
            ));
        }
        let (locks, work, room) = (Arc::clone(&all.locks), all.work.clone(), all.room.clone());
        let (hidden, settings) = (Arc::new(hidden), Arc::default());
        Ok(Self { user, roots: open.into(), hidden, locks, work, room, settings })
    }

    /// The settings they are bounded by.
    pub(super) fn settings(&self) -> &Files {
        &self.settings
    }

    /// The person whose they are.
    pub fn user(&self) -> UserId {
        self.user
    }

    /// The first root: where relative paths start.
    pub fn workspace(&self) -> &Path {
        self.roots.first().map_or_else(|| Path::new("/"), PathBuf::as_path)
    }

    /// All roots, without links in them.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The user's own folder, whether the roots show it or not; it need not exist.
    pub fn own_workspace(&self) -> Option<&Path> {
        self.hidden.own()
    }

    /// Places that are not shown to a program either.
    pub(super) fn hidden(&self) -> &Hidden {
        &self.hidden
    }

    /// Returns where a path given by a caller leads, as an absolute path without links. The place may not exist, and
    /// may have changed by the time it is used: the readers and writers here check again.
    ///
    /// # Errors
    ///
    /// If it leads outside the roots.
    pub fn locate(&self, path: &str) -> Result<PathBuf> {
        self.place(path).map(|place| place.absolute())
    }

    /// An existing directory under the roots, to work in; `None` means the workspace.
    pub async fn directory(&self, path: Option<&str>) -> Result<PathBuf> {
        let Some(path) = path.map(str::to_owned) else { return Ok(self.workspace().to_owned()) };
        self.blocking(move |files| {
            let place = files.place(&path)?;
            place.open_dir().map_err(|e| Fault::new(&path, e).of_directory())?;
            Ok(place.absolute())
        })
        .await
    }

    /// A text file, or the whole characters within a window of its bytes.
    pub async fn read_text(&self, path: &str, charset: Charset, window: Window) -> Result<Text> {
        let bytes = self.text_bytes(path, charset, window).await?;
        self.read_text_of(bytes, path, charset, window).await
    }

    /// Bytes of a file that [`Self::read_text`] takes into memory.
    pub async fn text_bytes(&self, path: &str, charset: Charset, window: Window) -> Result<u64> {
        let path = path.to_owned();
        self.blocking(move |files| read::wanted(&files.place(&path)?, &path, charset, window)).await
    }

    /// As [`Self::read_text`], where it is known to take so many bytes.
    pub async fn read_text_of(&self, bytes: u64, path: &str, charset: Charset, window: Window) -> Result<Text> {
        // A large one takes many turns.
        let turns = usize::try_from(bytes / MEGABYTE).unwrap_or(usize::MAX).saturating_add(1);
        let (files, path) = (self.clone(), path.to_owned());
        let read = move || read::text(&files.place(&path)?, &path, charset, window);
        self.work.run_as(Some(self.user), turns, read).await
    }

    /// A whole file of at most [`MAX_READ`] bytes.
    pub async fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        let path = path.to_owned();
        self.blocking(move |files| read::bytes(&files.place(&path)?, &path)).await
    }

    /// A whole file of at most `most` bytes.
    pub async fn read_up_to(&self, path: &str, most: u64) -> Result<Vec<u8>> {
        let path = path.to_owned();
        self.blocking(move |files| read::up_to(&files.place(&path)?, &path, most)).await
    }

    /// A file open for reading, and its size.
    pub async fn open(&self, path: &str) -> Result<(File, u64)> {
        let path = path.to_owned();
        self.blocking(move |files| read::open(&files.place(&path)?, &path)).await
    }

    /// Writes a new file into a folder of the workspace, which is made where it is missing. Where the name is taken, a
    /// number is added to it: nothing is ever replaced. Gives back the path, as the other functions take it.
    pub async fn write_new(&self, folder: &str, name: &str, ending: &str, bytes: Vec<u8>) -> Result<String> {
        let (folder, name, ending) = (folder.to_owned(), name.to_owned(), ending.to_owned());
        self.blocking(move |files| {
            for number in 1..=MAX_SAME_NAMES {
                let number = if number > 1 { format!("-{number}") } else { String::new() };
                let path = format!("{folder}/{name}{number}.{ending}");
                let place = files.place(&path)?;
                let written = files.locked(&place, || match read::exists(&place) {
                    true => Ok(false),
                    false => files.put(&place, &path, &bytes, Parents::Create).map(|_| true),
                });
                if written? {
                    return Ok(path);
                }
            }
            Err(Error::conflict(format!("Too many files are named '{name}' in '{folder}'. Choose another name.")))
        })
        .await
    }

    /// Writes a file whole: readers see the old content or the new one, never a part. Gives back the bytes written.
    pub async fn write(&self, path: &str, bytes: Vec<u8>, parents: Parents) -> Result<u64> {
        let path = path.to_owned();
        self.blocking(move |files| {
            let place = files.place(&path)?;
            files.locked(&place, || files.put(&place, &path, &bytes, parents))
        })
        .await
    }

    /// Checks that [`Self::write`] could write this file, as far as that shows before; changes nothing. Returns whether
    /// there is a file already.
    ///
    /// # Errors
    ///
    /// If it could not.
    pub async fn ensure_writable(&self, path: &str, parents: Parents) -> Result<bool> {
        let path = path.to_owned();
        self.blocking(move |files| write::ensure_possible(&files.place(&path)?, &path, parents)).await
    }

    /// Replaces a UTF-8 file by what `change` makes of it; nothing is written where `change` fails or gives back none.
    /// Two changes of one file never lose one another.
    pub async fn update<T: Send + 'static>(
        &self,
        path: &str,
        change: impl FnOnce(&str) -> Result<(Option<String>, T)> + Send + 'static,
    ) -> Result<T> {
        let path = path.to_owned();
        self.blocking(move |files| {
            let place = files.place(&path)?;
            files.locked(&place, || {
                let before = read::text(&place, &path, Charset::Utf8, Window::default())?.content;
                let (after, answer) = change(&before)?;
                if let Some(after) = after {
                    files.put(&place, &path, after.as_bytes(), Parents::Must)?;
                }
                Ok(answer)
            })
        })
        .await
    }

    /// Opens a file of at most `most` bytes, with its size, on the thread it is called from, which must be one that may
    /// block.
    pub fn open_up_to_here(&self, path: &str, most: u64) -> Result<(File, u64)> {
        read::open_up_to(&self.place(path)?, path, most)
    }

    /// Replaces a file of at most `most` bytes by what `change` makes of its bytes; it stays as it is where that fails.
    /// Runs on the thread it is called from, which must be one that may block.
    pub fn update_bytes_here<T>(
        &self,
        path: &str,
        most: u64,
        change: impl FnOnce(Vec<u8>) -> Result<(Vec<u8>, T)>,
    ) -> Result<T> {
        let place = self.place(path)?;
        self.locked(&place, || {
            let (after, answer) = change(read::up_to(&place, path, most)?)?;
            self.put(&place, path, &after, Parents::Must)?;
            Ok(answer)
        })
    }

    fn place(&self, path: &str) -> Result<Place> {
        lookup::place(&self.roots, &self.hidden, path)
    }

    fn locked<T>(&self, place: &Place, run: impl FnOnce() -> Result<T>) -> Result<T> {
        use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(place.absolute());
        let lock = usize::try_from(hash % 16).ok().and_then(|at| self.locks.get(at));
        let held = lock.and_then(|lock| lock.try_lock_for(LOCK_PATIENCE));
        if held.is_none() {
            return Err(Error::conflict("The file is being changed by another call. Try again."));
        }
        run()
    }

    async fn blocking<T: Send + 'static>(&self, run: impl FnOnce(&Self) -> Result<T> + Send + 'static) -> Result<T> {
        let files = self.clone();
        self.work.run(Some(self.user), move || run(&files)).await
    }
}

fn mounts_unknown() -> Error {
    Error::new(Kind::Unconfigured, MOUNTS_UNKNOWN)
}

#[cfg(test)]
mod tests;
