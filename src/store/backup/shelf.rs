//! The folder backups are kept in: a sealed file each, and beside it what is known of it.
#![expect(clippy::disallowed_methods, reason = "backups are the store's own files")]

use std::{
    fs::{self, DirBuilder, File},
    io::{Read, Write},
    os::unix::{ffi::OsStrExt, fs::DirBuilderExt},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use super::{below::Root, copy::new_private, fault, instance::Instance, write::Scrap};
use satchel_model::{
    backup::{Backup, Reason, State},
    error::{Error, Result},
    id::shorten,
    time::Time,
};

/// The folder in the data directory, where no other is set.
const FOLDER: &str = "backups";
const ENDING: &str = "age";
/// Longest of what is known of one.
const LONGEST_NOTE: u64 = 1 << 20;
/// What names of backups of ours begin with.
const BEGINNING: &str = "satchel-";
/// What names of those end with that the schedule made.
const SCHEDULED: &str = "-scheduled";

/// A folder of backups, which other servers may keep theirs in, too.
pub struct Shelf {
    folder: PathBuf,
    /// It is the data directory's own.
    is_own: bool,
    instance: Instance,
}

impl Shelf {
    /// The folder that is set, else the data directory's own.
    pub fn new(data: &Path, folder: Option<&str>, instance: &Instance) -> Self {
        let own = data.join(FOLDER);
        let folder = folder.map_or_else(|| own.clone(), PathBuf::from);
        Self { is_own: folder == own, folder, instance: instance.clone() }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the data directory's own folder where it is missing.
    ///
    /// # Errors
    /// Where another one is missing: its disk may not be there, and what is made in its place is on the wrong one.
    pub fn ensure(&self) -> Result<()> {
        self.require_folder()?;
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        made.map_err(|e| fault::unwritable(&self.folder, e))
    }

    /// Fails where it is not the data directory's own, and missing.
    pub fn require_folder(&self) -> Result<()> {
        if self.is_own || self.folder.is_dir() {
            return Ok(());
        }
        let told = "the folder of backups is missing. Mount the disk it is on, make it, or choose another in Settings, Backup.";
        Err(Error::conflict(format!("{}: {told}", self.folder.display())))
    }

    /// The file of an id.
    pub fn file(&self, id: &str) -> Result<PathBuf> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if id.is_empty() || id.len() > 120 || id.starts_with('.') || !id.chars().all(plain) {
            return Err(unknown(id));
        }
        Ok(self.folder.join(format!("{id}.{ENDING}")))
    }

    /// The file of an id that is there.
    pub fn existing(&self, id: &str) -> Result<PathBuf> {
        let file = self.file(id)?;
        let is_file = fs::symlink_metadata(&file).is_ok_and(|found| found.is_file());
        if is_file { Ok(file) } else { Err(unknown(id)) }
    }

    /// Opens the file of an id for reading. A link is none: it may lead anywhere.
    pub fn open(&self, id: &str) -> Result<File> {
        let file = self.existing(id)?;
        let name = file.file_name().unwrap_or_default().as_bytes();
        let opened = Root::open(&self.folder).and_then(|folder| folder.file(name));
        opened.map(|(file, _)| file).map_err(|e| fault::unreadable(&file, e))
    }

    /// A name for a backup made now, which sorts by time and says which server made it, and whether the schedule did.
    pub fn name(&self, now: Time, reason: Reason) -> String {
        let (time, instance) = (now.to_string().replace([':', '.'], "-"), self.instance.as_str());
        let ending = if reason == Reason::Schedule { SCHEDULED } else { "" };
        format!("{BEGINNING}{time}-{instance}{ending}")
    }

    /// Whether this server made a backup. Earlier versions named none: theirs are known by the folder they are in.
    pub fn owns(&self, id: &str) -> bool {
        let Some(rest) = id.strip_prefix(BEGINNING) else { return false };
        let made = rest.strip_suffix(SCHEDULED).unwrap_or(rest);
        made.ends_with(&format!("Z-{}", self.instance.as_str())) || (self.is_own && rest.ends_with('Z'))
    }

    /// All that are there, the latest first.
    pub fn list(&self) -> Result<Vec<Backup>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(fault::unreadable(&self.folder, error)),
        };
        let mut found: Vec<Backup> = entries.filter_map(|entry| self.look(&entry.ok()?.path())).collect();
        found.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        Ok(found)
    }

    /// One that is there.
    pub fn get(&self, id: &str) -> Result<Backup> {
        self.look(&self.existing(id)?).ok_or_else(|| unknown(id))
    }

    fn look(&self, path: &Path) -> Option<Backup> {
        let id = path.file_name()?.to_str()?.strip_suffix(&format!(".{ENDING}"))?;
        let file = self.file(id).ok()?;
        let found = fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file)?;
        let known = self.known(id);
        let since = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let path = file.display().to_string();
        Some(match known {
            Some(known) => Backup { id: id.to_owned(), path, bytes: found.len(), progress: None, ..known },
            None => Backup {
                id: id.to_owned(),
                state: State::Done,
                path,
                created_at: Time::from_millis(i64::try_from(since.as_millis()).ok()?),
                bytes: found.len(),
                // Where the note could not be written, the name says it.
                reason: (self.owns(id) && id.ends_with(SCHEDULED)).then_some(Reason::Schedule),
                sealed_to: None,
                vault_key: None,
                progress: None,
                verified: None,
                problem: None,
            },
        })
    }

    /// What stands beside one. Others may write into the folder, too: what is too long for a note is none.
    fn known(&self, id: &str) -> Option<Backup> {
        let note = self.note(id);
        let (file, about) = Root::open(&self.folder).ok()?.file(note.file_name()?.as_bytes()).ok()?;
        let mut text = Vec::new();
        file.take(LONGEST_NOTE).read_to_end(&mut text).ok()?;
        (about.len() <= LONGEST_NOTE).then(|| serde_json::from_slice(&text).ok())?
    }

    /// Keeps what is known of one that is there.
    pub fn keep(&self, backup: &Backup) -> Result<()> {
        let note = self.note(&backup.id);
        let fresh = note.with_extension("json.new");
        let _ = fs::remove_file(&fresh);
        let text = serde_json::to_vec_pretty(backup).map_err(Error::internal)?;
        let written = new_private(&fresh).and_then(|mut file| file.write_all(&text));
        written.and_then(|()| fs::rename(&fresh, &note)).map_err(|error| {
            drop(Scrap(fresh));
            fault::unwritable(&note, error)
        })
    }

    /// Removes one, and what is known of it.
    pub fn remove(&self, id: &str) -> Result<()> {
        let file = self.existing(id)?;
        fs::remove_file(&file).map_err(|e| fault::unwritable(&file, e))?;
        drop(Scrap(self.note(id)));
        Ok(())
    }

    /// Removes what backups of this server left that were cut.
    pub fn sweep(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let cut = entries.filter(|entry| {
            entry.file_name().to_str().and_then(|name| name.strip_suffix(".age.part")).is_some_and(|id| self.owns(id))
        });
        cut.for_each(|entry| drop(Scrap(entry.path())));
    }

    fn note(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}

