//! The column `author`: who put what everybody reads. Empty for what is from before it was kept.

use rusqlite::Row;

use crate::model::{author::Author, error::Result, user::UserId};

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
    format!("{author}, (SELECT username FROM users WHERE id = {author})")
}

/// Reads the author from this column and the next.
pub(super) fn read(row: &Row<'_>, index: usize) -> Result<Option<Author>> {
    let (author, name) = (row.get::<_, Option<String>>(index)?, row.get::<_, Option<String>>(index + 1)?);
    let Some(author) = author else { return Ok(None) };
    if author == SEVERAL {
        return Ok(Some(Author { user: None, name: "several people".to_owned() }));
    }
    let user: UserId = author.parse()?;
    Ok(Some(Author { user: Some(user), name: name.unwrap_or_else(|| "somebody who is gone".to_owned()) }))
}
