//! Passwords: which are good enough, and how they are hashed (Argon2id, two at a time).

use std::{sync::Arc, time::Duration};

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
    time::timeout,
};

use satchel_model::{
    error::{Error, Kind, Result},
    secret::Secret,
};

/// Fewest characters of a password.
pub const SHORTEST: usize = 10;
/// Most characters of a password; hashing longer ones only costs time.
pub const LONGEST: usize = 1024;
/// Hashes computed at once: each takes a core and 19 MiB for some 20 ms.
const AT_ONCE: usize = 2;
/// The longest a hash may wait for its turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// The hash nobody's password has: checked where there is no such user, so that the answer takes the same time.
const DECOY: &str = "$argon2id$v=19$m=19456,t=2,p=1$c2F0Y2hlbC1kZWNveS0wMQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A password that meets the rules.
#[derive(Debug, Clone)]
pub struct Password(Secret);

impl Password {
    /// Fails with the rule that `text` breaks as a new password of `username`.
    pub fn choose(text: Secret, username: &str) -> Result<Self> {
        let length = text.expose().chars().count();
        if length < SHORTEST {
            return Err(Error::invalid(format!(
                "The password is too short: it has {length} characters, {SHORTEST} are the least."
            )));
        }
        if length > LONGEST {
            return Err(Error::invalid(format!("The password is too long: {LONGEST} characters are the most.")));
        }
        if text.expose().to_lowercase() == username.to_lowercase() {
            return Err(Error::invalid("The password is the user name. Choose another."));
        }
        Ok(Self(text))
    }
}

/// Computes hashes, a few at a time, away from the threads that answer requests.
pub(super) struct Hasher(Arc<Semaphore>);

impl Hasher {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }

    /// The hash to keep, in PHC form.
    pub(super) async fn hash(&self, password: Password) -> Result<String> {
        let turn = self.turn().await?;
        spawn_blocking(move || {
            let hash = argon2()?.hash_password(password.0.expose().as_bytes()).map_err(Error::internal)?.to_string();
            drop(turn);
            Ok(hash)
        })
        .await
        .map_err(Error::internal)?
    }

    /// Whether `typed` is the password of `kept`; never where there is none, and not sooner.
    pub(super) async fn verify(&self, typed: Secret, kept: Option<String>) -> Result<bool> {
        let turn = self.turn().await?;
        spawn_blocking(move || {
            let known = PasswordHash::new(kept.as_deref().unwrap_or(DECOY)).map_err(Error::internal)?;
            let same = argon2()?.verify_password(typed.expose().as_bytes(), &known).is_ok();
            drop(turn);
            Ok(same && kept.is_some())
        })
        .await
        .map_err(Error::internal)?
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit> {
        match timeout(PATIENCE, Arc::clone(&self.0).acquire_owned()).await {
            Ok(turn) => turn.map_err(Error::internal),
            Err(_) => Err(busy()),
        }
    }
}

/// The error of a sign-in whose turn did not come.
pub(super) fn busy() -> Error {
    Error::new(Kind::Exhausted, "Too many people are signing in. Try again in a few seconds.")
}

/// OWASP's first choice for Argon2id: 19 MiB, two passes, one lane.
fn argon2() -> Result<Argon2<'static>> {
    let params = Params::new(19_456, 2, 1, None).map_err(Error::internal)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(text: &str) -> Result<Password> {
        Password::choose(Secret::new(text), "Margaret.Hamilton")
    }

    #[test]
    fn short_long_and_telling_passwords_are_refused() {
        assert!(choose("123456789").unwrap_err().message().contains("9 characters"));
        assert!(choose("äöüäöüäöüä").is_ok());
        assert!(choose(&"x".repeat(1025)).unwrap_err().message().contains("1024 characters"));
        assert!(choose(&"ä".repeat(1024)).is_ok());
        assert!(choose("margaret.hamilton").unwrap_err().message().contains("user name"));
    }

    #[tokio::test]
    async fn only_the_right_password_verifies() {
        let hasher = Hasher::new();
        let hash = hasher.hash(choose("correct horse").unwrap()).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(hasher.verify(Secret::new("correct horse"), Some(hash.clone())).await.unwrap());
        assert!(!hasher.verify(Secret::new("correct hors"), Some(hash)).await.unwrap());
        assert!(!hasher.verify(Secret::new("correct horse"), None).await.unwrap());
    }

    #[test]
    fn the_decoy_costs_what_a_real_hash_costs() {
        let decoy = PasswordHash::new(DECOY).unwrap();
        assert_eq!(decoy.params.to_string(), "m=19456,t=2,p=1");
        assert_eq!((decoy.salt.unwrap().len(), decoy.hash.unwrap().len()), (16, 32));
    }
}
