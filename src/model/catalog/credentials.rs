//! The credentials a system is called with: the kind of credential, and its secrets for as long as one call takes.

use std::collections::BTreeMap;

use super::auth::Auth;
use crate::{
    error::{Error, Kind, Result},
    secret::Secret,
};

/// The credentials of one system, decrypted.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// The kind and its open parts.
    pub auth: Auth,
    system: String,
    secrets: BTreeMap<String, Secret>,
}

impl Credentials {
    /// The credentials of the system with this name.
    pub fn new(system: &str, auth: Auth, secrets: BTreeMap<String, Secret>) -> Self {
        Self { auth, system: system.to_owned(), secrets }
    }

    /// Returns one secret.
    ///
    /// # Errors
    ///
    /// If it was never given, or was given for another address, with what to do.
    pub fn require(&self, name: &str) -> Result<&Secret> {
        self.get(name).ok_or_else(|| {
            let told = format!(
                "The system '{}' has no {name} for its present address: an administrator enters it in the console, \
                 under Catalog, Credentials.",
                self.system
            );
            Error::new(Kind::Unconfigured, told)
        })
    }

    /// One secret, where it was given.
    pub fn get(&self, name: &str) -> Option<&Secret> {
        self.secrets.get(name)
    }

    /// All of them, to keep them out of what is shown.
    pub fn secrets(&self) -> impl Iterator<Item = &Secret> {
        self.secrets.values()
    }
}
