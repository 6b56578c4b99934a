//! The vault: every secret of the installation, sealed, each bound to its owner and name.
//!
//! Owners are `tool:<name>`, `provider:<id>` and `system:<id> <where>`. A canary record proves at start that the key is the right one, and
//! says inside every transaction which key counts: so a rotation is one commit, for writers beside it too.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use parking_lot::RwLock;

use super::{
    db::Db,
    envelope::{self, Kek, Sealed},
    key_file::KeyFile,
    sql::{Row, Tx},
    vault_key,
};
use satchel_config::VaultKey;
use satchel_model::{
    error::{Error, Result},
    secret::Secret,
    time::Time,
};

/// The record that proves the key.
pub(super) const CANARY: (&str, &str) = ("vault", "canary");
/// Longest secret.
const LONGEST: usize = 64 * 1024;

/// The vault of one database. Cheap to clone.
#[derive(Clone)]
pub struct Vault {
    pub(super) db: Db,
    pub(super) ring: Arc<RwLock<Vec<Kek>>>,
    pub(super) source: Arc<Source>,
    pub(super) rotating: Arc<AtomicBool>,
}

pub(super) enum Source {
    File(KeyFile),
    Given,
    Passphrase(RwLock<Secret>),
}

impl Vault {
    /// Opens the vault with the configured key; makes key and canary at the first start. Fails in one sentence that
    /// says what to do where the key is missing, readable by others, or not the one the records are sealed with.
    pub async fn open(db: Db, dir: &Path, key: &VaultKey, now: Time) -> Result<Self> {
        let mut state = db.read(vault_key::State::read).await?;
        let (kek, source) = match key {
            VaultKey::File => {
                let file = KeyFile::in_dir(dir);
                (vault_key::from_file(&file, &mut state)?, Source::File(file))
            }
            VaultKey::Given(text) => (vault_key::parse(text)?, Source::Given),
            VaultKey::Passphrase(text) => {
                (vault_key::derive(text, &state.salt)?, Source::Passphrase(RwLock::new(text.clone())))
            }
        };
        state.require(&kek)?;
        let ring = Arc::new(RwLock::new(vec![kek.clone()]));
        let vault = Self { db, ring, source: Arc::new(source), rotating: Arc::default() };
        if state.canary.is_none() {
            let salt = state.salt;
            let keep_salt = matches!(key, VaultKey::Passphrase(_));
            vault
                .db
                .write(move |tx| {
                    if keep_salt {
                        vault_key::write_salt(tx, &salt, now)?;
                    }
                    insert(tx, &kek, CANARY, &Secret::new("satchel"), now)
                })
                .await?;
        }
        Ok(vault)
    }

    /// Keeps a secret, in place of an earlier one of the same owner and name.
    pub async fn put(&self, owner: &str, name: &str, secret: Secret, now: Time) -> Result<()> {
        let (vault, owner, name) = (self.clone(), owner.to_owned(), name.to_owned());
        self.db.write(move |tx| vault.put_in(tx, (&owner, &name), &secret, now)).await
    }

    /// The secret, if there is one.
    pub async fn get(&self, owner: &str, name: &str) -> Result<Option<Secret>> {
        let (vault, owner, name) = (self.clone(), owner.to_owned(), name.to_owned());
        self.db.read(move |tx| vault.get_in(tx, (&owner, &name))).await
    }

    /// Forgets a secret; says whether there was one.
    pub async fn delete(&self, owner: &str, name: &str) -> Result<bool> {
        let (owner, name) = (owner.to_owned(), name.to_owned());
        self.db.write(move |tx| delete_in(tx, (&owner, &name))).await
    }

    /// The names an owner has secrets under, in order.
    pub async fn list(&self, owner: &str) -> Result<Vec<String>> {
        let owner = owner.to_owned();
        self.db.read(move |tx| names_in(tx, &owner)).await
    }

    /// Opens the record that proves the key, and gives the key's id.
    pub async fn prove(&self) -> Result<String> {
        let vault = self.clone();
        self.db.read(move |tx| vault.get_in(tx, CANARY)).await?;
        self.key_id().await
    }

