//! The column `author`: who put what everybody reads. Empty for what is from before it was kept.

use crate::sql::Row;
use satchel_model::{author::Author, error::Result, user::UserId};

/// The value where several people have put a part.
const SEVERAL: &str = "several";

/// SQL of the author of what holds something of both.
pub(super) fn joined(first: &str, second: &str) -> String {
    format!(
        "CASE WHEN coalesce({first}, {second}) = coalesce({second}, {first}) THEN coalesce({first}, {second}) \
             WHEN {first} IS NOT NULL THEN '{SEVERAL}' END"
    )
}

/// SQL of the two columns that [`read`] reads.
pub(super) fn columns(author: &str) -> String {
    format!("{author} AS author, (SELECT username FROM users WHERE id = {author}) AS author_name")
}

/// Reads the author from the columns of [`columns`].
pub(super) fn read(row: &Row<'_>) -> Result<Option<Author>> {
    let (author, name) = (row.get::<Option<String>>("author")?, row.get::<Option<String>>("author_name")?);
    let Some(author) = author else { return Ok(None) };
    if author == SEVERAL {
        return Ok(Some(Author { user: None, name: "several people".to_owned() }));
    }
    let user: UserId = author.parse()?;
    Ok(Some(Author { user: Some(user), name: name.unwrap_or_else(|| "somebody who is gone".to_owned()) }))
}
