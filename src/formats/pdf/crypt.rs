//! Encrypted files: those that open without a password are read, others refused.

use lopdf::{Dictionary, Document, EncryptionState, Object, encryption::PasswordAlgorithm};

use satchel_model::error::{Error, Result};

/// The key of a file whose password is empty.
pub(super) fn unlock(encrypt: &Object, trailer: &Dictionary) -> Result<Option<EncryptionState>> {
    let Ok(encrypt) = encrypt.as_dict() else { return Ok(None) };
    let mut document = Document::new();
    document.trailer = trailer.clone();
    document.trailer.set("Encrypt", Object::Reference((1, 0)));
    document.objects.insert((1, 0), Object::Dictionary(encrypt.clone()));
    let open = PasswordAlgorithm::try_from(&document)
        .is_ok_and(|algorithm| algorithm.authenticate_user_password(&document, "").is_ok());
    if !open {
        return Err(Error::invalid("The PDF is protected by a password. Save it without one and try again."));
    }
    EncryptionState::decode(&document, "").map(Some).map_err(|e| {
        Error::invalid("The PDF is encrypted in a way that is not known here. Save it without encryption.").caused_by(e)
    })
}
