//! A defect in a reader must cost one document, not the server.

use std::panic::{AssertUnwindSafe, catch_unwind};

use satchel_model::error::{Error, Result};

/// Runs work on a document; a panic in it is a refusal of that document.
pub(super) fn contained<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::invalid("The document is damaged in a way that keeps it from being read. Open and save it anew."))
    })
}
