//! Restoring: into a directory beside the target, which takes its place once everything was proven.
#![expect(clippy::disallowed_methods, reason = "the data directory is the store's own")]

use std::{fs, io::ErrorKind, path::Path};

use serde_json::json;

use super::{
    fault,
    names::DATABASE,
    notes::{self, Source},
    seal::Opener,
    stage::{Stage, require_empty},
    survey,
    unpack::{Unpacked, unpack},
    watch::Watch,
};
use crate::{
    dir,
    envelope::Kek,
    key_file::KeyFile,
    sql::{self, Connection, Tx},
    vault_key,
};
use satchel_model::{
    backup::{Manifest, Part, SealedTo},
    error::{Error, Result},
    secret::Secret,
};

/// The fate of the vault's secrets where their key is not in the backup.
#[derive(Clone, Default)]
pub struct VaultChoice {
    /// The key, kept apart: the text of `secret.key`.
    pub key: Option<Secret>,
    /// The key is lost: the secrets are forgotten, and have to be entered again.
    pub forget: bool,
}

/// A backup that was restored.
#[derive(Debug)]
pub struct Restored {
    /// The backup's own description.
    pub manifest: Manifest,
    /// Secrets whose key is not there: no start without it.
    pub sealed_secrets: i64,
    /// API keys that are good again, also those that were revoked since.
    pub keys: usize,
    /// Contents of documents that had been damaged before the backup was made.
    pub rotten: Vec<String>,
}

impl Restored {
    /// Ends the sessions that were going on when the backup was made: whoever ended one since would not know that it is back.
    pub(super) fn end_sessions(&self, into: &Path) -> Result<()> {
        survey::end_sessions(&*open_database(into)?)
    }

    /// Leaves word of it for the audit, in the directory it was restored into.
    pub(super) fn note(&self, into: &Path, by: Source) -> Result<()> {
        let manifest = &self.manifest;
        let told = json!({
            "created_at": manifest.created_at, "version": manifest.version, "schema": manifest.schema,
            "sealed_secrets": self.sealed_secrets, "keys": self.keys,
        });
        notes::leave(into, "backup.restore", told, by)
    }
}

/// Restores a backup into a directory that is empty or not there. Blocks. The directory is as before where it fails.
///
/// # Errors
/// One sentence where the directory is in use, the file is no whole backup of ours, or the disk is full.
pub fn restore(file: &Path, opener: &Opener, target: &Path, vault: &VaultChoice, watch: &Watch) -> Result<Restored> {
    let target = require_empty(target)?;
    if !file.is_file() {
        return Err(fault::unreadable(file, ErrorKind::NotFound.into()));
    }
    let stage = Stage::open(&target)?;
    let restored = fill(file, opener, stage.path(), vault, watch)?;
    restored.end_sessions(stage.path())?;
    restored.note(stage.path(), Source::CommandLine)?;
    watch.check()?;
    stage.commit(&target)?;
    Ok(restored)
}

/// Unpacks a backup into an empty directory and proves what can be proven without starting on it.
pub(super) fn fill(file: &Path, opener: &Opener, into: &Path, vault: &VaultChoice, watch: &Watch) -> Result<Restored> {
    let Unpacked { manifest, rotten } = unpack(file, opener, into, watch)?;
    watch.begin(Part::Checking, 0);
    let (sealed_secrets, keys) = {
        let c = open_database(into)?;
        require_schema(&c, &manifest)?;
        require_files(&c, into, &manifest)?;
        (keep_vault_key(&c, into, vault)?, survey::keys(&c)?.len())
    };
    if let (SealedTo::OwnKey, Some(recipient)) = (manifest.sealed_to, &manifest.recipient) {
        opener.keep(into, recipient)?;
    }
    Ok(Restored { manifest, sealed_secrets, keys, rotten })
}

pub(super) fn open_database(into: &Path) -> Result<Connection> {
    Connection::open(&into.join(DATABASE)).map_err(|error| {
        Error::invalid("The backup is damaged: its database cannot be opened. Take another copy of the file.")
            .caused_by(error)
    })
}

/// Fails where a backup is of a schema that is not known here: what is in it would be of no use.
pub(super) fn require_known(manifest: &Manifest) -> Result<()> {
    let (schema, newest) = (manifest.schema, sql::newest_schema());
    if schema <= newest {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "The backup was made by a newer Satchel ({}; its schema is {schema}, this one knows {newest}). Restore it with that \
         version or a later one.",
        manifest.version
    )))
}

fn require_schema(tx: &Tx, manifest: &Manifest) -> Result<()> {
    match tx.schema()? {
        0 => {}
        schema if schema == manifest.schema => return Ok(()),
        _ => {}
    }
    Err(Error::invalid("The backup is damaged: its database is not the one it speaks of."))
}

/// Fails where a row names a file that is not there.
fn require_files(tx: &Tx, into: &Path, manifest: &Manifest) -> Result<()> {
    let named = survey::files(tx)?;
    let gone = named.iter().filter(|hash| {
        let path = into.join("files").join(hash.get(..2).unwrap_or_default()).join(hash);
        !path.is_file() && !manifest.missing.contains(hash)
    });
    match gone.count() {
        0 => Ok(()),
        _ if manifest.missing.len() >= super::contents::TOLD => Ok(()),
        gone => {
            Err(Error::invalid(format!("The backup is damaged: {gone} files that its database names are not in it.")))
        }
    }
}

/// Puts the vault's key where it belongs, or forgets what it sealed. Returns how many secrets have no key.
fn keep_vault_key(tx: &Tx, into: &Path, vault: &VaultChoice) -> Result<i64> {
    if !survey::has_vault(tx)? {
        return Ok(0);
    }
    let (file, state) = (KeyFile::in_dir(into), vault_key::State::read(tx)?);
    if let Some(text) = &vault.key {
        let kek = vault_key::parse(text)?;
        state.require(&kek)?;
        // Also in the place of one that is in the backup: this one was proven.
        file.create(&kek)?;
        return Ok(0);
    }
    match contained(&file, &state) {
        Ok(Some(_)) => return Ok(0),
        Err(error) if !vault.forget => return Err(error),
        Err(_) => fs::remove_file(file.path()).map_err(|e| fault::unwritable(file.path(), e))?,
        Ok(None) => {}
    }
    if vault.forget {
        survey::forget_secrets(tx)?;
        return Ok(0);
    }
    survey::secrets(tx)
}

/// The key that is in the backup, if one is. Fails where it does not open the vault.
fn contained(file: &KeyFile, state: &vault_key::State) -> Result<Option<Kek>> {
    let proven = file.read().and_then(|kek| kek.map(|kek| state.require(&kek).map(|()| kek)).transpose());
    proven.map_err(|error| {
        Error::conflict(
            "The vault's key in the backup is not the one its secrets are sealed with. Give the right one with \
             --vault-key-file, or forget the secrets with --forget-secrets. Nothing was changed.",
        )
        .caused_by(error)
    })
}

/// Free bytes at a directory, for who is about to receive a backup.
pub fn require_room(place: &Path, bytes: u64) -> Result<()> {
    let free = dir::free_bytes(place)?;
    if free < bytes { Err(fault::no_room(place, bytes, free)) } else { Ok(()) }
}
