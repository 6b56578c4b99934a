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

/// SQL of the origin of what holds content of both, as [`Origin::joined`].
pub(super) fn joined(first: &str, second: &str) -> String {
    format!(
        "CASE WHEN {first} IS NULL OR {second} IS NULL
                OR {first} ->> 'program_of' IS NOT DISTINCT FROM {second} ->> 'program_of'
              THEN coalesce({first}, {second})
              WHEN {first} ->> 'program_of' IS NOT NULL AND {second} ->> 'program_of' IS NULL THEN {second}
              ELSE json_remove({first}, '$.program_of') END"
    )
}

/// SQL of the origin of all rows of a group, whose origins stand in this column.
pub(super) fn of_group(column: &str) -> String {
    format!(
        "coalesce(max({column}) FILTER (WHERE {column} ->> 'program_of' IS NULL),
                  CASE WHEN count(DISTINCT {column} ->> 'program_of') > 1 THEN json_remove(max({column}), '$.program_of')
                       ELSE max({column}) END)"
    )
}
