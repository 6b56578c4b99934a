//! How a secret is sealed: AES-256-GCM under a key of its own, which the key-encryption key (KEK) wraps.
//!
//! Both ciphertexts are `nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes)`. Both are bound, as associated data, to what
//! they are (`wrap`, `seal`), to owner and name, and to the KEK's id, each with its length before it.

use aes_gcm::{
    Aes256Gcm, KeyInit,
    aead::{Aead, Payload},
};
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use satchel_model::{
    error::{Error, Result},
    secret::Secret,
};

const NONCE: usize = 12;

/// A key-encryption key; its memory is zeroed on drop.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub(super) struct Kek {
    key: [u8; 32],
    #[zeroize(skip)]
    id: String,
}

impl Kek {
    /// The key of these bytes. Its id tells keys apart and says nothing of them.
    pub(super) fn new(key: [u8; 32]) -> Self {
        let digest = Sha256::new().chain_update(b"satchel key id\0").chain_update(key).finalize();
        Self { key, id: hex::encode(digest.get(..8).unwrap_or_default()) }
    }

    /// A new random key.
    pub(super) fn fresh() -> Self {
        Self::new(rand::random())
    }

    /// Eight bytes as hex.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The key as it stands in its file: 64 hex digits.
    pub(super) fn to_hex(&self) -> Zeroizing<String> {
        Zeroizing::new(hex::encode(self.key))
    }
}

/// A sealed secret, as the database keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sealed {
    /// Id of the KEK.
    pub(super) kek: String,
    /// The record's key, wrapped.
    pub(super) wrapped: Vec<u8>,
    /// The secret.
    pub(super) sealed: Vec<u8>,
}

/// Seals a secret under a new key of its own.
pub(super) fn seal(kek: &Kek, place: (&str, &str), secret: &Secret) -> Result<Sealed> {
    let dek = Zeroizing::new(rand::random::<[u8; 32]>());
    let wrapped = encrypt(&kek.key, &bound("wrap", place, &kek.id), &*dek)?;
    let sealed = encrypt(&dek, &bound("seal", place, &kek.id), secret.expose().as_bytes())?;
    Ok(Sealed { kek: kek.id.clone(), wrapped, sealed })
}

/// Opens a sealed secret. Fails where a byte was changed, or the record was moved to another place.
pub(super) fn open(kek: &Kek, place: (&str, &str), record: &Sealed) -> Result<Secret> {
    let dek = decrypt(&kek.key, &bound("wrap", place, &record.kek), &record.wrapped)?;
    let dek = Zeroizing::new(<[u8; 32]>::try_from(dek.as_slice()).map_err(Error::internal)?);
    let text = decrypt(&dek, &bound("seal", place, &record.kek), &record.sealed)?;
    Ok(Secret::new(std::str::from_utf8(&text).map_err(Error::internal)?))
}

fn bound(what: &str, (owner, name): (&str, &str), kek: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in ["satchel vault 1", what, owner, name, kek] {
        bytes.extend_from_slice(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    bytes
}

fn encrypt(key: &[u8; 32], aad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
    let nonce = rand::random::<[u8; NONCE]>();
    let body = Aes256Gcm::new(key.into()).encrypt(&nonce.into(), Payload { msg: message, aad });
    Ok([&nonce[..], &body.map_err(|_| damaged())?].concat())
}

fn decrypt(key: &[u8; 32], aad: &[u8], message: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let (nonce, body) = message.split_first_chunk::<NONCE>().ok_or_else(damaged)?;
    let text = Aes256Gcm::new(key.into()).decrypt(nonce.into(), Payload { msg: body, aad });
    text.map(Zeroizing::new).map_err(|_| damaged())
}

fn damaged() -> Error {
    Error::conflict("A sealed secret was changed or moved, or its key is not the right one. Enter the secret anew.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLACE: (&str, &str) = ("tool:web_search", "api_key");

    #[test]
    fn a_record_with_any_byte_changed_does_not_open() {
        let kek = Kek::fresh();
        let record = seal(&kek, PLACE, &Secret::new("sesame")).unwrap();
        let spoil = |bytes: &[u8], at: usize| {
            let mut bytes = bytes.to_vec();
            bytes[at] ^= 1;
            bytes
        };
        for at in 0..record.wrapped.len() {
            let spoilt = Sealed { wrapped: spoil(&record.wrapped, at), ..record.clone() };
            assert!(open(&kek, PLACE, &spoilt).is_err(), "wrapped byte {at}");
        }
        for at in 0..record.sealed.len() {
            let spoilt = Sealed { sealed: spoil(&record.sealed, at), ..record.clone() };
            assert!(open(&kek, PLACE, &spoilt).is_err(), "sealed byte {at}");
        }
        for cut in 0..record.sealed.len() {
            let spoilt = Sealed { sealed: record.sealed[..cut].to_vec(), ..record.clone() };
            assert!(open(&kek, PLACE, &spoilt).is_err(), "cut at {cut}");
        }
        assert_eq!(open(&kek, PLACE, &record).unwrap().expose(), "sesame");
    }

    #[test]
    fn a_record_opens_in_its_place_and_under_its_key_only() {
        let kek = Kek::fresh();
        let record = seal(&kek, PLACE, &Secret::new("sesame")).unwrap();
        for place in [("tool:web_search", "api_ke"), ("tool:web_searcha", "pi_key"), ("provider:1", "api_key")] {
            assert!(open(&kek, place, &record).is_err(), "{place:?}");
        }
        assert!(open(&Kek::fresh(), PLACE, &record).is_err());
        let renamed = Sealed { kek: Kek::fresh().id().to_owned(), ..record };
        assert!(open(&kek, PLACE, &renamed).is_err());
    }

    proptest! {
        #[test]
        fn what_is_sealed_opens(text in ".*", owner in ".{0,40}", name in ".{0,40}") {
            let kek = Kek::fresh();
            let record = seal(&kek, (&owner, &name), &Secret::new(text.clone())).unwrap();
            let opened = open(&kek, (&owner, &name), &record).unwrap();
            prop_assert_eq!(opened.expose(), &text);
        }
    }
}
