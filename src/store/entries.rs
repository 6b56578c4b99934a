//! What people and agents put into the index themselves: a text, a vector, or both, under a name of their own.
//!
//! The entries are everybody's who may read the index: the platform keeps one such index, not one a person.

use std::collections::{BTreeMap, HashSet};

use super::{
    author, origin, outbox,
    sql::{Row, Tx},
    vectors,
};
use satchel_model::{
    author::Author,
    error::{Error, Result},
    index::{ContentHash, Entry, Scalar, Space},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// What is put under a name. What is left out stays as it was.
#[derive(Debug, Clone, Default)]
pub struct Put {
    /// Unique among entries.
    pub name: String,
    /// What it says.
    pub text: Option<String>,
    /// Its vector and the model it is of; made from the text unless `given`.
    pub vector: Option<(String, Vec<f32>)>,
    /// The vector was given, not made from the text.
    pub given: bool,
    /// Facts to filter by.
    pub metadata: Option<BTreeMap<String, Scalar>>,
    /// The origin of content from outside that was near when it was put.
    pub origin: Option<Origin>,
}

/// An entry as it was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its number.
    pub id: i64,
    /// Unique among entries.
    pub name: String,
    /// What it says, where it says something.
    pub text: Option<String>,
    /// Facts to filter by.
    pub metadata: BTreeMap<String, Scalar>,
    /// The origin of content from outside that was near when it, or a part of it, was put.
    pub origin: Option<Origin>,
    /// The person who put it, and all that was under its name before.
    pub author: Option<Author>,
}

/// Puts a text, a vector or both under a name.
pub fn put(tx: &Tx, put: &Put, by: Option<UserId>, now: Time) -> Result<()> {
    let before = by_name(tx, &put.name)?;
    let hash = match (&put.vector, put.given, &put.text) {
        (Some((_, vector)), true, _) => Some(vectors::hash_of_numbers(vector)),
        (_, _, Some(text)) => Some(vectors::hash(text)),
        _ => before.as_ref().and_then(|row| row.hash),
    };
    if let (Some((model, vector)), Some(hash)) = (&put.vector, &hash) {
        vectors::put(tx, model, hash, vector)?;
    }
    let id = write(tx, put, before.as_ref().map(|row| &row.kept), hash, by, now)?;
    if let Some(old) = before.and_then(|row| row.hash).filter(|old| Some(*old) != hash) {
        vectors::release(tx, &old)?;
    }
    outbox::changed(tx, Space::Entries, id)
}

#[expect(clippy::too_many_arguments, reason = "the columns of one row")]
fn write(
    tx: &Tx,
    put: &Put,
    before: Option<&Kept>,
    hash: Option<ContentHash>,
    by: Option<UserId>,
    now: Time,
) -> Result<i64> {
    let nothing = BTreeMap::new();
    let metadata = put.metadata.as_ref().or(before.map(|kept| &kept.metadata)).unwrap_or(&nothing);
    let json = serde_json::to_string(metadata).map_err(Error::internal)?;
    let origin = Origin::joined(before.and_then(|kept| kept.origin.clone()), put.origin.clone());
    let author = author::joined("index_entries.author", "excluded.author");
    let sql = format!(
        "INSERT INTO index_entries (name, text, hash, given, metadata, put_by, created_at, updated_at, origin, author)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?6)
         ON CONFLICT (name) DO UPDATE SET text = coalesce(excluded.text, index_entries.text), hash = excluded.hash,
           given = excluded.given, metadata = excluded.metadata, put_by = excluded.put_by, updated_at = excluded.updated_at,
           origin = excluded.origin, author = {author}
         RETURNING id",
    );
    let (by, origin) = (by.map(|by| by.to_string()), origin::text(&origin));
    let row = (&put.name, &put.text, hash, put.given, json, by, now.millis(), origin);
    let id: i64 = tx.one(&sql, row)?;
    tx.run("DELETE FROM index_metadata WHERE entry = ?1", [id])?;
    let sql = "INSERT INTO index_metadata (entry, key, value) VALUES (?1, ?2, ?3)";
    tx.many(sql, metadata.iter().map(|(key, value)| (id, key, value.as_text())))?;
    Ok(id)
}

