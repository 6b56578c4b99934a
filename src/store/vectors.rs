//! Vectors by content: a text embedded once with a model is never embedded with it again.
//!
//! A vector is stored as its numbers, 32-bit floats, little-endian. It stays as long as something names its hash.

use sha2::{Digest, Sha256};

use super::sql::Tx;
use satchel_model::{
    error::{Error, Result},
    index::ContentHash,
};

/// Who may hold a content: one query for each noun whose rows have a `hash`.
const HOLDERS: &[&str] = &[
    "SELECT 1 FROM index_entries WHERE hash = ?1",
    "SELECT 1 FROM chunks WHERE hash = ?1",
    "SELECT 1 FROM tool_texts WHERE hash = ?1",
    "SELECT 1 FROM processes WHERE hash = ?1",
    "SELECT 1 FROM skills WHERE hash = ?1",
];

/// The name of the vector of a text.
pub fn hash(text: &str) -> ContentHash {
    Sha256::digest(text.as_bytes()).into()
}

/// The name of a vector that was given as it is.
pub fn hash_of_numbers(vector: &[f32]) -> ContentHash {
    Sha256::digest(bytes(vector)).into()
}

/// Keeps a vector under its content's hash. Fails where the model's other vectors have another length.
pub fn put(tx: &Tx, model: &str, hash: &ContentHash, vector: &[f32]) -> Result<()> {
    let length = u32::try_from(vector.len()).map_err(Error::internal)?;
    let model = model_number(tx, model, length)?;
    let sql = "INSERT INTO vectors (model, hash, vector) VALUES (?1, ?2, ?3)
               ON CONFLICT (model, hash) DO UPDATE SET vector = excluded.vector";
    tx.run(sql, (model, hash, bytes(vector))).map(drop)
}

/// The vector of a content, where it was embedded with this model.
pub fn get(tx: &Tx, model: &str, hash: &ContentHash) -> Result<Option<Vec<f32>>> {
    let sql = "SELECT vector FROM vectors
               WHERE model = (SELECT number FROM vector_models WHERE name = ?1) AND hash = ?2";
    tx.first(sql, (model, hash), |row| row.get("vector").map(floats))
}

/// Those of these contents that are still to be embedded with this model, each once, in order.
pub fn missing(tx: &Tx, model: &str, hashes: &[ContentHash]) -> Result<Vec<ContentHash>> {
    let sql = "SELECT 1 FROM vectors WHERE model = (SELECT number FROM vector_models WHERE name = ?1) AND hash = ?2";
    let mut missing: Vec<ContentHash> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for hash in hashes {
        if seen.insert(hash) && !tx.exists(sql, (model, hash))? {
            missing.push(*hash);
        }
    }
    Ok(missing)
}

/// How many contents were embedded with this model.
pub fn count(tx: &Tx, model: &str) -> Result<i64> {
    let sql = "SELECT count(*) FROM vectors WHERE model = (SELECT number FROM vector_models WHERE name = ?1)";
    tx.one(sql, [model])
}

/// The dimensions of this model's vectors; none where nothing was embedded with it.
pub fn dimensions(tx: &Tx, model: &str) -> Result<Option<u32>> {
    let sql = "SELECT dimensions FROM vector_models WHERE name = ?1";
    tx.first(sql, [model], |row| row.get("dimensions"))
}

/// Forgets a content's vectors, of every model, unless something still names its hash.
/// To be called after the row that named it has changed or gone.
pub fn release(tx: &Tx, hash: &ContentHash) -> Result<()> {
    for holder in HOLDERS {
        if tx.exists(holder, [hash])? {
            return Ok(());
        }
    }
    tx.run("DELETE FROM vectors WHERE hash = ?1", [hash])?;
    Ok(())
}

/// Forgets every vector of a model.
pub fn forget_model(tx: &Tx, model: &str) -> Result<()> {
    tx.run("DELETE FROM vector_models WHERE name = ?1", [model])?;
    Ok(())
}

fn model_number(tx: &Tx, model: &str, dimensions: u32) -> Result<i64> {
    let find = "SELECT number, dimensions FROM vector_models WHERE name = ?1";
    let found: Option<(i64, u32)> = tx.first(find, [model], |row| Ok((row.get("number")?, row.get("dimensions")?)))?;
    match found {
        Some((number, known)) if known == dimensions => Ok(number),
        Some((_, known)) => Err(Error::invalid(format!(
            "The vector has {dimensions} numbers; those of '{model}' have {known}. Give one of {known} numbers."
        ))),
        None => {
            let sql = "INSERT INTO vector_models (name, dimensions) VALUES (?1, ?2) RETURNING number";
            tx.one(sql, (model, dimensions))
        }
    }
}

pub(super) fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub(super) fn floats(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|number| f32::from_le_bytes(*number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Commit, Db};

    #[tokio::test]
    async fn a_vector_is_found_by_its_content_and_model() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        db.write(|tx| {
            put(tx, "m", &hash("a"), &[1.0, -0.5])?;
            put(tx, "m", &hash("a"), &[1.0, 0.25])?;
            assert_eq!(get(tx, "m", &hash("a"))?, Some(vec![1.0, 0.25]));
            assert_eq!(get(tx, "other", &hash("a"))?, None);
            assert_eq!(missing(tx, "m", &[hash("b"), hash("a"), hash("b")])?, [hash("b")]);
            assert_eq!((count(tx, "m")?, count(tx, "other")?), (1, 0));
            assert_eq!((dimensions(tx, "m")?, dimensions(tx, "other")?), (Some(2), None));
            Ok(())
        })
        .await
        .unwrap();
    }

    #[tokio::test]
    async fn a_vector_of_another_length_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        db.write(|tx| put(tx, "m", &hash("a"), &[1.0, 0.0])).await.unwrap();
        let refused = db.write(|tx| put(tx, "m", &hash("b"), &[1.0])).await.unwrap_err();
        assert_eq!(refused.message(), "The vector has 1 numbers; those of 'm' have 2. Give one of 2 numbers.");
    }

    #[tokio::test]
    async fn what_nothing_names_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        db.write(|tx| {
            put(tx, "m", &hash("a"), &[1.0])?;
            put(tx, "n", &hash("a"), &[1.0, 0.0])?;
            release(tx, &hash("a"))?;
            assert_eq!((count(tx, "m")?, count(tx, "n")?), (0, 0));
            put(tx, "m", &hash("a"), &[1.0])?;
            forget_model(tx, "m")?;
            assert_eq!(count(tx, "m")?, 0);
            Ok(())
        })
        .await
        .unwrap();
    }
}
