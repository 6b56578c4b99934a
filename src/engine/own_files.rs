//! The caller's files in the hands of a tool: what is read brings its origin along, what is written keeps it.

mod commands;

use std::path::{Path, PathBuf};

use super::context::Context;
use crate::{
    app::App,
    host::files::{Charset, Parents, Rooted, Text, Window, before_now},
    model::{error::Result, origin::Origin, user::UserId},
    store::file_origins::{FileOrigins, FilePlace},
};

pub use commands::HELD;

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

/// The caller's files. Reading one with an origin taints what the call belongs to.
pub struct OwnFiles {
    files: Rooted,
    cx: Context,
}

impl Context {
    /// The caller's files.
    pub fn files(&self) -> Result<OwnFiles> {
        let files = self.app().files_of(self.caller().user)?;
        Ok(OwnFiles { files, cx: self.clone() })
    }
}

/// Where a file stands among the origins: by its path in its user's workspace, which may be moved, else by its absolute
/// one. `absolute` has no links.
pub fn place_of(files: &Rooted, user: UserId, absolute: &Path) -> FilePlace {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    match files.own_workspace().and_then(|own| absolute.strip_prefix(own).ok()) {
        Some(path) => FilePlace { owner: Some(user), path: text(path) },
        None => FilePlace { owner: None, path: text(absolute) },
    }
}

/// A place as its user's tools name it.
pub fn path_of(files: &Rooted, place: &FilePlace) -> String {
    match (place.owner, files.own_workspace()) {
        (Some(_), Some(own)) => own.join(&place.path).to_string_lossy().into_owned(),
        _ => place.path.clone(),
    }
}

/// Where the content of a file of this user's came from; `None` if from here.
pub async fn origin_of(app: &App, files: &Rooted, user: UserId, path: &str) -> Result<Option<Origin>> {
    let known = FileOrigins::of(&app.db).known(place_of(files, user, &files.locate(path)?)).await?;
    if known.is_clean() { Ok(None) } else { Ok(known.origin(files.changed(path).await?)) }
}

/// A file was written whole with nothing from outside near, by its owner for instance.
pub async fn note_clean(app: &App, files: &Rooted, user: UserId, path: &str) -> Result<()> {
    let place = place_of(files, user, &files.locate(path)?);
    let origins = FileOrigins::of(&app.db);
    // Without this most writes would wait for one of the database.
    if origins.known(place.clone()).await?.is_unknown() {
        return Ok(());
    }
    match files.changed(path).await? {
        Some(changed) => origins.clean(place, changed).await,
        None => Ok(()),
    }
}

impl OwnFiles {
    /// Where a path leads, as an absolute path without links. Fails outside the roots.
    pub fn locate(&self, path: &str) -> Result<PathBuf> {
        self.files.locate(path)
    }

    /// An existing directory under the roots; none means the workspace.
    pub async fn directory(&self, path: Option<&str>) -> Result<PathBuf> {
        self.files.directory(path).await
    }

    /// Fails where [`Self::write`] could not write this file, as far as that shows before. Returns whether there is one.
    pub async fn ensure_writable(&self, path: &str, parents: Parents) -> Result<bool> {
        self.files.ensure_writable(path, parents).await
    }

    /// A text file, or a window of it.
    pub async fn read_text(&self, path: &str, charset: Charset, window: Window) -> Result<Text> {
        self.note(path).await?;
        let text = self.files.read_text(path, charset, window).await?;
        // Another call may have written it between the two.
        self.note(path).await?;
        Ok(text)
    }

    /// A whole file of at most `most` bytes.
    pub async fn read_up_to(&self, path: &str, most: u64) -> Result<Vec<u8>> {
        self.note(path).await?;
        let bytes = self.files.read_up_to(path, most).await?;
        self.note(path).await?;
        Ok(bytes)
    }

    /// Does heavy work on a whole file of at most `most` bytes, which is read when it is the caller's turn: those of others
    /// that wait take no memory.
    pub async fn work_on<T: Send + 'static>(
        &self,
        path: &str,
        most: u64,
        work: impl FnOnce(Vec<u8>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.note(path).await?;
        let (files, name) = (self.files.clone(), path.to_owned());
        let (_, bytes) = self.files.open(path).await?;
        let answer = self.cx.work_on(bytes, move || work(files.read_up_to_here(&name, most)?)).await;
        // What is told of a failure has read it, too.
        self.note(path).await?;
        answer
    }