/// What backups are made in on the way; what a process left there that was killed is removed.
pub fn sweep_work(data: &Path) {
    drop(Scrap(work(data)));
}

/// Where backups and verifications are made on the way.
pub fn work(data: &Path) -> PathBuf {
    data.join("work")
}

fn unknown(id: &str) -> Error {
    Error::not_found(format!("There is no backup '{}': GET /api/backups lists them.", shorten(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: PathBuf) {
        new_private(&path).unwrap();
    }

    #[test]
    fn two_servers_with_one_folder_know_their_own() {
        let (a, b, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = shared.path().to_str();
        let shelf = |data: &tempfile::TempDir| Shelf::new(data.path(), folder, &Instance::open(data.path()));
        let (now, own) = (Time::from_millis(1_700_000_000_000), shelf(&a));
        // The same id again at the next start.
        assert_eq!(own.instance, shelf(&a).instance);
        let (mine, theirs) = (own.name(now, Reason::Schedule), shelf(&b).name(now, Reason::Schedule));
        assert_eq!((own.owns(&mine), own.owns(&theirs), shelf(&b).owns(&theirs)), (true, false, true));
        for id in [&mine, &theirs] {
            touch(shared.path().join(format!("{id}.age.part")));
            touch(shared.path().join(format!("{id}.age")));
        }
        own.sweep();
        let part = |id: &str| shared.path().join(format!("{id}.age.part")).exists();
        assert_eq!((part(&mine), part(&theirs)), (false, true));
        // No note says so: the name does, and only of its own.
        assert_eq!((own.get(&mine).unwrap().reason, own.get(&theirs).unwrap().reason), (Some(Reason::Schedule), None));
    }

    #[test]
    fn a_note_that_is_too_long_or_a_link_is_none() {
        let data = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(data.path(), None, &Instance::open(data.path()));
        shelf.ensure().unwrap();
        touch(shelf.file("x").unwrap());
        let known = Backup { reason: Some(Reason::Asked), ..shelf.get("x").unwrap() };
        let reason = || shelf.get("x").unwrap().reason;
        shelf.keep(&known).unwrap();
        assert_eq!(reason(), Some(Reason::Asked));
        let text = fs::read(shelf.note("x")).unwrap();
        fs::write(shelf.note("x"), [text.as_slice(), &vec![b' '; 1 << 20]].concat()).unwrap();
        assert_eq!(reason(), None);
        fs::write(data.path().join("elsewhere"), &text).unwrap();
        fs::remove_file(shelf.note("x")).unwrap();
        std::os::unix::fs::symlink(data.path().join("elsewhere"), shelf.note("x")).unwrap();
        assert_eq!(reason(), None);
    }

    #[test]
    fn a_backup_of_an_earlier_version_is_known_in_the_own_folder_alone() {
        let data = tempfile::tempdir().unwrap();
        let instance = Instance::open(data.path());
        let id = "satchel-2026-11-23T12-00-00-000Z";
        assert!(Shelf::new(data.path(), None, &instance).owns(id));
        assert!(!Shelf::new(data.path(), Some("/mnt/shared"), &instance).owns(id));
    }

    #[test]
    fn a_folder_that_is_set_and_not_there_is_not_made() {
        let data = tempfile::tempdir().unwrap();
        let missing = data.path().join("mount");
        let shelf = Shelf::new(data.path(), missing.to_str(), &Instance::open(data.path()));
        assert!(shelf.ensure().unwrap_err().message().contains("Mount the disk it is on"));
        assert!(!missing.exists());
    }
}
