//! The rows of documents: read, added, changed and removed within a transaction.

use super::{Content, NewDocument};
use crate::{
    chunks,
    collections::VISIBLE,
    sql::{Row, Tx, params},
};
use satchel_model::{
    error::{Error, Kind, Result},
    knowledge::{Document, DocumentId, Source, Status},
    reader::Reader,
    time::Time,
    user::UserId,
};

pub(super) const COLUMNS: &str =
    "d.id, k.id AS collection, k.name AS collection_name, d.title, d.source, d.uri, d.mime, d.kind, d.bytes, d.file,
   d.status, d.progress, d.reason,
   (SELECT count(*) FROM chunks n WHERE n.document = d.number AND n.version = d.version) AS chunks,
   d.pages, a.username, d.created_at, d.updated_at, d.version";
pub(super) const FROM: &str =
    "FROM documents d JOIN collections k ON k.number = d.collection LEFT JOIN users a ON a.id = d.added_by";

/// Adds a row that is to be worked on. Returns its number and its id.
pub(crate) fn insert(
    tx: &Tx,
    by: Option<UserId>,
    now: Time,
    (collection, new): (i64, &NewDocument),
) -> Result<(i64, DocumentId)> {
    let id = DocumentId::new();
    let number = tx.one(
        "INSERT INTO documents (id, collection, title, titled, source, uri, name, mime, bytes, status, added_by,
                                title_by, content_by, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, '', '', 0, 'queued', ?7, ?7, ?7, ?8, ?8) RETURNING number",
        params![
            id.to_string(),
            collection,
            new.title,
            new.titled,
            new.source.as_str(),
            new.uri,
            by.map(|user| user.to_string()),
            now.millis(),
        ],
    )?;
    if let Some(content) = &new.content {
        put_content(tx, number, content)?;
    }
    Ok((number, id))
}

pub(crate) fn put_content(tx: &Tx, number: i64, content: &Content) -> Result<()> {
    let sql = "UPDATE documents SET name = ?2, mime = ?3, bytes = ?4, file = ?5 WHERE number = ?1";
    tx.run(sql, (number, &content.name, &content.mime, content.bytes.cast_signed(), &content.hash))?;
    Ok(())
}

/// Makes a document wait for a worker, from the beginning.
pub(crate) fn requeue(tx: &Tx, number: i64, now: i64) -> Result<()> {
    tx.run(
        "UPDATE documents SET status = 'queued', reason = NULL, progress = 0, attempts = 0, not_before = 0,
                              deleted_at = NULL, updated_at = ?2, run = run + 1 WHERE number = ?1",
        (number, now),
    )?;
    Ok(())
}

/// Puts a document in the trash: of what it is found by, nothing stays.
pub(crate) fn discard(tx: &Tx, number: i64, now: i64) -> Result<()> {
    chunks::remove(tx, number, 0..=i64::MAX)?;
    forget_passages(tx, number)?;
    tx.run(
        "UPDATE documents SET status = 'deleted', reason = NULL, progress = 0, version = 0, stamp = NULL,
                              deleted_at = ?2, updated_at = ?2, run = run + 1 WHERE number = ?1",
        (number, now),
    )?;
    Ok(())
}

/// Removes a document's row and everything of it in the database.
pub(crate) fn remove(tx: &Tx, number: i64) -> Result<()> {
    chunks::remove(tx, number, 0..=i64::MAX)?;
    forget_passages(tx, number)?;
    tx.run("DELETE FROM documents WHERE number = ?1", [number])?;
    Ok(())
}

/// Conversations keep that they cited it, and not what it said.
fn forget_passages(tx: &Tx, number: i64) -> Result<()> {
    tx.run("UPDATE passages SET text = '' WHERE document = (SELECT id FROM documents WHERE number = ?1)", [number])?;
    Ok(())
}

/// One that this person sees, and its number.
pub(super) fn get(tx: &Tx, reader: Reader, id: DocumentId) -> Result<(i64, Document)> {
    let sql = format!("SELECT {COLUMNS}, d.number {FROM} WHERE {VISIBLE} AND d.id = ?2");
    tx.first(&sql, (reader.to_string(), id.to_string()), |row| Ok((row.get("number")?, read(row)?)))?
        .ok_or_else(|| Error::not_found(format!("There is no document '{id}'.")))
}

pub(super) fn whole(tx: &Tx, id: DocumentId) -> Result<Document> {
    let sql = format!("SELECT {COLUMNS} {FROM} WHERE d.id = ?1");
    tx.first(&sql, [id.to_string()], read)?.ok_or_else(|| Error::internal("a document is missing"))
}

pub(super) fn read(row: &Row<'_>) -> Result<Document> {
    let word = |column| Ok::<_, Error>(serde_json::Value::String(row.get(column)?));
    let version: i64 = row.get("version")?;
    let status: Status = serde_json::from_value(word("status")?).map_err(Error::internal)?;
    Ok(Document {
        id: row.parsed("id")?,
        collection: row.parsed("collection")?,
        collection_name: row.get("collection_name")?,
        title: row.get("title")?,
        source: Source {
            kind: serde_json::from_value(word("source")?).map_err(Error::internal)?,
            uri: row.get("uri")?,
        },
        mime: row.get("mime")?,
        kind: row.get("kind")?,
        bytes: row.get::<i64>("bytes")?.unsigned_abs(),
        sha256: row.get("file")?,
        status,
        progress: overall(status, row.get("progress")?),
        reason: row.get("reason")?,
        chunks: row.get::<i64>("chunks")?.unsigned_abs(),
        pages: row.get("pages")?,
        added_by: row.get("username")?,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
        version: u32::try_from(version).map_err(|_| Error::new(Kind::Internal, "a version is out of range"))?,
    })
}

/// Reading is a tenth of the work, embedding the rest.
fn overall(status: Status, within: f64) -> f64 {
    let overall = match status {
        Status::Reading => within * 0.1,
        Status::Embedding => 0.1 + within * 0.9,
        Status::Ready => 1.0,
        _ => 0.0,
    };
    (overall * 1_000.0).round() / 1_000.0
}