    /// Where the key is that opens the vault, and what to do with it, in one sentence.
    pub fn key_place(&self) -> String {
        match &*self.source {
            Source::File(file) => format!(
                "The file {} opens it. It is the one thing to keep apart from backups: whoever has both reads every secret, \
                 and without it the secrets in a backup are lost.",
                file.path().display()
            ),
            Source::Given => "The key in SATCHEL_VAULT_KEY opens it. Keep it apart from backups.".to_owned(),
            Source::Passphrase(_) => {
                "The passphrase in SATCHEL_VAULT_PASSPHRASE opens it. Keep it apart from backups.".to_owned()
            }
        }
    }

    /// Id of the key in use.
    pub async fn key_id(&self) -> Result<String> {
        self.db.read(|tx| Ok(vault_key::State::read(tx)?.canary.map(|canary| canary.kek).unwrap_or_default())).await
    }

    /// As [`Vault::put`], inside a transaction.
    pub(super) fn put_in(&self, tx: &Tx, place: (&str, &str), secret: &Secret, now: Time) -> Result<()> {
        if secret.expose().len() > LONGEST {
            return Err(Error::invalid(format!("A secret has at most {LONGEST} bytes.")));
        }
        let canary = vault_key::State::read(tx)?.canary.ok_or_else(|| Error::internal("the vault has no canary"))?;
        insert(tx, &self.key(&canary.kek)?, place, secret, now)?;
        tx.run("UPDATE vault SET plain = FALSE WHERE owner = ?1 AND name = ?2", [place.0, place.1]).map(drop)
    }

    /// As [`Vault::get`], inside a transaction.
    pub(super) fn get_in(&self, tx: &Tx, place: (&str, &str)) -> Result<Option<Secret>> {
        let sql = "SELECT kek, wrapped, sealed FROM vault WHERE owner = ?1 AND name = ?2";
        let Some(record) = tx.first(sql, [place.0, place.1], read)? else { return Ok(None) };
        envelope::open(&self.key(&record.kek)?, place, &record).map(Some)
    }

    fn key(&self, id: &str) -> Result<Kek> {
        let found = self.ring.read().iter().find(|kek| kek.id() == id).cloned();
        found.ok_or_else(|| Error::conflict(format!("A secret is sealed with the key {id}, which is not at hand.")))
    }
}

/// Forgets a secret, inside a transaction.
pub(super) fn delete_in(tx: &Tx, place: (&str, &str)) -> Result<bool> {
    Ok(tx.run("DELETE FROM vault WHERE owner = ?1 AND name = ?2", [place.0, place.1])? > 0)
}

/// Says of a record just put that it is no secret, inside a transaction. It stays so until the next is put there.
pub(super) fn mark_plain(tx: &Tx, place: (&str, &str)) -> Result<()> {
    tx.run("UPDATE vault SET plain = TRUE WHERE owner = ?1 AND name = ?2", [place.0, place.1]).map(drop)
}

/// Whether a record was said to be no secret when it was put, inside a transaction.
pub(super) fn is_plain(tx: &Tx, place: (&str, &str)) -> Result<bool> {
    let sql = "SELECT plain FROM vault WHERE owner = ?1 AND name = ?2";
    Ok(tx.first(sql, [place.0, place.1], |row| row.get("plain"))?.unwrap_or(false))
}

/// A text that is another one once a secret of an owner was put anew or forgotten, inside a transaction: each is sealed with
/// a number that is used once, and a new key of the vault leaves that as it is.
pub(super) fn fingerprint_in(tx: &Tx, owner: &str) -> Result<String> {
    let sql = "SELECT name, sealed FROM vault WHERE owner = ?1 ORDER BY name";
    let all = tx.all(sql, [owner], |row| Ok([row.get("name")?, hex::encode_upper(row.get::<&[u8]>("sealed")?)]))?;
    Ok(all.concat().join(" "))
}

/// Forgets all secrets of an owner, inside a transaction.
pub(super) fn delete_all_in(tx: &Tx, owner: &str) -> Result<()> {
    tx.run("DELETE FROM vault WHERE owner = ?1", [owner]).map(drop)
}

