//! Which vectors belong to the tools' own texts: those of tools that are gone are forgotten.

use std::collections::HashSet;

use super::{sql::Tx, vectors};
use satchel_model::{error::Result, index::ContentHash};

/// Keeps exactly these contents.
pub fn keep(tx: &Tx, hashes: &[ContentHash]) -> Result<()> {
    let wanted: HashSet<&ContentHash> = hashes.iter().collect();
    let known: HashSet<ContentHash> =
        tx.all("SELECT hash FROM tool_texts", (), |row| row.get("hash"))?.into_iter().collect();
    for hash in wanted.iter().filter(|hash| !known.contains(**hash)) {
        tx.run("INSERT INTO tool_texts (hash) VALUES (?1)", [hash])?;
    }
    for hash in known.iter().filter(|hash| !wanted.contains(hash)) {
        tx.run("DELETE FROM tool_texts WHERE hash = ?1", [hash])?;
        vectors::release(tx, hash)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Commit, Db};

    #[tokio::test]
    async fn the_vectors_of_tools_that_are_gone_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let (a, b) = (vectors::hash("a"), vectors::hash("b"));
        db.write(move |tx| {
            vectors::put(tx, "m", &a, &[1.0])?;
            vectors::put(tx, "m", &b, &[1.0])?;
            keep(tx, &[a, b, a])?;
            keep(tx, &[b])?;
            assert_eq!((vectors::get(tx, "m", &a)?, vectors::get(tx, "m", &b)?), (None, Some(vec![1.0])));
            Ok(())
        })
        .await
        .unwrap();
    }
}
