//! A restored directory takes the place of the one a server runs on, at its next start.
//!
//! It is unpacked into `restored` inside the data directory, which may be a disk of its own. A start that finds it complete
//! moves what was there into `replaced`, moves it in, and removes both; killed in the middle, the next start goes on. Where
//! it cannot go on, everything goes back, and Satchel starts on what was there.
#![expect(clippy::disallowed_methods, reason = "the data directory is the store's own")]

use std::{
    fs::{self, DirBuilder},
    io::ErrorKind,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use super::{
    copy::new_private,
    fault, mounts,
    names::DATABASE,
    notes::Source,
    restore::{Restored, VaultChoice, fill, open_database},
    seal::Opener,
    stage::{move_in, move_new, sync_all},
    survey,
    watch::Watch,
    write::{Scrap, sync_dir},
};
use crate::{dir::LOCK, vault_key};
use satchel_config::VaultKey;
use satchel_model::error::{Error, Result};

/// Where it is unpacked.
const RESTORED: &str = "restored";
/// Where what was there goes.
const REPLACED: &str = "replaced";
/// It is complete.
const READY: &str = "restored.ready";
/// The data that was there is out of the way.
const MOVING: &str = "restored.moving";
/// Names that stay: what this process holds, what is kept for rainy days, and what is being exchanged.
const STAYS: [&str; 9] = [LOCK, "run.json", "backups", "snapshots", "lost+found", RESTORED, REPLACED, READY, MOVING];

/// A backup that was received, and how it is to be restored. The file goes with this.
pub struct Received {
    /// The file.
    pub file: PathBuf,
    /// What opens it.
    pub opener: Opener,
    /// The fate of the vault's secrets.
    pub vault: VaultChoice,
}

impl Drop for Received {
    fn drop(&mut self) {
        drop(Scrap(std::mem::take(&mut self.file)));
    }
}

/// A backup that was unpacked and proven. Dropped without a commit, nothing of it is left.
pub struct Prepared {
    data: PathBuf,
    restored: Restored,
    stage: Scrap,
}

/// How an exchange ended.
#[derive(Debug)]
pub enum Exchange {
    /// None was prepared.
    Absent,
    /// What was restored took the place of what was there.
    Done,
    /// It could not, for this reason: what was there is as before.
    Undone(Error),
}

/// Unpacks and proves a backup beside the data in use. Blocks. Nothing changes before [`Prepared::commit`] and [`finish`].
///
/// # Errors
/// Where the backup cannot be restored, another one waits for the next start, something is mounted where it would be put,
/// or a start on it with the vault's `key` would fail.
pub fn prepare(data: &Path, received: &Received, key: &VaultKey, watch: &Watch) -> Result<Prepared> {
    if data.join(READY).exists() {
        return Err(Error::conflict(
            "A backup was restored already and takes its place at the next start: restart Satchel.",
        ));
    }
    require_movable(data)?;
    clear_left(data)?;
    let stage = data.join(RESTORED);
    DirBuilder::new().mode(0o700).create(&stage).map_err(|e| fault::unwritable(&stage, e))?;
    let scrap = Scrap(stage.clone());
    let restored = fill(&received.file, &received.opener, &stage, &received.vault, watch)?;
    require_vault(&stage, &restored, key)?;
    restored.end_sessions(&stage)?;
    restored.note(&stage, Source::SetupLink)?;
    sync_all(&stage)?;
    watch.check()?;
    Ok(Prepared { data: data.to_owned(), restored, stage: scrap })
}

impl Prepared {
    /// From here on the next start is on what was restored. Blocks.
    pub fn commit(self) -> Result<Restored> {
        let ready = self.data.join(READY);
        new_private(&ready).map_err(|e| fault::unwritable(&ready, e))?;
        sync_dir(&self.data).inspect_err(|_| drop(Scrap(ready)))?;
        std::mem::forget(self.stage);
        Ok(self.restored)
    }
}

/// Fails where a start on what was unpacked would fail for its vault's key.
fn require_vault(stage: &Path, restored: &Restored, key: &VaultKey) -> Result<()> {
    let variable = match key {
        VaultKey::File if restored.sealed_secrets > 0 => {
            return Err(Error::conflict(format!(
                "The backup holds {} secrets, and not the vault's key they are sealed with. Add the key, the text of \
                 secret.key, or choose to forget the secrets and enter them again.",
                restored.sealed_secrets
            )));
        }
        VaultKey::File => None,
        VaultKey::Given(_) => Some("SATCHEL_VAULT_KEY"),
        VaultKey::Passphrase(_) => Some("SATCHEL_VAULT_PASSPHRASE"),
    };
    let c = open_database(stage)?;
    if survey::vault_key_id(&c)?.is_none() && survey::secrets(&c)? == 0 {
        return Ok(());
    }
    vault_key::require_opens(&c, stage, key).map_err(|error| {
        let told = match variable {
            Some(name) => format!(
                "The backup's vault is sealed with another key than {name} gives. Start Satchel with the key it is sealed \
                 with, or without {name} and add the text of secret.key here; or choose to forget the secrets. Nothing was \
                 changed."
            ),
            None => "The backup's vault is sealed with a key or passphrase from outside. Start Satchel with SATCHEL_VAULT_KEY \
                     or SATCHEL_VAULT_PASSPHRASE set to it, add the text of secret.key, or choose to forget the secrets. \
                     Nothing was changed."
                .to_owned(),
        };
        Error::conflict(told).caused_by(error)
    })
}

fn require_movable(data: &Path) -> Result<()> {
    match mounts::inside(data, &STAYS) {
        None => Ok(()),
        Some(place) => Err(Error::conflict(format!(
            "{} is a mount of its own, which cannot be exchanged: unmount it, restore, and mount it again; or run `satchel \
             restore` into an empty directory.",
            place.display()
        ))),
    }
}

/// Ends an exchange that was prepared, if one was. To be called before anything in the data directory is opened.
///
/// # Errors
/// Where neither what was restored nor what was there can be put in place.
pub fn finish(data: &Path) -> Result<Exchange> {
    if !data.join(READY).exists() {
        // A preparation that was cut, or an exchange that was cut while it cleared up.
        clear_left(data)?;
        return Ok(Exchange::Absent);
    }
    if let Err(why) = exchange(data) {
        go_back(data)?;
        return Ok(Exchange::Undone(why));
    }
    end(data)?;
    Ok(Exchange::Done)
}

fn exchange(data: &Path) -> Result<()> {
    let (stage, moving) = (data.join(RESTORED), data.join(MOVING));
    let gone = || Error::conflict(format!("What was restored is no longer in {}.", stage.display()));
    if !moving.exists() {
        if !stage.join(DATABASE).exists() {
            return Err(gone());
        }
        require_movable(data)?;
        move_all(data, &data.join(REPLACED))?;
        new_private(&moving).map_err(|e| fault::unwritable(&moving, e))?;
        sync_dir(data)?;
    }
    if stage.is_dir() {
        move_in(&stage, data)?;
    }
    if data.join(DATABASE).exists() { Ok(()) } else { Err(gone()) }
}

/// Puts everything where it was before [`exchange`]. Cut in the middle, it begins again.
fn go_back(data: &Path) -> Result<()> {
    let (moving, replaced) = (data.join(MOVING), data.join(REPLACED));
    if moving.exists() {
        // What lies there now is what was restored.
        move_all(data, &data.join(RESTORED))?;
        fs::remove_file(&moving).map_err(|e| fault::unwritable(&moving, e))?;
        sync_dir(data)?;
    }
    if replaced.is_dir() {
        move_in(&replaced, data)?;
    }
    end(data)
}

/// The directory is one or the other: nothing waits for the next start any more.
fn end(data: &Path) -> Result<()> {
    drop(Scrap(data.join(READY)));
    sync_dir(data)?;
    for left in [MOVING, RESTORED, REPLACED] {
        drop(Scrap(data.join(left)));
    }
    Ok(())
}

/// Removes what is left where nothing waits for the next start.
fn clear_left(data: &Path) -> Result<()> {
    // Somebody removed the mark by hand, and what was there is still out of the way.
    if !data.join(DATABASE).exists() && data.join(REPLACED).join(DATABASE).exists() {
        return go_back(data);
    }
    for left in [MOVING, RESTORED, REPLACED] {
        drop(Scrap(data.join(left)));
    }
    Ok(())
}

/// Moves all that does not stay into another directory, which is made where it is missing.
fn move_all(data: &Path, to: &Path) -> Result<()> {
    match DirBuilder::new().mode(0o700).create(to) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(fault::unwritable(to, error)),
        _ => {}
    }
    let entries = fs::read_dir(data).map_err(|e| fault::unreadable(data, e))?;
    let names: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.file_name().into())).collect();
    for name in names.iter().filter(|name| STAYS.iter().all(|stays| name.as_os_str() != *stays)) {
        move_new(&data.join(name), &to.join(name)).map_err(|e| fault::unwritable(&to.join(name), e))?;
    }
    sync_dir(to)?;
    sync_dir(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(data: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(data).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn prepared() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [("satchel.db", "old"), ("secret.key", "old"), ("lock", ""), (READY, "")] {
            fs::write(dir.path().join(name), text).unwrap();
        }
        fs::create_dir(dir.path().join("snapshots")).unwrap();
        fs::create_dir_all(dir.path().join("restored/files")).unwrap();
        fs::write(dir.path().join("restored/satchel.db"), "new").unwrap();
        dir
    }

    #[test]
    fn what_was_restored_takes_the_place_of_what_was_there() {
        let dir = prepared();
        assert!(matches!(finish(dir.path()).unwrap(), Exchange::Done));
        assert_eq!(names(dir.path()), ["files", "lock", "satchel.db", "snapshots"]);
        assert_eq!(fs::read_to_string(dir.path().join("satchel.db")).unwrap(), "new");
        assert!(matches!(finish(dir.path()).unwrap(), Exchange::Absent));
    }

    #[test]
    fn an_exchange_that_was_cut_goes_on_and_one_that_was_not_ready_is_forgotten() {
        let dir = prepared();
        let data = dir.path();
        move_all(data, &data.join(REPLACED)).unwrap();
        fs::write(data.join(MOVING), "").unwrap();
        fs::rename(data.join("restored/files"), data.join("files")).unwrap();
        assert!(matches!(finish(data).unwrap(), Exchange::Done));
        assert_eq!(names(data), ["files", "lock", "satchel.db", "snapshots"]);
        let other = prepared();
        fs::remove_file(other.path().join(READY)).unwrap();
        assert!(matches!(finish(other.path()).unwrap(), Exchange::Absent));
        assert_eq!(names(other.path()), ["lock", "satchel.db", "secret.key", "snapshots"]);
        assert_eq!(fs::read_to_string(other.path().join("satchel.db")).unwrap(), "old");
    }

    fn is_as_before(data: &Path) {
        assert_eq!(names(data), ["lock", "satchel.db", "secret.key", "snapshots"]);
        assert_eq!(fs::read_to_string(data.join("satchel.db")).unwrap(), "old");
        assert!(matches!(finish(data).unwrap(), Exchange::Absent));
    }

    #[test]
    fn where_what_was_restored_is_gone_everything_goes_back() {
        for moved in [false, true] {
            let dir = prepared();
            let data = dir.path();
            if moved {
                move_all(data, &data.join(REPLACED)).unwrap();
                fs::write(data.join(MOVING), "").unwrap();
            }
            fs::remove_dir_all(data.join(RESTORED)).unwrap();
            let Exchange::Undone(why) = finish(data).unwrap() else { panic!("exchanged with nothing") };
            assert!(why.message().contains("no longer in"), "{why}");
            is_as_before(data);
        }
    }

    #[test]
    fn where_something_is_in_the_way_everything_goes_back() {
        let dir = prepared();
        let data = dir.path();
        // As a directory that cannot be moved would: a name that is taken.
        fs::create_dir_all(data.join("replaced/secret.key")).unwrap();
        fs::remove_file(data.join("secret.key")).unwrap();
        fs::create_dir(data.join("secret.key")).unwrap();
        assert!(exchange(data).is_err());
        fs::remove_dir(data.join("replaced/secret.key")).unwrap();
        fs::write(data.join("replaced/secret.key.kept"), "").unwrap();
        go_back(data).unwrap();
        assert_eq!(names(data), ["lock", "satchel.db", "secret.key", "secret.key.kept", "snapshots"]);
        assert_eq!(fs::read_to_string(data.join("satchel.db")).unwrap(), "old");
    }

    #[test]
    fn what_a_cut_end_left_is_cleared() {
        let dir = prepared();
        let data = dir.path();
        fs::remove_file(data.join(READY)).unwrap();
        fs::create_dir(data.join(REPLACED)).unwrap();
        fs::write(data.join("replaced/secret.key"), "older").unwrap();
        fs::write(data.join(MOVING), "").unwrap();
        assert!(matches!(finish(data).unwrap(), Exchange::Absent));
        is_as_before(data);
    }
}
