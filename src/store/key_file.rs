//! The vault's key file: 64 hex digits only its owner may read, changed so that a crash never loses a key.
//!
//! Rotation writes the new key beside the old one, then the database, then renames. Which of two keys counts after
//! a crash is what the database says.

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use zeroize::Zeroizing;

use super::envelope::Kek;
use satchel_model::error::{Error, Kind, Result};

/// The key file of a data directory, and the one that stands beside it during a rotation.
#[derive(Debug, Clone)]
pub(super) struct KeyFile {
    path: PathBuf,
    next: PathBuf,
}

impl KeyFile {
    pub(super) fn in_dir(dir: &Path) -> Self {
        Self { path: dir.join("secret.key"), next: dir.join("secret.key.new") }
    }

    /// Where it is, for messages.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The key, if there is one.
    pub(super) fn read(&self) -> Result<Option<Kek>> {
        read(&self.path)
    }

    /// The key of a rotation that did not end. A file that was not written whole is none: the database takes a key up only
    /// after its file is on the disk.
    pub(super) fn read_next(&self) -> Result<Option<Kek>> {
        Ok(text_of(&self.next)?.and_then(|text| key_in(&text)))
    }

    /// Writes the first key; it is on the disk when this returns.
    pub(super) fn create(&self, kek: &Kek) -> Result<()> {
        write(&self.next, kek)?;
        self.promote()
    }

    /// Puts the next key beside the one in use; it is on the disk when this returns.
    pub(super) fn stage(&self, kek: &Kek) -> Result<()> {
        write(&self.next, kek)
    }

    /// Makes the next key the one in use.
    pub(super) fn promote(&self) -> Result<()> {
        fs::rename(&self.next, &self.path).map_err(|e| unusable(&self.next, &e.to_string()))?;
        sync_parent(&self.path)
    }

    /// Drops a next key that no record uses.
    pub(super) fn discard(&self) -> Result<()> {
        match remove(&self.next) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(unusable(&self.next, &error.to_string())),
            _ => Ok(()),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the vault's key is the store's own file")]
fn remove(path: &Path) -> std::io::Result<()> {
    fs::remove_file(path)
}

fn read(path: &Path) -> Result<Option<Kek>> {
    let Some(text) = text_of(path)? else { return Ok(None) };
    let length = text.trim().len();
    let why = || format!("it must hold 64 hex digits and holds {length} characters. Restore it from a backup");
    key_in(&text).map(Some).ok_or_else(|| unusable(path, &why()))
}

fn text_of(path: &Path) -> Result<Option<Zeroizing<String>>> {
    let file = match OpenOptions::new().read(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(path, &error.to_string())),
    };
    require_private(path, &file)?;
    let mut text = Zeroizing::new(String::new());
    let read = file.take(4096).read_to_string(&mut text);
    read.map_err(|_| unusable(path, "it is not text"))?;
    Ok(Some(text))
}

fn key_in(text: &str) -> Option<Kek> {
    let mut key = Zeroizing::new([0_u8; 32]);
    hex::decode_to_slice(text.trim(), &mut *key).ok()?;
    Some(Kek::new(*key))
}

fn require_private(path: &Path, file: &File) -> Result<()> {
    let mode = file.metadata().map_err(|e| unusable(path, &e.to_string()))?.mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let place = path.display();
    Err(unusable(path, &format!("others can read it (mode {mode:o}). Run: chmod 600 {place}")))
}

fn write(path: &Path, kek: &Kek) -> Result<()> {
    let failed = |error: std::io::Error| {
        let place = path.display();
        let failed = match error.kind() {
            ErrorKind::StorageFull => {
                let told =
                    format!("The disk is full: the key file {place} cannot be written. Free some space and try again.");
                Error::new(Kind::DiskFull, told)
            }
            _ => Error::conflict(format!("The key file {place} cannot be written: {error}.")),
        };
        failed.caused_by(error)
    };
    let _ = remove(path);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
    let text = Zeroizing::new(format!("{}\n", *kek.to_hex()));
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if let Err(error) = written {
        let _ = remove(path);
        return Err(failed(error));
    }
    sync_parent(path)
}

fn sync_parent(path: &Path) -> Result<()> {
    let Some(parent) = path.parent() else { return Ok(()) };
    let synced = OpenOptions::new().read(true).open(parent).and_then(|dir| dir.sync_all());
    synced.map_err(|e| unusable(path, &e.to_string()))
}

fn unusable(path: &Path, why: &str) -> Error {
    Error::conflict(format!("The key file {} cannot be used: {why}.", path.display()))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests look at the files themselves")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_written_is_private_and_reads_back() {
        let dir = tempfile::tempdir().unwrap();
        let file = KeyFile::in_dir(dir.path());
        assert!(file.read().unwrap().is_none());
        let kek = Kek::fresh();
        file.create(&kek).unwrap();
        assert_eq!(fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(file.read().unwrap().unwrap().id(), kek.id());
        assert!(file.read_next().unwrap().is_none());
    }

    #[test]
    fn a_next_key_that_was_not_written_whole_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let file = KeyFile::in_dir(dir.path());
        file.create(&Kek::fresh()).unwrap();
        for cut in ["", "0011"] {
            fs::write(&file.next, cut).unwrap();
            fs::set_permissions(&file.next, fs::Permissions::from_mode(0o600)).unwrap();
            assert!(file.read_next().unwrap().is_none() && file.read().unwrap().is_some(), "{cut:?}");
        }
    }

    #[test]
    fn a_key_others_can_read_is_refused_with_the_command_that_mends_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = KeyFile::in_dir(dir.path());
        file.create(&Kek::fresh()).unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o640)).unwrap();
        let message = file.read().err().unwrap().message().to_owned();
        assert!(message.contains("mode 640") && message.contains("chmod 600"), "{message}");
    }

    #[test]
    fn a_key_of_the_wrong_length_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = KeyFile::in_dir(dir.path());
        file.create(&Kek::fresh()).unwrap();
        fs::write(file.path(), "abc").unwrap();
        let message = file.read().err().unwrap().message().to_owned();
        assert!(message.contains("64 hex digits"), "{message}");
    }
}
