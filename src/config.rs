//! How the process was started: flag, then environment, then `satchel.toml` in the data directory, then default.

use std::{net::SocketAddr, path::PathBuf};

use crate::model::{
    error::{Error, Result},
    secret::Secret,
};

/// Read once, in `boot`.
#[derive(Debug, Clone)]
pub struct Config {
    /// The data directory.
    pub data: PathBuf,
    /// Where HTTP is served; port 0 picks a free one.
    pub listen: SocketAddr,
    /// A reverse proxy ends TLS before us.
    pub behind_proxy: bool,
    /// Creates the owner on first start.
    pub owner: Option<Owner>,
    /// A model by environment.
    pub model: Option<ModelChoice>,
    /// Where the vault's key comes from, if not from its file.
    pub vault_key: VaultKey,
    /// Commit each write by itself: what group commit is measured against.
    pub commit_each: bool,
}

/// The owner of an unattended start.
#[derive(Debug, Clone)]
pub struct Owner {
    /// Sign-in name.
    pub name: String,
    /// Password.
    pub password: Secret,
}

/// A model by environment: `SATCHEL_MODEL`, `SATCHEL_MODEL_URL`, `SATCHEL_MODEL_KEY`.
#[derive(Debug, Clone)]
pub struct ModelChoice {
    /// `openai`, `anthropic` or `ollama`.
    pub kind: String,
    /// The model's name at the provider.
    pub model: String,
    /// The provider's address, where it is not the public one.
    pub url: Option<String>,
    /// The provider's key.
    pub key: Option<Secret>,
}

/// Where the vault's key-encryption key comes from.
#[derive(Debug, Clone, Default)]
pub enum VaultKey {
    /// `secret.key` in the data directory, made at first start.
    #[default]
    File,
    /// 32 bytes as hex or base64, from the environment.
    Given(Secret),
    /// Derived from a passphrase with Argon2id.
    Passphrase(Secret),
}

impl ModelChoice {
    /// Reads `openai:<model>`, `anthropic:<model>` or `ollama:<model>`.
    pub fn parse(text: &str, url: Option<String>, key: Option<Secret>) -> Result<Self> {
        let wrong = || {
            Error::invalid(format!(
                "SATCHEL_MODEL is '{text}': write openai:<model>, anthropic:<model> or ollama:<model>."
            ))
        };
        let (kind, model) = text.split_once(':').ok_or_else(wrong)?;
        if !["openai", "anthropic", "ollama"].contains(&kind) || model.is_empty() {
            return Err(wrong());
        }
        Ok(Self { kind: kind.to_owned(), model: model.to_owned(), url, key })
    }
}
