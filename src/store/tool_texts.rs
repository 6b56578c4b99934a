//! Which vectors belong to the tools' own texts: those of tools that are gone are forgotten.

use std::collections::HashSet;

use rusqlite::Connection;

use super::{rows, vectors};
use crate::model::{error::Result, index::ContentHash};

/// Keeps exactly these contents.
pub fn keep(c: &Connection, hashes: &[ContentHash]) -> Result<()> {
    let wanted: HashSet<&ContentHash> = hashes.iter().collect();
    let known: HashSet<ContentHash> =
        rows::all(c, "SELECT hash FROM tool_texts", (), |row| Ok(row.get(0)?))?.into_iter().collect();
    for hash in wanted.iter().filter(|hash| !known.contains(**hash)) {
        rows::run(c, "INSERT INTO tool_texts (hash) VALUES (?1)", [hash])?;
    }
    for hash in known.iter().filter(|hash| !wanted.contains(hash)) {
        rows::run(c, "DELETE FROM tool_texts WHERE hash = ?1", [hash])?;
        vectors::release(c, hash)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::db::{Commit, Db};

    #[tokio::test]
    async fn the_vectors_of_tools_that_are_gone_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let (a, b) = (vectors::hash("a"), vectors::hash("b"));
        db.write(move |c| {
            vectors::put(c, "m", &a, &[1.0])?;
            vectors::put(c, "m", &b, &[1.0])?;
            keep(c, &[a, b, a])?;
            keep(c, &[b])?;
            assert_eq!((vectors::get(c, "m", &a)?, vectors::get(c, "m", &b)?), (None, Some(vec![1.0])));
            Ok(())
        })
        .await
        .unwrap();
    }
}
