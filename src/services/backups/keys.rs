//! The keys and passphrases that open backups, as wished, as set, as given.

use serde_json::json;

use super::service::{Backups, Wish};
use satchel_model::{
    backup::{Backup, SealedTo},
    error::{Error, Result},
    secret::Secret,
};
use satchel_store::{
    backup::{
        log::By,
        seal::{self, Opener, Seal},
    },
    people::Actor,
};

/// The place in the vault of the passphrase of backups.
const PASSPHRASE: (&str, &str) = ("backup", "passphrase");

/// The key or passphrase of a backup that is to be verified, where the server has not got it.
#[derive(Debug, Default)]
pub struct Given {
    /// The text of a key file.
    pub identity: Option<Secret>,
    /// A passphrase.
    pub passphrase: Option<Secret>,
}

impl Backups {
    /// As wished, else as set.
    pub(super) async fn seal(&self, wish: Wish) -> Result<Seal> {
        let settings = self.app.settings.get();
        match (wish.recipient, wish.passphrase) {
            (Some(_), Some(_)) => {
                Err(Error::invalid("A backup is sealed to a recipient or with a passphrase, not both."))
            }
            (Some(recipient), None) => Seal::recipient(&recipient),
            (None, Some(passphrase)) => Seal::passphrase(passphrase),
            (None, None) => match settings.backups.sealed_to {
                SealedTo::OwnKey => Seal::own_key(&self.data),
                SealedTo::Recipient => match &settings.backups.recipient {
                    Some(recipient) => Seal::recipient(recipient),
                    None => {
                        Err(Error::conflict("No recipient is set that backups are sealed to: see Settings, Backup."))
                    }
                },
                SealedTo::Passphrase => match self.passphrase().await? {
                    Some(passphrase) => Seal::passphrase(passphrase),
                    None => {
                        Err(Error::conflict("No passphrase is set that backups are sealed with: see Settings, Backup."))
                    }
                },
            },
        }
    }

    /// Returns the key that opens a backup which is to be verified: as given, else what the server has.
    pub(super) async fn opener(&self, backup: &Backup, given: Given) -> Result<Opener> {
        match (given.identity, given.passphrase, backup.sealed_to) {
            (Some(identity), None, _) => Opener::identities(identity.expose()),
            (None, Some(passphrase), _) => Ok(Opener::Passphrase(passphrase)),
            (Some(_), Some(_), _) => Err(Error::invalid("Give a key or a passphrase, not both.")),
            (None, None, Some(SealedTo::Recipient)) => Err(Error::invalid(
                "The backup is sealed to a recipient whose key Satchel does not have: give it as `identity`.",
            )),
            (None, None, Some(SealedTo::Passphrase)) => match self.passphrase().await? {
                Some(passphrase) => Ok(Opener::Passphrase(passphrase)),
                None => Err(Error::invalid("The backup is sealed with a passphrase: give it as `passphrase`.")),
            },
            (None, None, Some(SealedTo::OwnKey) | None) => Opener::own_key(&self.data),
        }
    }

    /// The key backups are opened with that are sealed to Satchel's own, for who keeps it apart.
    pub async fn own_key(&self, by: &Actor) -> Result<Secret> {
        let text = seal::own_key_text(&self.data)?;
        self.record(&By::Person(Box::new(by.clone())), "backup.fetch_key", json!({}), None).await;
        Ok(text)
    }

    /// Keeps the passphrase backups are sealed with, in the vault.
    pub async fn set_passphrase(&self, by: &Actor, passphrase: Secret) -> Result<()> {
        Seal::passphrase(passphrase.clone())?;
        self.app.stores.vault.put(PASSPHRASE.0, PASSPHRASE.1, passphrase, by.now).await?;
        self.record(&By::Person(Box::new(by.clone())), "backup.set_passphrase", json!({}), None).await;
        Ok(())
    }

    /// Returns whether a passphrase is kept.
    pub async fn has_passphrase(&self) -> Result<bool> {
        Ok(self.passphrase().await?.is_some())
    }

    async fn passphrase(&self) -> Result<Option<Secret>> {
        self.app.stores.vault.get(PASSPHRASE.0, PASSPHRASE.1).await
    }
}
