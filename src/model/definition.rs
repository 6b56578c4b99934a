//! The digest of what a tool does when it is called: a person's yes is bound to it.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A digest of everything that decides what a call does beside its arguments. Two calls with the same one do the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Definition(String);

impl Definition {
    /// The digest of these parts, in this order: SHA-256 in hex, each part after its length in bytes.
    pub fn from_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            // Without the length, "ab", "c" and "a", "bc" would be the same.
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part.as_bytes());
        }
        Self(hex::encode(digest.finalize()))
    }

    /// The digest of a content.
    pub fn from_content(content: &[u8]) -> Self {
        Self(hex::encode(Sha256::digest(content)))
    }

    /// The digest in hex.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_together_in_another_way_is_another_definition() {
        let one = Definition::from_parts(["ab", "c"]);
        assert_eq!(one, Definition::from_parts(["ab", "c"]));
        for other in [vec!["a", "bc"], vec!["c", "ab"], vec!["ab", "c", ""], vec!["abc"]] {
            assert_ne!(one, Definition::from_parts(other));
        }
    }
}
