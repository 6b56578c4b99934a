//! Changing the vault's key: every record is sealed anew in one transaction, and a crash at any point leaves a key
//! file that fits the database, or one that the next start makes fit.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde::Serialize;
use serde_json::json;

use super::{
    envelope::Kek,
    key_file::KeyFile,
    people::Actor,
    vault::{self, Source, Vault},
    vault_key,
};
use satchel_model::{
    error::{Error, Result},
    secret::Secret,
};

/// What a rotation did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Rotated {
    /// Records sealed anew.
    pub records: usize,
    /// Id of the new key.
    pub key_id: String,
}

/// The key in use, for whoever thinks of changing it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct KeyFacts {
    /// Its id.
    pub key_id: String,
    /// Secrets that are sealed with it.
    pub records: i64,
    /// Where it lies, as a sentence.
    pub lies: String,
    /// The fate of it and of older backups where it is changed, as sentences.
    pub change: &'static str,
    /// Whether Satchel can choose a new one by itself.
    pub own: bool,
}

/// The right to rotate, held by one at a time.
struct Turn(Arc<AtomicBool>);

impl Turn {
    fn take(flag: &Arc<AtomicBool>) -> Option<Self> {
        let free = flag.compare_exchange(false, true, Ordering::AcqRel, Ordering::Acquire).is_ok();
        free.then(|| Self(Arc::clone(flag)))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Vault {
    /// The facts to be known of the key before it is changed.
    pub async fn key_facts(&self) -> Result<KeyFacts> {
        let (lies, change, own) = match &*self.source {
            Source::File(file) => (
                format!("The key lies in {}.", file.path().display()),
                "A new key takes its place there, and the old one is gone. A backup made before opens as it did, with its own \
                 key; only the secrets in it need the vault's key of that time. If one was made without it, copy the key \
                 file to a safe place first.",
                true,
            ),
            Source::Passphrase(_) => (
                "The key is made of the passphrase in SATCHEL_VAULT_PASSPHRASE and lies nowhere.".to_owned(),
                "A backup made before opens as it did, with its own key; only the secrets in it need the vault's passphrase \
                 of that time. Keep that one as long as the backup.",
                true,
            ),
            Source::Given => (
                "The key comes from SATCHEL_VAULT_KEY, and Satchel keeps it nowhere.".to_owned(),
                "From then on Satchel starts with the new key alone. A backup made before opens as it did, with its own key; \
                 only the secrets in it need the vault's key of that time. Keep that one as long as the backup.",
                false,
            ),
        };
        let key_id = self.key_id().await?;
        let records = self.db.read(|tx| tx.one::<i64>("SELECT count(*) FROM vault", ()));
        // The record that proves the key is no secret of anybody's.
        Ok(KeyFacts { key_id, records: (records.await? - 1).max(0), lies, change, own })
    }

    /// Seals every record anew under a new key, in one transaction. A crash at any point leaves either the old key
    /// with the old records or the new one with the new.
    pub async fn rotate(&self, by: &Actor) -> Result<Rotated> {
        match &*self.source {
            Source::Given => Err(Error::conflict(
                "The vault's key comes from SATCHEL_VAULT_KEY, so Satchel cannot choose a new one: nothing was changed. \
                 Make one with `openssl rand -hex 32`, put it into SATCHEL_VAULT_NEW_KEY, and run `satchel vault rotate` \
                 again.",
            )),
            Source::Passphrase(text) => {
                let text = text.read().clone();
                self.reseal_by(by, &text).await
            }
            Source::File(_) => {
                let (vault, by) = (self.clone(), by.clone());
                // A task of its own: whoever asked may go away between the steps.
                tokio::spawn(async move { vault.rotate_file(&by).await }).await.map_err(Error::internal)?
            }
        }
    }

    async fn rotate_file(&self, by: &Actor) -> Result<Rotated> {
        let Source::File(file) = &*self.source else { return Err(Error::internal("the vault has no key file")) };
        let Some(_turn) = Turn::take(&self.rotating) else {
            return Err(Error::conflict("The vault's key is being changed right now. Try again in a moment."));
        };
        self.settle(file).await?;
        let kek = Kek::fresh();
        file.stage(&kek)?;
        let done = self.reseal(by, kek, None).await;
        self.settle(file).await?;
        done
    }

    /// Brings the key file to what the database says, whatever an earlier rotation left.
    async fn settle(&self, file: &KeyFile) -> Result<()> {
        let in_use = self.key_id().await?;
        match file.read_next()? {
            Some(next) if next.id() == in_use => file.promote(),
            _ => file.discard(),
        }
    }

    /// Seals every record anew under a key, or the key of a passphrase, given from outside as the one in use is.
    pub async fn rotate_to(&self, by: &Actor, key: &Secret) -> Result<Rotated> {
        match &*self.source {
            Source::Given => {
                let kek = vault_key::parse(key)?;
                if self.key_id().await? == kek.id() {
                    return Err(Error::conflict("The new key is the one in use: nothing was changed."));
                }
                self.reseal(by, kek, None).await
            }
            Source::File(_) => Err(Error::conflict(
                "The vault's key is Satchel's own: rotate without SATCHEL_VAULT_NEW_KEY. Nothing was changed.",
            )),
            Source::Passphrase(text) => {
                if text.read().expose() == key.expose() {
                    return Err(Error::conflict(
                        "The new passphrase is the one in use: rotate without SATCHEL_VAULT_NEW_KEY to seal everything \
                         under a new key of it. Nothing was changed.",
                    ));
                }
                let rotated = self.reseal_by(by, key).await?;
                *text.write() = key.clone();
                Ok(rotated)
            }
        }
    }

    async fn reseal_by(&self, by: &Actor, passphrase: &Secret) -> Result<Rotated> {
        let salt = rand::random::<[u8; 16]>().to_vec();
        let kek = vault_key::derive(passphrase, &salt)?;
        self.reseal(by, kek, Some(salt)).await
    }

    async fn reseal(&self, by: &Actor, kek: Kek, salt: Option<Vec<u8>>) -> Result<Rotated> {
        // Both keys are at hand until the next start: who reads an older snapshot still opens what they find.
        self.ring.write().push(kek.clone());
        let (vault, by) = (self.clone(), by.clone());
        self.db
            .write(move |tx| {
                if let Some(salt) = salt {
                    vault_key::write_salt(tx, &salt, by.now)?;
                }
                let places = tx.all("SELECT owner, name FROM vault", (), |row| {
                    Ok((row.get::<String>("owner")?, row.get::<String>("name")?))
                })?;
                for (owner, name) in &places {
                    let place = (owner.as_str(), name.as_str());
                    if let Some(secret) = vault.get_in(tx, place)? {
                        vault::insert(tx, &kek, place, &secret, by.now)?;
                    }
                }
                let records = places.len().saturating_sub(1);
                by.record(tx, "vault.rotate", json!({"records": records, "key_id": kek.id()}))?;
                Ok(Rotated { records, key_id: kek.id().to_owned() })
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::{super::vault::tests::*, *};
    use satchel_config::VaultKey;

    #[tokio::test]
    async fn a_rotation_seals_everything_anew() {
        let house = House::new();
        let vault = house.full(&VaultKey::File).await;
        let before = vault.key_id().await.unwrap();
        let rotated = vault.rotate(&actor()).await.unwrap();
        assert_eq!(rotated, Rotated { records: 5, key_id: vault.key_id().await.unwrap() });
        assert_ne!(rotated.key_id, before);
        let of_old: i64 =
            house.db.read(move |tx| tx.one("SELECT count(*) FROM vault WHERE kek = ?1", [before])).await.unwrap();
        assert_eq!(of_old, 0);
        assert_full(&vault).await;
        assert_full(&house.open(&VaultKey::File).await.unwrap()).await;
        assert!(house.file().read_next().unwrap().is_none());
    }

    #[tokio::test]
    async fn a_rotation_cut_before_its_commit_never_happened() {
        let house = House::new();
        let before = house.full(&VaultKey::File).await.key_id().await.unwrap();
        house.file().stage(&Kek::fresh()).unwrap();
        let vault = house.open(&VaultKey::File).await.unwrap();
        assert_full(&vault).await;
        assert_eq!(vault.key_id().await.unwrap(), before);
        assert!(house.file().read_next().unwrap().is_none());
    }

    #[tokio::test]
    async fn a_rotation_cut_after_its_commit_is_ended_at_the_next_start_and_by_the_next_rotation() {
        let house = House::new();
        let vault = house.full(&VaultKey::File).await;
        for restart in [true, false] {
            let kek = Kek::fresh();
            house.file().stage(&kek).unwrap();
            vault.reseal(&actor(), kek.clone(), None).await.unwrap();
            if restart {
                assert_full(&house.open(&VaultKey::File).await.unwrap()).await;
            } else {
                vault.rotate(&actor()).await.unwrap();
            }
            assert_full(&house.open(&VaultKey::File).await.unwrap()).await;
            assert_eq!(house.file().read().unwrap().unwrap().id(), house_key(&house).await);
        }
    }

    async fn house_key(house: &House) -> String {
        house.open(&VaultKey::File).await.unwrap().key_id().await.unwrap()
    }

    #[tokio::test]
    async fn a_failed_rotation_changes_nothing() {
        let house = House::new();
        let vault = house.full(&VaultKey::File).await;
        let before = vault.key_id().await.unwrap();
        let spoil = "UPDATE vault SET sealed = zeroblob(40) WHERE name = 'key3'";
        house.db.write(move |tx| tx.run(spoil, ())).await.unwrap();
        assert!(vault.rotate(&actor()).await.is_err());
        assert_eq!(house.open(&VaultKey::File).await.unwrap().key_id().await.unwrap(), before);
        assert_eq!(vault.get("tool:t", "key0").await.unwrap().unwrap().expose(), "secret 0");
    }

    #[tokio::test]
    async fn writes_beside_a_rotation_all_open_afterwards() {
        let house = House::new();
        let vault = house.full(&VaultKey::File).await;
        let put = |n: usize| {
            let vault = vault.clone();
            async move { vault.put("tool:u", &n.to_string(), Secret::new(n.to_string()), now()).await.unwrap() }
        };
        let by = actor();
        let (rotated, _) = tokio::join!(vault.rotate(&by), futures_util::future::join_all((0..40).map(put)));
        rotated.unwrap();
        let reopened = house.open(&VaultKey::File).await.unwrap();
        for n in 0..40 {
            assert_eq!(reopened.get("tool:u", &n.to_string()).await.unwrap().unwrap().expose(), n.to_string());
        }
    }
}
