//! The column `origin`: the origin of what is kept, as JSON.

use super::sql::Row;
use satchel_model::{error::Result, origin::Origin};

/// Reads the origin of a row; `None` if nothing of it came from outside, or somebody has vouched for it.
pub(super) fn read(row: &Row<'_>) -> Result<Option<Origin>> {
    row.optional_json("origin")
}

/// Writes an origin as it stands in a row.
pub(super) fn text(origin: &Option<Origin>) -> Option<String> {
    origin.as_ref().and_then(|origin| serde_json::to_string(origin).ok())
}