/// The names an owner has secrets under, inside a transaction.
pub(super) fn names_in(tx: &Tx, owner: &str) -> Result<Vec<String>> {
    tx.all("SELECT name FROM vault WHERE owner = ?1 ORDER BY name", [owner], |row| row.get("name"))
}

/// The names stored for each tool, inside a transaction.
pub(super) fn tools_in(tx: &Tx) -> Result<BTreeMap<String, Vec<String>>> {
    let sql = "SELECT substr(owner, 6) AS tool, name FROM vault WHERE owner LIKE 'tool:%' ORDER BY owner, name";
    let mut tools: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (tool, name) in tx.all(sql, (), |row| Ok((row.get::<String>("tool")?, row.get("name")?)))? {
        tools.entry(tool).or_default().push(name);
    }
    Ok(tools)
}

/// Seals a secret into its place.
pub(super) fn insert(tx: &Tx, kek: &Kek, place: (&str, &str), secret: &Secret, now: Time) -> Result<()> {
    let Sealed { kek, wrapped, sealed } = envelope::seal(kek, place, secret)?;
    let sql = "INSERT INTO vault (owner, name, kek, wrapped, sealed, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
         ON CONFLICT (owner, name) DO UPDATE SET kek = excluded.kek, wrapped = excluded.wrapped, \
         sealed = excluded.sealed, updated_at = excluded.updated_at";
    tx.run(sql, (place.0, place.1, kek, wrapped, sealed, now.millis())).map(drop)
}

