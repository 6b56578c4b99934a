//! Files under a user's roots, and nothing outside them: links are followed first, then the place is checked,
//! and the kernel is told to open exactly that place.

mod encoding;
mod fault;
mod lookup;
mod read;
mod write;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;

pub use self::{
    encoding::Charset,
    read::{MAX_READ, Text, Window},
    write::Parents,
};
use self::{fault::Fault, lookup::Place};
use crate::model::{
    error::{Error, Kind, Result},
    id::shorten,
    user::UserId,
};

/// The root that is each user's own folder.
const WORKSPACE: &str = "workspace";

/// Every user's files on this machine. Copies share their locks.
#[derive(Debug, Clone)]
pub struct Workspaces {
    data_dir: PathBuf,
    locks: Arc<[Mutex<()>; 16]>,
}

impl Workspaces {
    /// Workspaces are kept in `data_dir/workspaces/<user>`; nothing else of `data_dir` is ever shown.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self { data_dir: data_dir.into(), locks: Arc::default() }
    }

    /// What this user's tools may reach: `roots` as in the settings, where `workspace` is his own folder (made if
    /// missing) and every other entry an absolute path.
    pub fn of(&self, user: UserId, roots: &[String]) -> Result<Rooted> {
        let workspace = self.data_dir.join("workspaces").join(user.to_string());
        if roots.iter().any(|root| root == WORKSPACE) {
            write::make_private_dir(&workspace)?;
        }
        let paths = roots.iter().map(|root| if root == WORKSPACE { workspace.clone() } else { PathBuf::from(root) });
        Rooted::new(paths, &workspace, self)
    }
}

/// The directories one user's tools may reach. Relative paths are looked up in the first.
#[derive(Debug, Clone)]
pub struct Rooted {
    roots: Arc<[PathBuf]>,
    hidden: Hidden,
    locks: Arc<[Mutex<()>; 16]>,
}

/// The server's own data, which no root opens, but for the user's folder in it.
#[derive(Debug, Clone)]
struct Hidden {
    data_dir: PathBuf,
    except: PathBuf,
}

/// Files of one name in a folder, told apart by a number.
const MAX_SAME_NAMES: usize = 1_000;

/// Longest name made of a title, in characters.
const MAX_NAME: usize = 80;

/// How long a change waits for another change of the same file.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

impl Rooted {
    fn new(paths: impl Iterator<Item = PathBuf>, own: &Path, all: &Workspaces) -> Result<Self> {
        let roots = paths.map(|path| root(&path)).collect::<Result<Vec<_>>>()?;
        if roots.is_empty() {
            return Err(Error::new(
                Kind::Disabled,
                "No directory is open to file tools. An administrator can add one under files.roots.",
            ));
        }
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let hidden = Hidden { data_dir: canonical(&all.data_dir), except: canonical(own) };
        Ok(Self { roots: roots.into(), hidden, locks: Arc::clone(&all.locks) })
    }

    /// The first root: where relative paths start.
    pub fn workspace(&self) -> &Path {
        self.roots.first().map_or_else(|| Path::new("/"), PathBuf::as_path)
    }

    /// All roots, without links in them.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The server's data directory: nothing in it but the user's own folder may be shown to a program either.
    pub fn data_dir(&self) -> &Path {
        &self.hidden.data_dir
    }

    /// Where a path given by a caller leads, as an absolute path without links. Fails outside the roots.
    /// The place may not exist, and may have changed by the time it is used: the readers and writers here check again.
    pub fn locate(&self, path: &str) -> Result<PathBuf> {
        self.place(path).map(|place| place.absolute())
    }

    /// An existing directory under the roots, to work in; none means the workspace.
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
        let path = path.to_owned();
        self.blocking(move |files| read::text(&files.place(&path)?, &path, charset, window)).await
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
                    false => write::whole(&place, &path, &bytes, Parents::Create).map(|_| true),
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
            files.locked(&place, || write::whole(&place, &path, &bytes, parents))
        })
        .await
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
                    write::whole(&place, &path, after.as_bytes(), Parents::Must)?;
                }
                Ok(answer)
            })
        })
        .await
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
            write::whole(&place, path, &after, Parents::Must)?;
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
        tokio::task::spawn_blocking(move || run(&files)).await.map_err(Error::internal)?
    }
}

/// A title as a file's name: letters, digits and single hyphens.
pub fn stored_name(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars() {
        match c {
            c if c.is_alphanumeric() || c == '_' => name.push(c),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    let mut name: String = name.chars().take(MAX_NAME).collect();
    while name.ends_with('-') || name.len() > 200 {
        name.pop();
    }
    if name.is_empty() { "document".to_owned() } else { name }
}

/// Fails where an entry of `files.roots` opens nothing: it is neither `workspace` nor the absolute path of a directory.
pub fn demand_root(entry: &str) -> Result<()> {
    let path = Path::new(entry);
    if entry == WORKSPACE || path.is_absolute() && path.is_dir() {
        return Ok(());
    }
    let told = "is no directory of this machine: write the absolute path of one, or `workspace`.";
    Err(Error::invalid(format!("`files.roots`: '{}' {told}", shorten(entry))))
}

fn root(path: &Path) -> Result<PathBuf> {
    if !path.is_absolute() {
        return Err(Error::invalid(format!(
            "files.roots holds '{}': write `workspace` or an absolute path.",
            path.display()
        )));
    }
    path.canonicalize().map_err(|e| {
        Error::new(
            Kind::Unconfigured,
            format!(
                "The directory '{}' of files.roots cannot be opened. An administrator can mend it.",
                path.display()
            ),
        )
        .caused_by(e)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_the_workspace_or_a_directory_that_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let file = tempfile::NamedTempFile::new_in(dir.path()).unwrap();
        for entry in ["workspace", dir.path().to_str().unwrap()] {
            demand_root(entry).unwrap();
        }
        for entry in [file.path().to_str().unwrap(), "relative/path", "src", "/no/such/directory", ""] {
            let error = demand_root(entry).unwrap_err();
            assert!(error.kind() == Kind::Invalid && error.message().contains("write the absolute path"), "{error}");
        }
    }

    #[test]
    fn titles_become_names_that_lead_nowhere_else() {
        for (title, wanted) in [
            ("Q4 report: costs & gains", "Q4-report-costs-gains"),
            ("../../etc/passwd", "etc-passwd"),
            ("Größe 日本", "Größe-日本"),
            (" ./ ", "document"),
        ] {
            assert_eq!(stored_name(title), wanted);
        }
        assert!(stored_name(&"語".repeat(300)).len() <= 200);
    }
}
