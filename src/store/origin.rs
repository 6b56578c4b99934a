//! The column `origin`: where what is kept came from, as JSON.

use rusqlite::{Row, RowIndex};
use serde_json::json;

use crate::model::{
    error::{Error, Result},
    origin::Origin,
};

/// What a row says of its origin; `None` if nothing of it came from outside, or somebody has vouched for it.
pub(super) fn read(row: &Row<'_>, index: impl RowIndex) -> Result<Option<Origin>> {
    let text: Option<String> = row.get(index)?;
    text.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)
}

/// The same as it stands in a row.
pub(super) fn text(origin: &Option<Origin>) -> Option<String> {
    origin.as_ref().map(|origin| json!({"source": origin.source, "at": origin.at}).to_string())
}
