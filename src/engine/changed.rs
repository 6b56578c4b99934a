//! The refusal of a call that has changed since a person was asked about it.

use satchel_model::error::Error;

/// The words for it.
pub(super) const CHANGED: &str = "It has changed since you were asked, and nothing was run.";

/// The refusal of a call that was approved as something else.
pub(super) fn refusal() -> Error {
    Error::conflict(CHANGED)
}