/// A record as it stands in its row.
pub(super) fn read(row: &Row<'_>) -> Result<Sealed> {
    Ok(Sealed { kek: row.get("kek")?, wrapped: row.get("wrapped")?, sealed: row.get("sealed")? })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests look at the files themselves")]
pub(super) mod tests {
    use base64::{Engine, engine::general_purpose::STANDARD};

    use super::*;
    use crate::{db::Commit, people::Actor};
    use satchel_model::{
        caller::{Caller, Credential, Door, Permissions},
        user::UserId,
    };

    pub(crate) fn now() -> Time {
        Time::from_millis(0)
    }

    pub(crate) struct House {
        pub(crate) dir: tempfile::TempDir,
        pub(crate) db: Db,
    }

    impl House {
        pub(crate) fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
            Self { dir, db }
        }

        pub(crate) async fn open(&self, key: &VaultKey) -> Result<Vault> {
            Vault::open(self.db.clone(), self.dir.path(), key, now()).await
        }

        pub(crate) async fn full(&self, key: &VaultKey) -> Vault {
            let vault = self.open(key).await.unwrap();
            for n in 0..5 {
                vault.put("tool:t", &format!("key{n}"), Secret::new(format!("secret {n}")), now()).await.unwrap();
            }
            vault
        }

        pub(crate) fn file(&self) -> KeyFile {
            KeyFile::in_dir(self.dir.path())
        }
    }

    pub(crate) fn actor() -> Actor {
        let (user, permissions) = (UserId::new(), Permissions::all());
        let (door, credential) = (Door::Cli, Credential::Local);
        Actor {
            caller: Caller {
                user,
                username: "owner".to_owned(),
                permissions,
                door,
                credential,
                personal: true,
                agent: None,
            },
            session: None,
            now: now(),
        }
    }

    pub(crate) async fn assert_full(vault: &Vault) {
        for n in 0..5 {
            let secret = vault.get("tool:t", &format!("key{n}")).await.unwrap().unwrap();
            assert_eq!(secret.expose(), format!("secret {n}"));
        }
    }

    async fn message(house: &House, key: &VaultKey) -> String {
        house.open(key).await.err().expect("the vault opened").message().to_owned()
    }

    #[tokio::test]
    async fn secrets_survive_a_restart_and_are_nowhere_in_the_file() {
        let house = House::new();
        let vault = house.full(&VaultKey::File).await;
        vault.put("tool:t", "key0", Secret::new("secret 0"), now()).await.unwrap();
        assert_full(&house.open(&VaultKey::File).await.unwrap()).await;
        assert_eq!(vault.list("tool:t").await.unwrap(), ["key0", "key1", "key2", "key3", "key4"]);
        assert!(vault.delete("tool:t", "key4").await.unwrap() && !vault.delete("tool:t", "key4").await.unwrap());
        assert!(vault.get("tool:t", "key4").await.unwrap().is_none());
        for entry in std::fs::read_dir(house.dir.path()).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            assert!(!bytes.windows(8).any(|window| window == b"secret 1"));
        }
    }

    #[tokio::test]
    async fn a_record_copied_to_another_place_does_not_open() {
        let house = House::new();
        let vault = house.full(&VaultKey::File).await;
        let swap = "UPDATE vault SET (wrapped, sealed) = (SELECT wrapped, sealed FROM vault WHERE name = 'key1') \
             WHERE name = 'key0'";
        house.db.write(move |tx| tx.run(swap, ())).await.unwrap();
        assert!(vault.get("tool:t", "key0").await.is_err());
        assert_eq!(vault.get("tool:t", "key1").await.unwrap().unwrap().expose(), "secret 1");
    }

    #[tokio::test]
    async fn a_missing_key_file_is_refused_while_secrets_need_it() {
        let house = House::new();
        house.full(&VaultKey::File).await;
        std::fs::remove_file(house.file().path()).unwrap();
        let message = message(&house, &VaultKey::File).await;
        assert!(message.contains("secret.key is missing, but the vault holds 5 secrets"), "{message}");
    }

    #[tokio::test]
    async fn another_key_is_refused_at_start() {
        let house = House::new();
        house.full(&VaultKey::File).await;
        house.file().create(&Kek::fresh()).unwrap();
        let message = message(&house, &VaultKey::File).await;
        assert!(message.contains("sealed with another key"), "{message}");
    }

    #[tokio::test]
    async fn a_key_is_given_as_hex_or_base64() {
        let house = House::new();
        let given = |text: String| VaultKey::Given(Secret::new(text));
        house.full(&given(hex::encode([7; 32]))).await;
        assert_full(&house.open(&given(STANDARD.encode([7; 32]))).await.unwrap()).await;
        assert!(message(&house, &given(hex::encode([8; 32]))).await.contains("another key"));
        assert!(message(&house, &given("abc".to_owned())).await.contains("openssl rand"));
        let vault = house.open(&given(hex::encode([7; 32]))).await.unwrap();
        assert!(vault.rotate(&actor()).await.is_err());
        vault.rotate_to(&actor(), &Secret::new(hex::encode([9; 32]))).await.unwrap();
        assert_full(&vault).await;
        assert_full(&house.open(&given(hex::encode([9; 32]))).await.unwrap()).await;
    }

    #[tokio::test]
    async fn a_passphrase_opens_after_a_restart_and_a_rotation() {
        let house = House::new();
        let phrase = |text: &str| VaultKey::Passphrase(Secret::new(text));
        let vault = house.full(&phrase("open sesame please")).await;
        let before = vault.key_id().await.unwrap();
        assert_full(&house.open(&phrase("open sesame please")).await.unwrap()).await;
        assert!(message(&house, &phrase("open barley please")).await.contains("another key"));
        assert_ne!(vault.rotate(&actor()).await.unwrap().key_id, before);
        assert_full(&house.open(&phrase("open sesame please")).await.unwrap()).await;
    }

    #[tokio::test]
    async fn a_passphrase_is_changed() {
        let house = House::new();
        let phrase = |text: &str| VaultKey::Passphrase(Secret::new(text));
        let vault = house.full(&phrase("open sesame please")).await;
        for (wrong, told) in [("open sesame please", "the one in use"), ("too short", "12 characters")] {
            let refused = vault.rotate_to(&actor(), &Secret::new(wrong)).await.unwrap_err();
            assert!(refused.message().contains(told), "{refused}");
        }
        vault.rotate_to(&actor(), &Secret::new("open barley please")).await.unwrap();
        assert_full(&vault).await;
        // A rotation after it is by the new one.
        vault.rotate(&actor()).await.unwrap();
        assert_full(&house.open(&phrase("open barley please")).await.unwrap()).await;
        assert!(message(&house, &phrase("open sesame please")).await.contains("another key"));
    }
}
