//! The passages of documents, and the text they stand in. Chunks of a document's own version are found; those of the
//! next version are being made and become the found ones all at once.

use super::{
    outbox,
    sql::{Row, Tx, params},
    vectors,
};
use satchel_model::{
    error::{Error, Result},
    index::{ContentHash, Entry, Space},
    knowledge::{Chunk, ChunkId, NewChunk, embedded},
};

/// A chunk is live where it is of the version its document has now.
const LIVE: &str = "FROM chunks c JOIN documents d ON d.number = c.document AND d.version = c.version";

/// A chunk as the indexes know it; none where it is not found any more, or not yet.
pub fn entry(tx: &Tx, id: ChunkId) -> Result<Option<Entry>> {
    tx.first(&format!("SELECT {ENTRY} {LIVE} WHERE c.id = ?1"), [id], read_entry)
}

/// The next `n` chunks with an id above `after`, by id: what an index is rebuilt from.
pub fn entries_after(tx: &Tx, after: ChunkId, n: u32) -> Result<Vec<Entry>> {
    tx.all(&format!("SELECT {ENTRY} {LIVE} WHERE c.id > ?1 ORDER BY c.id LIMIT ?2"), (after, n), read_entry)
}

const ENTRY: &str = "c.id, d.title, c.heading, c.context, c.text, c.hash, d.collection";

fn read_entry(row: &Row<'_>) -> Result<Entry> {
    let (title, heading, context, text): (String, String, String, String) =
        (row.get("title")?, row.get("heading")?, row.get("context")?, row.get("text")?);
    Ok(Entry {
        id: row.get("id")?,
        title: if heading.is_empty() { title } else { format!("{title} › {heading}") },
        text: if context.is_empty() { text } else { format!("{context}\n{text}") },
        hash: Some(row.get("hash")?),
        tag: row.get("collection")?,
    })
}

/// A text that is to be embedded, and the name its vector gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The place of the chunk it was met in.
    pub ordinal: i64,
    /// The name of the vector.
    pub hash: ContentHash,
    /// The text.
    pub text: String,
}

/// The next chunks of a version of a document after `after` that have no vector of this model, `n` at most, each content
/// once.
pub(super) fn unembedded(
    tx: &Tx,
    (document, version): (i64, i64),
    model: &str,
    after: i64,
    n: u32,
) -> Result<Vec<Unembedded>> {
    let sql = format!(
        "SELECT c.ordinal AS place, c.hash, c.heading, c.context, c.text, CASE WHEN d.titled THEN d.title END AS title
         FROM chunks c JOIN documents d ON d.number = c.document
         WHERE c.document = ?2 AND c.version = ?3 AND c.ordinal > ?4 AND {LACKS} ORDER BY c.ordinal LIMIT ?5"
    );
    let found = tx.all(&sql, params![model, document, version, after, n], unembedded_text);
    let mut seen = std::collections::HashSet::new();
    Ok(found?.into_iter().filter(|one| seen.insert(one.hash)).collect())
}

/// No vector of the model that is the first parameter.
const LACKS: &str = "NOT EXISTS (
    SELECT 1 FROM vectors v JOIN vector_models m ON m.number = v.model WHERE m.name = ?1 AND v.hash = c.hash)";

/// The next live chunks with an id above `after` that have no vector of this model, `n` at most: a model that is new
/// embeds them. `ordinal` is the chunk's id.
pub(super) fn lacking(tx: &Tx, model: &str, after: ChunkId, n: u32) -> Result<Vec<Unembedded>> {
    let sql = format!(
        "SELECT c.id AS place, c.hash, c.heading, c.context, c.text, CASE WHEN d.titled THEN d.title END AS title {LIVE}
         WHERE c.id > ?2 AND {LACKS} ORDER BY c.id LIMIT ?3"
    );
    tx.all(&sql, (model, after, n), unembedded_text)
}

/// How many live chunks have no vector of this model.
pub(super) fn count_lacking(tx: &Tx, model: &str) -> Result<i64> {
    tx.one(&format!("SELECT count(*) {LIVE} WHERE {LACKS}"), [model])
}

fn unembedded_text(row: &Row<'_>) -> Result<Unembedded> {
    let (heading, context, text, title): (String, String, String, Option<String>) =
        (row.get("heading")?, row.get("context")?, row.get("text")?, row.get("title")?);
    let text = embedded(title.as_deref(), &heading, &context, &text);
    Ok(Unembedded { ordinal: row.get("place")?, hash: row.get("hash")?, text })
}

/// Tells the indexes of every live chunk with this content.
pub(super) fn vector_changed(tx: &Tx, hash: &ContentHash) -> Result<()> {
    for id in tx.all(&format!("SELECT c.id {LIVE} WHERE c.hash = ?1"), [hash], |row| row.get::<ChunkId>("id"))? {
        outbox::changed(tx, Space::Knowledge, id)?;
    }
    Ok(())
}

