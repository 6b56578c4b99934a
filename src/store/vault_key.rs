//! Where the vault's key comes from, and whether it is the one the records are sealed with.

use std::path::Path;

use argon2::{Algorithm, Argon2, Params, Version};
use base64::{Engine, engine::general_purpose::STANDARD};
use zeroize::Zeroizing;

use super::{
    envelope::{self, Kek, Sealed},
    key_file::KeyFile,
    sql::Tx,
    vault::{self, CANARY},
};
use satchel_config::VaultKey;
use satchel_model::{
    error::{Error, Result},
    secret::Secret,
    time::Time,
};

/// Where a passphrase's salt is kept.
const SALT: &str = "vault_salt";

/// What the database says of its key.
pub(super) struct State {
    records: i64,
    /// The record that proves the key.
    pub(super) canary: Option<Sealed>,
    /// The passphrase's salt; a new one where none is kept.
    pub(super) salt: Vec<u8>,
    /// Whether a salt is kept: the key was made of a passphrase.
    by_passphrase: bool,
}

impl State {
    pub(super) fn read(tx: &Tx) -> Result<Self> {
        let canary = "SELECT kek, wrapped, sealed FROM vault WHERE owner = ?1 AND name = ?2";
        let salt = tx.first("SELECT value FROM settings WHERE key = ?1", [SALT], |row| row.get::<String>("value"))?;
        Ok(Self {
            records: tx.one("SELECT count(*) FROM vault", ())?,
            canary: tx.first(canary, [CANARY.0, CANARY.1], vault::read)?,
            by_passphrase: salt.is_some(),
            salt: match salt {
                Some(text) => hex::decode(text.trim_matches('"')).map_err(Error::internal)?,
                None => rand::random::<[u8; 16]>().to_vec(),
            },
        })
    }

    /// Whether nothing was sealed yet but the proof of the key.
    fn is_empty(&self) -> bool {
        self.records == i64::from(self.canary.is_some())
    }

    pub(super) fn require(&self, kek: &Kek) -> Result<()> {
        let Some(canary) = &self.canary else {
            return match self.records {
                0 => Ok(()),
                _ => Err(Error::conflict("The vault's proof of its key is gone. Restore the database from a backup.")),
            };
        };
        if envelope::open(kek, CANARY, canary).is_ok() {
            return Ok(());
        }
        Err(Error::conflict(format!(
            "The vault was sealed with another key: it wants the key {}, this one is {}. Start with the right key, \
             or restore it from a backup.",
            canary.kek,
            kek.id()
        )))
    }
}

/// The key of the file; ends or undoes a rotation a crash has cut.
pub(super) fn from_file(file: &KeyFile, state: &mut State) -> Result<Kek> {
    let (current, next) = (file.read()?, file.read_next()?);
    let wanted = state.canary.as_ref().map(|canary| canary.kek.clone());
    match (current, next, wanted.as_deref()) {
        (_, Some(next), Some(wanted)) if next.id() == wanted => {
            file.promote()?;
            Ok(next)
        }
        (Some(current), ..) => {
            file.discard()?;
            Ok(current)
        }
        (None, ..) if state.by_passphrase => Err(Error::conflict(
            "The vault's key is made of a passphrase: start with SATCHEL_VAULT_PASSPHRASE set to it.",
        )),
        (None, ..) if state.is_empty() => {
            // A key that is lost has nothing left to prove.
            (state.records, state.canary) = (0, None);
            let kek = Kek::fresh();
            file.create(&kek)?;
            Ok(kek)
        }
        (None, ..) => {
            let (place, records) = (file.path().display(), state.records.saturating_sub(1));
            Err(Error::conflict(format!(
                "The key file {place} is missing, but the vault holds {records} secrets sealed with it. Put the file back \
                 from a backup; without it the secrets cannot be read."
            )))
        }
    }
}

/// Fails where a start on the data directory `dir` with this key would fail. Changes nothing.
pub(super) fn require_opens(tx: &Tx, dir: &Path, key: &VaultKey) -> Result<()> {
    let state = State::read(tx)?;
    match key {
        VaultKey::Given(text) => state.require(&parse(text)?),
        VaultKey::Passphrase(text) => state.require(&derive(text, &state.salt)?),
        VaultKey::File => match KeyFile::in_dir(dir).read()? {
            Some(kek) => state.require(&kek),
            None if state.is_empty() && !state.by_passphrase => Ok(()),
            None => Err(Error::conflict("The vault's key is not there.")),
        },
    }
}

/// 32 bytes as 64 hex digits, or as base64.
pub(super) fn parse(text: &Secret) -> Result<Kek> {
    let text = text.expose().trim();
    let bytes = hex::decode(text).or_else(|_| STANDARD.decode(text)).map(Zeroizing::new).ok();
    let key = bytes.as_ref().and_then(|bytes| <[u8; 32]>::try_from(bytes.as_slice()).ok()).map(Zeroizing::new);
    key.map(|key| Kek::new(*key)).ok_or_else(|| {
        Error::invalid(
            "The vault's key must be 32 bytes, as 64 hex digits or as base64: `openssl rand -hex 32` makes one.",
        )
    })
}

/// Argon2id, 64 MiB and three passes: once a start, so it may take a moment.
pub(super) fn derive(passphrase: &Secret, salt: &[u8]) -> Result<Kek> {
    if passphrase.expose().chars().count() < 12 {
        return Err(Error::invalid("The vault's passphrase is too short: 12 characters are the least."));
    }
    let params = Params::new(64 * 1024, 3, 1, Some(32)).map_err(Error::internal)?;
    let mut key = Zeroizing::new([0_u8; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.expose().as_bytes(), salt, &mut *key)
        .map_err(Error::internal)?;
    Ok(Kek::new(*key))
}

pub(super) fn write_salt(tx: &Tx, salt: &[u8], now: Time) -> Result<()> {
    let sql = "INSERT INTO settings (key, value, updated_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
    tx.run(sql, (SALT, format!("\"{}\"", hex::encode(salt)), now.millis())).map(drop)
}