    /// Whether there is a file; nothing of it comes back.
    pub async fn exists(&self, path: &str) -> Result<bool> {
        Ok(self.files.changed(path).await?.is_some())
    }

    /// Writes a file whole. Returns the bytes written.
    pub async fn write(&self, path: &str, bytes: Vec<u8>, parents: Parents) -> Result<u64> {
        let origin = self.cx.origin();
        self.put(path, origin.clone()).await?;
        let written = self.files.write(path, bytes, parents).await?;
        self.after_write(path, origin).await?;
        Ok(written)
    }

    /// Writes a new file into a folder of the workspace; nothing is ever replaced. Returns its path.
    pub async fn write_new(&self, new: NewFile<'_>, bytes: Vec<u8>) -> Result<String> {
        self.write_new_from(self.cx.origin(), new, bytes).await
    }

    /// The same, of content that comes from a place outside.
    pub async fn write_new_from(&self, origin: Option<Origin>, new: NewFile<'_>, bytes: Vec<u8>) -> Result<String> {
        let NewFile { folder, name, ending } = new;
        if origin.is_none() {
            let path = self.files.write_new(folder, name, ending, bytes).await?;
            note_clean(self.cx.app(), &self.files, self.user(), &path).await?;
            return Ok(path);
        }
        // Its name is taken first: at no moment is there a content whose origin is not known.
        let path = self.files.write_new(folder, name, ending, Vec::new()).await?;
        self.put(&path, origin.clone()).await?;
        self.files.write(&path, bytes, Parents::Must).await?;
        self.after_write(&path, origin).await?;
        Ok(path)
    }

    /// Replaces a UTF-8 file by what `change` makes of it; nothing is written where that fails or gives back none.
    pub async fn update<T: Send + 'static>(
        &self,
        path: &str,
        change: impl FnOnce(&str) -> Result<(Option<String>, T)> + Send + 'static,
    ) -> Result<T> {
        let origin = self.before_change(path).await?;
        let answer = self.files.update(path, change).await?;
        self.after_write(path, origin).await?;
        Ok(answer)
    }

    /// What `change` would answer, with nothing written.
    pub async fn rehearse<T: Send + 'static>(
        &self,
        path: &str,
        change: impl FnOnce(&str) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.files.update(path, move |text| Ok((None, change(text)?))).await
    }

    /// Replaces a file of at most `most` bytes by what `change` makes of its bytes, in a turn at heavy work.
    pub async fn update_bytes<T: Send + 'static>(
        &self,
        path: &str,
        most: u64,
        change: impl FnOnce(Vec<u8>) -> Result<(Vec<u8>, T)> + Send + 'static,
    ) -> Result<T> {
        let origin = self.before_change(path).await?;
        let (files, name) = (self.files.clone(), path.to_owned());
        let (_, bytes) = self.files.open(path).await?;
        let answer = self.cx.work_on(bytes, move || files.update_bytes_here(&name, most, change)).await?;
        self.after_write(path, origin).await?;
        Ok(answer)
    }

    fn user(&self) -> UserId {
        self.cx.caller().user
    }

    async fn note(&self, path: &str) -> Result<()> {
        if let Some(origin) = origin_of(self.cx.app(), &self.files, self.user(), path).await? {
            self.cx.note_origin(origin);
        }
        Ok(())
    }

    /// From now on the file counts as from there, if anywhere.
    async fn put(&self, path: &str, origin: Option<Origin>) -> Result<()> {
        let Some(origin) = origin else { return Ok(()) };
        let place = place_of(&self.files, self.user(), &self.files.locate(path)?);
        self.guard_against_processes(&origin).await?;
        FileOrigins::of(&self.cx.app().db).put(place, origin, before_now()).await
    }

    /// What stays of a file that is changed keeps its origin. Returns the one it has from now on.
    async fn before_change(&self, path: &str) -> Result<Option<Origin>> {
        let origin = origin_of(self.cx.app(), &self.files, self.user(), path).await?.or_else(|| self.cx.origin());
        self.put(path, origin.clone()).await?;
        Ok(origin)
    }

    /// Says once more where it is from: whoever looked for files that are gone may not have seen it before.
    async fn after_write(&self, path: &str, origin: Option<Origin>) -> Result<()> {
        match origin {
            None => note_clean(self.cx.app(), &self.files, self.user(), path).await,
            origin => self.put(path, origin).await,
        }
    }
}
