//! What is said of a call that is no longer what a person was asked about.

use crate::model::error::Error;

/// The words for it.
pub(super) const CHANGED: &str = "It has changed since you were asked, and nothing was run.";

/// The refusal of a call that was approved as something else.
pub(super) fn refusal() -> Error {
    Error::conflict(CHANGED)
}
