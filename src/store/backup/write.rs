//! Making a backup: hold the files, copy the database, write both into one sealed tar.
//!
//! ```text
//! manifest.json   what it is, of which version, how many rows
//! satchel.db      the copy of the database
//! files/ …        contents of documents, scripts, workspaces, models, settings; the vault's key where it was asked for
//! left-out.json   what was found and could not be read once its turn came, if anything
//! SHA256SUMS      digests of all before it: `sha256sum --check` reads them
//! ```
#![expect(clippy::disallowed_methods, reason = "backups are the store's own files")]

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{
    anchors,
    below::Root,
    contents::{self, Extras, Member, Selection},
    copy::{copy, new_private},
    fault,
    names::{ANCHORS, DATABASE, VAULT_KEY},
    pack::pack,
    seal::Seal,
    stage::move_new,
    survey::{self, Survey},
    watch::Watch,
};
use crate::{dir, envelope::Kek, key_file::KeyFile, sql::Connection};
use satchel_model::{
    backup::{FORMAT, LeftOut, Manifest, PROGRAM, Part},
    error::{Error, Result},
    time::Time,
};

/// Room that must stay beside what is written.
const SPARE: u64 = 256 << 10;

/// A backup to make.
pub struct Job {
    /// The data directory.
    pub data: PathBuf,
    /// A directory for what is made on the way, on the same disk; it goes in the end.
    pub work: PathBuf,
    /// The file to make, which is not there yet.
    pub target: PathBuf,
    /// To whom it is sealed.
    pub seal: Seal,
    /// Things that go in, and those that stay out.
    pub extras: Extras,
    /// Now.
    pub now: Time,
}

/// Removes a path and what is in it once it is dropped.
pub(super) struct Scrap(pub(super) PathBuf);

impl Drop for Scrap {
    fn drop(&mut self) {
        // What cannot go now goes at the next start.
        let _ = if self.0.is_dir() { fs::remove_dir_all(&self.0) } else { fs::remove_file(&self.0) };
    }
}

/// Makes a backup. Blocks. Leaves nothing where it fails.
///
/// # Errors
/// One sentence where the file is there already, the disk is full, the vault's key is not at hand, or it was stopped.
pub fn make(job: &Job, watch: &Watch) -> Result<Manifest> {
    ensure_free(&job.target)?;
    let key = job.extras.vault_key.then(|| vault_key(&job.data)).transpose()?;
    let source = dir::database(&job.data);
    let database = fs::metadata(&source).map_err(|e| fault::unreadable(&source, e))?.len();
    require_room(&job.data, database)?;
    let _work = Scrap(job.work.clone());
    let held = job.work.join("held");
    // Most are held by then: what the copy sees besides came in the moment before it began.
    contents::hold(&job.data, &held, &survey::files(&*Connection::open_read_only(&source)?)?)?;
    let copied = job.work.join(DATABASE);
    copy(&source, &copied, watch, |c| contents::hold(&job.data, &held, &survey::files(c)?))?;
    let survey = look_at(&copied)?;
    let mut selection = Selection::default();
    let work = Rc::new(Root::open(&job.work).map_err(|e| fault::unreadable(&job.work, e))?);
    let bytes = fs::metadata(&copied).map_err(|e| fault::unreadable(&copied, e))?.len();
    selection.members.push(Member::new(DATABASE, &work, bytes));
    if let Some(key) = &key {
        selection.members.push(keep_key(job, key, survey.vault_key_id.as_deref(), &work)?);
    }
    let anchors = anchors::up_to(&dir::anchors(&job.data, None)?, survey.audit.as_ref());
    if !anchors.is_empty() {
        let path = job.work.join(ANCHORS);
        let written = new_private(&path).and_then(|mut file| file.write_all(anchors.as_bytes()));
        written.map_err(|e| fault::unwritable(&path, e))?;
        selection.members.push(Member::new(ANCHORS, &work, anchors.len() as u64));
    }
    selection.take_contents(&job.data, &held, &survey.files)?;
    selection.take_rest(&job.data, &job.extras)?;
    let mut manifest = manifest(job, survey, &selection);
    let unread = write_file(job, &manifest, &selection.members, watch)?;
    manifest.left_out.extend(unread);
    if let Some(told) = manifest.left_out.message() {
        tracing::warn!(first = ?manifest.left_out.first, "{told}");
    }
    Ok(manifest)
}