/// Adds the next part of the text of a version of a document.
pub(super) fn add_text(tx: &Tx, (document, version): (i64, i64), start: u64, text: &str) -> Result<()> {
    let sql = "INSERT INTO document_texts (document, version, start, text) VALUES (?1, ?2, ?3, ?4)";
    tx.run(sql, (document, version, start.cast_signed(), text))?;
    Ok(())
}

/// Adds chunks to a version of a document; `title` is what is embedded with them.
pub(super) fn add(tx: &Tx, (document, version): (i64, i64), title: Option<&str>, new: &[NewChunk]) -> Result<()> {
    let sql = "SELECT coalesce(max(ordinal), -1) + 1 FROM chunks WHERE document = ?1 AND version = ?2";
    let next: i64 = tx.one(sql, (document, version))?;
    let sql = "INSERT INTO chunks (document, version, ordinal, heading, context, page, start, until, text, hash)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    for (ordinal, chunk) in (next..).zip(new) {
        let hash = vectors::hash(&embedded(title, &chunk.heading, &chunk.context, &chunk.text));
        let (start, end) = (chunk.start.cast_signed(), chunk.end.cast_signed());
        let text = (&chunk.heading, &chunk.context, &chunk.text);
        tx.run(sql, params![document, version, ordinal, text.0, text.1, chunk.page, start, end, text.2, hash])?;
    }
    Ok(())
}

/// Removes the chunks of these versions with their text, tells the indexes, and forgets vectors that nothing names now.
pub(super) fn remove(tx: &Tx, document: i64, versions: std::ops::RangeInclusive<i64>) -> Result<()> {
    let (low, high) = (*versions.start(), *versions.end());
    let place = (document, low, high);
    let sql = "SELECT id, hash FROM chunks WHERE document = ?1 AND version BETWEEN ?2 AND ?3";
    let gone = tx.all(sql, place, |row| Ok((row.get::<ChunkId>("id")?, row.get::<ContentHash>("hash")?)))?;
    tx.run("DELETE FROM chunks WHERE document = ?1 AND version BETWEEN ?2 AND ?3", place)?;
    tx.run("DELETE FROM document_texts WHERE document = ?1 AND version BETWEEN ?2 AND ?3", place)?;
    for (id, hash) in gone {
        outbox::changed(tx, Space::Knowledge, id)?;
        vectors::release(tx, &hash)?;
    }
    Ok(())
}

/// Tells the indexes of every chunk of a version of a document.
pub(super) fn changed(tx: &Tx, document: i64, version: i64) -> Result<()> {
    let sql = "SELECT id FROM chunks WHERE document = ?1 AND version = ?2 ORDER BY id";
    for id in tx.all(sql, (document, version), |row| row.get::<ChunkId>("id"))? {
        outbox::changed(tx, Space::Knowledge, id)?;
    }
    Ok(())
}

/// How many chunks a version of a document has.
pub(super) fn count(tx: &Tx, document: i64, version: i64) -> Result<i64> {
    let sql = "SELECT count(*) FROM chunks WHERE document = ?1 AND version = ?2";
    tx.one(sql, (document, version))
}

/// The live chunks of a document, in order.
pub(super) fn list(tx: &Tx, document: i64) -> Result<Vec<Chunk>> {
    let sql = format!(
        "SELECT c.id, c.ordinal, c.heading, c.page, c.start, c.until, c.text {LIVE}
         WHERE c.document = ?1 ORDER BY c.ordinal"
    );
    tx.all(&sql, [document], read)
}

/// The live text of a document.
pub(super) fn text(tx: &Tx, document: i64) -> Result<String> {
    let sql = "SELECT t.text FROM document_texts t JOIN documents d ON d.number = t.document AND d.version = t.version
               WHERE t.document = ?1 ORDER BY t.start";
    Ok(tx.all(sql, [document], |row| row.get::<String>("text"))?.concat())
}

/// Bytes of that text.
pub(super) fn text_bytes(tx: &Tx, document: i64) -> Result<u64> {
    let sql = "SELECT coalesce(sum(octet_length(t.text)), 0)
               FROM document_texts t JOIN documents d ON d.number = t.document AND d.version = t.version
               WHERE t.document = ?1";
    let bytes: i64 = tx.one(sql, [document])?;
    Ok(bytes.unsigned_abs())
}

/// The number of the document a live chunk belongs to.
pub(super) fn document(tx: &Tx, id: ChunkId) -> Result<i64> {
    let sql = format!("SELECT c.document {LIVE} WHERE c.id = ?1");
    let found = tx.first(&sql, [id], |row| row.get("document"))?;
    found.ok_or_else(|| Error::not_found(format!("There is no passage {id}.")))
}

pub(super) fn read(row: &Row<'_>) -> Result<Chunk> {
    let number = |column| Ok::<_, Error>(row.get::<i64>(column)?.unsigned_abs());
    Ok(Chunk {
        id: row.get("id")?,
        ordinal: row.get("ordinal")?,
        heading: row.get("heading")?,
        page: row.get("page")?,
        start: number("start")?,
        end: number("until")?,
        text: row.get("text")?,
    })
}
