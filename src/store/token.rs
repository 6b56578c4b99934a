//! Random credentials: the text that is handed out once, and the hash that is kept.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use satchel_model::secret::Secret;

/// SHA-256 of a credential. The credential has 256 random bits, so nothing slower is needed.
pub type Hash = [u8; 32];

/// A new credential: `prefix` and 256 random bits in base64url.
pub fn issue(prefix: &str) -> Secret {
    let bits = Zeroizing::new(rand::random::<[u8; 32]>());
    let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(*bits));
    Secret::new(format!("{prefix}{}", *text))
}

/// What is kept of a credential.
pub fn digest(text: &str) -> Hash {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_long_and_never_the_same() {
        let (a, b) = (issue("x_"), issue("x_"));
        assert_ne!(a.expose(), b.expose());
        assert_eq!((a.expose().len(), a.expose().starts_with("x_")), (2 + 43, true));
        assert_ne!(digest(a.expose()), digest(b.expose()));
    }
}