/// Fails where the file is there, or its folder is not.
fn ensure_free(target: &Path) -> Result<()> {
    if fs::symlink_metadata(target).is_ok() {
        return Err(taken(target));
    }
    match target.parent() {
        Some(parent) if !parent.is_dir() => {
            Err(Error::not_found(format!("There is no folder {}: make it first.", parent.display())))
        }
        _ => Ok(()),
    }
}

fn taken(target: &Path) -> Error {
    Error::conflict(format!("{} is there already: choose another name, or move it away.", target.display()))
}

/// The vault's key. Fails where it is no file.
fn vault_key(data: &Path) -> Result<Kek> {
    KeyFile::in_dir(data).read()?.ok_or_else(|| {
        Error::conflict(
            "The vault's key is not in the data directory but given from outside: keep it apart, and leave out --with-key.",
        )
    })
}

/// Puts the vault's key beside the copy, whatever becomes of its own file. Fails where the copy is sealed with another.
fn keep_key(job: &Job, key: &Kek, wanted: Option<&str>, work: &Rc<Root>) -> Result<Member> {
    if wanted.is_some_and(|wanted| wanted != key.id()) {
        return Err(Error::conflict("The vault's key was changed while the backup was made: make it again."));
    }
    let file = KeyFile::in_dir(&job.work);
    file.create(key)?;
    let bytes = fs::metadata(file.path()).map_err(|e| fault::unreadable(file.path(), e))?.len();
    Ok(Member::new(VAULT_KEY, work, bytes))
}

fn require_room(place: &Path, bytes: u64) -> Result<()> {
    let (needed, free) = (bytes + SPARE, dir::free_bytes(place)?);
    if free < needed { Err(fault::no_room(place, needed, free)) } else { Ok(()) }
}

fn look_at(copied: &Path) -> Result<Survey> {
    survey::survey(&*Connection::open_copy(copied)?)
}

fn manifest(job: &Job, survey: Survey, selection: &Selection) -> Manifest {
    Manifest {
        program: PROGRAM.to_owned(),
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        schema: survey.schema,
        created_at: job.now,
        sealed_to: job.seal.sealed_to(),
        recipient: job.seal.recipient_text(),
        vault_key: job.extras.vault_key,
        vault_key_id: survey.vault_key_id,
        bytes: selection.members.iter().map(|member| member.bytes).sum(),
        files: selection.members.len() as u64,
        rows: survey.rows,
        audit: survey.audit,
        missing: selection.missing.clone(),
        left_out: selection.left_out.clone(),
    }
}

/// Writes everything. Returns what could not be read once its turn came.
fn write_file(job: &Job, manifest: &Manifest, members: &[Member], watch: &Watch) -> Result<LeftOut> {
    let parent = job.target.parent().unwrap_or(Path::new("/"));
    require_room(parent, manifest.bytes)?;
    let mut name = job.target.as_os_str().to_owned();
    name.push(".part");
    let part = PathBuf::from(name);
    let file = new_private(&part).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Error::conflict(format!(
            "{} is there: another backup to that name is under way, or was cut. Remove it, or choose another name.",
            part.display()
        )),
        _ => fault::unwritable(&part, error),
    })?;
    let scrap = Scrap(part.clone());
    watch.begin(Part::Writing, manifest.bytes);
    let written = pack(job, manifest, members, file, watch);
    let (file, left_out) = written.map_err(|e| fault::unwritable(&job.target, e))?;
    file.sync_all().map_err(|e| fault::unwritable(&job.target, e))?;
    move_new(&part, &job.target).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken(&job.target),
        _ => fault::unwritable(&job.target, error),
    })?;
    drop(scrap);
    sync_dir(parent)?;
    Ok(left_out)
}

/// Brings a directory's entries to the disk.
pub(super) fn sync_dir(path: &Path) -> Result<()> {
    File::open(path).and_then(|dir| dir.sync_all()).map_err(|e| fault::unwritable(path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_came_meanwhile_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (work, target) = (dir.path().join("work"), dir.path().join("x.age"));
        let seal = Seal::recipient("age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg").unwrap();
        let extras = Extras { fetched_models: std::collections::HashSet::new(), vault_key: false };
        let job = Job { data: dir.path().to_owned(), work, target, seal, extras, now: Time::from_millis(1) };
        let survey = survey::survey(&Connection::in_memory()).unwrap();
        let manifest = manifest(&job, survey, &Selection::default());
        fs::write(&job.target, "precious").unwrap();
        let error = write_file(&job, &manifest, &[], &Watch::default()).unwrap_err();
        assert!(error.message().contains("is there already"), "{error}");
        assert_eq!(fs::read_to_string(&job.target).unwrap(), "precious");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "something half-done is left");
    }
}