/// Removes what stands under a name; whether there was something.
pub fn remove(tx: &Tx, name: &str) -> Result<bool> {
    let Some(row) = by_name(tx, name)? else { return Ok(false) };
    tx.run("DELETE FROM index_entries WHERE id = ?1", [row.kept.id])?;
    if let Some(hash) = row.hash {
        vectors::release(tx, &hash)?;
    }
    outbox::changed(tx, Space::Entries, row.kept.id)?;
    Ok(true)
}

/// The entry with this number, as it was put.
pub fn kept(tx: &Tx, id: i64) -> Result<Option<Kept>> {
    Ok(tx.first(&select("WHERE id = ?1"), [id], read)?.map(|row| row.kept))
}

/// The entries that have all of this metadata.
pub fn having(tx: &Tx, metadata: &BTreeMap<String, Scalar>) -> Result<HashSet<i64>> {
    let mut all: Option<HashSet<i64>> = None;
    let sql = "SELECT entry FROM index_metadata WHERE key = ?1 AND value = ?2";
    for (key, value) in metadata {
        let these = tx.all(sql, (key, value.as_text()), |row| row.get("entry"))?;
        let these: HashSet<i64> = these.into_iter().collect();
        all = Some(match all {
            Some(before) => before.intersection(&these).copied().collect(),
            None => these,
        });
    }
    Ok(all.unwrap_or_default())
}

/// The next `n` texts after a number that have no vector of a model, each with its number and its vector's name.
/// Vectors that were given are not made from a text, and stay of the model they were given for.
pub fn unembedded(tx: &Tx, model: &str, after: i64, n: u32) -> Result<Vec<(i64, ContentHash, String)>> {
    let sql = "SELECT e.id, e.hash, e.text FROM index_entries e
               WHERE e.id > ?2 AND NOT e.given AND e.hash IS NOT NULL AND e.text IS NOT NULL AND NOT EXISTS (
                 SELECT 1 FROM vectors v JOIN vector_models m ON m.number = v.model WHERE m.name = ?1 AND v.hash = e.hash)
               ORDER BY e.id LIMIT ?3";
    tx.all(sql, (model, after, n), |row| Ok((row.get("id")?, row.get("hash")?, row.get("text")?)))
}

/// The entry with this number, as the indexes see it.
pub fn entry(tx: &Tx, id: i64) -> Result<Option<Entry>> {
    tx.first(&select("WHERE id = ?1"), [id], |row| Ok(indexed(read(row)?)))
}

/// The next `n` entries after a number, as the indexes see them.
pub fn entries_after(tx: &Tx, after: i64, n: u32) -> Result<Vec<Entry>> {
    let sql = select("WHERE id > ?1 ORDER BY id LIMIT ?2");
    tx.all(&sql, (after, n), |row| Ok(indexed(read(row)?)))
}

fn indexed(row: EntryRow) -> Entry {
    Entry { id: row.kept.id, title: String::new(), text: row.kept.text.unwrap_or_default(), hash: row.hash, tag: 0 }
}

struct EntryRow {
    kept: Kept,
    hash: Option<ContentHash>,
}

fn by_name(tx: &Tx, name: &str) -> Result<Option<EntryRow>> {
    tx.first(&select("WHERE name = ?1"), [name], read)
}

fn select(condition: &str) -> String {
    let author = author::columns("author");
    format!("SELECT {author}, id, name, text, metadata, origin, hash FROM index_entries {condition}")
}

fn read(row: &Row<'_>) -> Result<EntryRow> {
    let metadata: String = row.get("metadata")?;
    Ok(EntryRow {
        kept: Kept {
            id: row.get("id")?,
            name: row.get("name")?,
            text: row.get("text")?,
            metadata: serde_json::from_str(&metadata).map_err(Error::internal)?,
            origin: origin::read(row)?,
            author: author::read(row)?,
        },
        hash: row.get("hash")?,
    })
}
