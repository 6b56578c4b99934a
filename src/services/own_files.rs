//! The caller's files in the hands of a tool: what is read brings its origin along, what is written keeps it.

pub mod commands;

use std::path::{Path, PathBuf};

use super::reading::Content;
use satchel_app::App;
use satchel_engine::context::Context;
use satchel_host::files::{Charset, Parents, Rooted, Text, Window, before_now};
use satchel_model::{error::Result, origin::Origin};
use satchel_store::file_origins::{FileOrigins, FilePlace};

/// A file that is to be made, under this name or, where it is taken, one with a number.
#[derive(Debug, Clone, Copy)]
pub struct NewFile<'a> {
    /// The folder of the workspace.
    pub folder: &'a str,
    /// Its name without the ending.
    pub name: &'a str,
    /// The ending.
    pub ending: &'a str,
}

/// A change of a file under way.
struct Change {
    /// A time before it, as [`before_now`] tells it.
    began: i64,
    /// The origin that the file has from then on.
    origin: Option<Origin>,
}

/// The caller's files. Reading one with an origin taints what the call belongs to.
pub struct OwnFiles {
    files: Rooted,
    cx: Context,
}

/// A file's place among the origins: its path in its user's workspace, which may be moved, else its absolute one.
/// `absolute` has no links.
pub fn place_of(files: &Rooted, absolute: &Path) -> FilePlace {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    match files.own_workspace().and_then(|own| absolute.strip_prefix(own).ok()) {
        Some(path) => FilePlace { owner: Some(files.user()), path: text(path) },
        None => FilePlace { owner: None, path: text(absolute) },
    }
}

/// A place as an absolute path of this machine.
pub fn path_of(files: &Rooted, place: &FilePlace) -> PathBuf {
    match (place.owner, files.own_workspace()) {
        (Some(_), Some(own)) => own.join(&place.path),
        _ => PathBuf::from(&place.path),
    }
}

/// Returns whether this user's tools reach something of a tree.
pub fn is_seen(files: &Rooted, tree: &FilePlace) -> bool {
    let tree = path_of(files, tree);
    files.roots().iter().any(|root| root.starts_with(&tree) || tree.starts_with(root))
}

/// The origin of what a file of this user's holds; `None` if nothing of it came from outside.
pub async fn origin_of(app: &App, files: &Rooted, path: &str) -> Result<Option<Origin>> {
    let absolute = files.locate(path)?;
    let known = FileOrigins::new(&app.db).known(place_of(files, &absolute)).await?;
    if known.is_clean() { Ok(None) } else { Ok(known.origin(files.changed(&absolute).await?)) }
}

/// Writes a new file of this origin into a folder of the workspace, as [`Rooted::write_new`] does.
pub async fn write_new(
    app: &App,
    files: &Rooted,
    origin: Option<Origin>,
    new: NewFile<'_>,
    bytes: Vec<u8>,
) -> Result<String> {
    if origin.is_none() {
        let began = before_now();
        let path = files.write_new(new.folder, new.name, new.ending, bytes).await?;
        note_clean(app, files, &path, began).await?;
        return Ok(path);
    }
    // Its name is taken first: at no moment is there a content whose origin is not known.
    let path = files.write_new(new.folder, new.name, new.ending, Vec::new()).await?;
    put(app, files, &path, &origin).await?;
    files.write(&path, bytes, Parents::Must).await?;
    put(app, files, &path, &origin).await?;
    Ok(path)
}

/// Gives a file this origin, if any, from now on.
async fn put(app: &App, files: &Rooted, path: &str, origin: &Option<Origin>) -> Result<()> {
    let Some(origin) = origin else { return Ok(()) };
    let place = place_of(files, &files.locate(path)?);
    FileOrigins::new(&app.db).put(place.clone(), origin.clone(), before_now()).await?;
    // Afterwards: what starts later has seen the file's origin.
    commands::guard_against_running(app, &[place], origin).await
}

/// Notes that a file was written whole with nothing from outside near, by a call that began then.
async fn note_clean(app: &App, files: &Rooted, path: &str, began: i64) -> Result<()> {
    let absolute = files.locate(path)?;
    let (place, origins) = (place_of(files, &absolute), FileOrigins::new(&app.db));
    // Without this most writes would wait for one of the database.
    if origins.known(place.clone()).await?.is_unknown() {
        return Ok(());
    }
    match files.changed(&absolute).await? {
        Some(changed) => origins.clean(place, changed.file, began).await,
        None => Ok(()),
    }
}

impl OwnFiles {
    /// The files of a run's caller.
    ///
    /// # Errors
    ///
    /// If no directory is open to them.
    pub fn new(cx: &Context) -> Result<Self> {
        let files = cx.app().files_of(cx.caller().user)?;
        Ok(Self { files, cx: cx.clone() })
    }

    /// Returns the absolute path without links that a path leads to.
    ///
    /// # Errors
    ///
    /// If it leads outside the roots.
    pub fn locate(&self, path: &str) -> Result<PathBuf> {
        self.files.locate(path)
    }

    /// An existing directory under the roots; `None` means the workspace.
    pub async fn directory(&self, path: Option<&str>) -> Result<PathBuf> {
        self.files.directory(path).await
    }

    /// Checks that [`Self::write`] could write this file, as far as that shows before. Returns whether there is one.
    ///
    /// # Errors
    ///
    /// If it could not.
    pub async fn ensure_writable(&self, path: &str, parents: Parents) -> Result<bool> {
        self.files.ensure_writable(path, parents).await
    }

