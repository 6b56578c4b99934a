//! Opening a PDF. `hayro-syntax` reads its objects, mends what is torn and unlocks what needs no password.

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf, PdfData};

use super::words::find;
use satchel_model::error::{Error, Result};

/// The end of an object that is a stream.
const END: &[u8] = b"\nendstream\nendobj\n";

/// Opens a file.
///
/// # Errors
///
/// If its pages cannot be found, or cannot be read without a password.
pub(super) fn open(mut bytes: Vec<u8>) -> Result<Pdf> {
    // A file that was cut off within a stream keeps what there is of it: the library passes over a stream without an end.
    bytes.reserve_exact(END.len());
    bytes.extend_from_slice(END);
    let data = PdfData::from(bytes);
    Pdf::new(data.clone()).map_err(|error| {
        Error::invalid(match error {
            LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
                "The PDF is protected by a password. Save it without one and try again."
            }
            LoadPdfError::Decryption(_) => {
                "The PDF is encrypted in a way that is not known here. Save it without encryption."
            }
            // The library does not tell apart what is torn and what is locked besides.
            LoadPdfError::Invalid if find(data.as_ref(), b"/Encrypt").is_some() => {
                "The PDF is protected by a password, or damaged. Save it anew without a password, or fetch it again."
            }
            LoadPdfError::Invalid => {
                "The PDF is damaged or incomplete: its pages cannot be found. Save it anew, or fetch it again."
            }
        })
    })
}
