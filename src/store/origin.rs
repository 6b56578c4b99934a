//! The column `origin`: the origin of what is kept, as JSON.

use rusqlite::{Row, RowIndex};
use serde_json::json;

use crate::model::{
    error::{Error, Result},
    origin::Origin,
};

/// Reads the origin of a row; `None` if nothing of it came from outside, or somebody has vouched for it.
pub(super) fn read(row: &Row<'_>, index: impl RowIndex) -> Result<Option<Origin>> {
    let text: Option<String> = row.get(index)?;
    text.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)
}

/// Writes an origin as it stands in a row.
pub(super) fn text(origin: &Option<Origin>) -> Option<String> {
    origin.as_ref().map(|origin| json!({"source": origin.source, "at": origin.at}).to_string())
}