    /// A text file, or a window of it.
    pub async fn read_text(&self, path: &str, charset: Charset, window: Window) -> Result<Text> {
        let read = async {
            let bytes = self.files.text_bytes(path, charset, window).await?;
            self.cx.room().take(bytes).await?;
            self.files.read_text_of(bytes, path, charset, window).await
        };
        self.noting(path, read).await
    }

    /// A whole file of at most `most` bytes.
    pub async fn read_up_to(&self, path: &str, most: u64) -> Result<Vec<u8>> {
        self.noting(path, self.files.read_up_to(path, most)).await
    }

    /// Bytes of a file.
    pub async fn bytes_of(&self, path: &str) -> Result<u64> {
        Ok(self.files.open(path).await?.1)
    }

    /// Does heavy work on a file of at most `most` bytes, which is opened when it is the caller's turn.
    pub async fn work_on<T: Send + 'static>(
        &self,
        path: &str,
        most: u64,
        work: impl FnOnce(Content<'static>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.in_turn(path, move |files, name| work(files.open_up_to_here(name, most)?.into())).await
    }

    /// Returns whether there is a file; nothing of it comes back.
    pub async fn exists(&self, path: &str) -> Result<bool> {
        Ok(self.files.changed(&self.files.locate(path)?).await?.is_some())
    }

    /// Writes a file whole. Returns the bytes written.
    pub async fn write(&self, path: &str, bytes: Vec<u8>, parents: Parents) -> Result<u64> {
        let change = Change { began: before_now(), origin: self.cx.taint().origin_to_keep() };
        self.put(path, &change.origin).await?;
        let written = self.files.write(path, bytes, parents).await?;
        self.after_write(path, change).await?;
        Ok(written)
    }

    /// Writes a new file into a folder of the workspace; nothing is ever replaced. Returns its path.
    pub async fn write_new(&self, new: NewFile<'_>, bytes: Vec<u8>) -> Result<String> {
        self.write_new_from(self.cx.taint().origin_to_keep(), new, bytes).await
    }

    /// The same, of content that comes from a place outside.
    pub async fn write_new_from(&self, origin: Option<Origin>, new: NewFile<'_>, bytes: Vec<u8>) -> Result<String> {
        write_new(self.cx.app(), &self.files, origin, new, bytes).await
    }

    /// Replaces a UTF-8 file by what `change` makes of it; nothing is written where that fails or gives back none.
    pub async fn update<T: Send + 'static>(
        &self,
        path: &str,
        change: impl FnOnce(&str) -> Result<(Option<String>, T)> + Send + 'static,
    ) -> Result<T> {
        let began = self.before_change(path).await?;
        let answer = self.files.update(path, change).await?;
        self.after_write(path, began).await?;
        Ok(answer)
    }

    /// The answer of `change`, with nothing written.
    pub async fn rehearse<T: Send + 'static>(
        &self,
        path: &str,
        change: impl FnOnce(&str) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.files.update(path, move |text| Ok((None, change(text)?))).await
    }

    /// Replaces a file of at most `most` bytes by what `change` makes of its bytes, in a turn at heavy work. Its answer, or
    /// its refusal, may tell of what the file holds.
    pub async fn update_bytes<T: Send + 'static>(
        &self,
        path: &str,
        most: u64,
        change: impl FnOnce(Vec<u8>) -> Result<(Vec<u8>, T)> + Send + 'static,
    ) -> Result<T> {
        let began = self.before_change(path).await?;
        let answer = self.in_turn(path, move |files, name| files.update_bytes_here(name, most, change)).await?;
        self.after_write(path, began).await?;
        Ok(answer)
    }

    /// Does heavy work on a file when it is the caller's turn.
    async fn in_turn<T: Send + 'static>(
        &self,
        path: &str,
        work: impl FnOnce(&Rooted, &str) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (files, name) = (self.files.clone(), path.to_owned());
        let work = async {
            // Opened for its size, and to find out before a turn is waited for whether it is there.
            let (_, bytes) = self.files.open(path).await?;
            self.cx.work_on(bytes, move || work(&files, &name)).await
        };
        self.noting(path, work).await
    }

    /// Notes the origin of a file that `read` reads: before and after, as another call may write it between the two. A
    /// failure may tell of it as much as an answer.
    async fn noting<T>(&self, path: &str, read: impl Future<Output = Result<T>>) -> Result<T> {
        self.note(path).await?;
        let answer = read.await;
        self.note(path).await?;
        answer
    }

    async fn note(&self, path: &str) -> Result<()> {
        self.cx.taint().note(origin_of(self.cx.app(), &self.files, path).await?);
        Ok(())
    }

    async fn put(&self, path: &str, origin: &Option<Origin>) -> Result<()> {
        put(self.cx.app(), &self.files, path, origin).await
    }

    /// Keeps the origin of a file that is changed, as some of it stays.
    async fn before_change(&self, path: &str) -> Result<Change> {
        let began = before_now();
        let before = origin_of(self.cx.app(), &self.files, path).await?;
        let origin = Origin::joined(before, self.cx.taint().origin_to_keep());
        self.put(path, &origin).await?;
        Ok(Change { began, origin })
    }

    /// Puts the origin once more: whoever looked for files that are gone may not have seen it before.
    async fn after_write(&self, path: &str, change: Change) -> Result<()> {
        match change.origin {
            None => note_clean(self.cx.app(), &self.files, path, change.began).await,
            origin => self.put(path, &origin).await,
        }
    }
}
