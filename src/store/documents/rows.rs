//! The rows of documents: read, added, changed and removed within a transaction.

use rusqlite::{Connection, Row, params};

use super::{Content, NewDocument};
use crate::{
    model::{
        error::{Error, Kind, Result},
        knowledge::{Document, DocumentId, Source, Status},
        reader::Reader,
        time::Time,
        user::UserId,
    },
    store::{
        chunks,
        collections::VISIBLE,
        rows::{first, parsed, run, time},
    },
};

pub(super) const COLUMNS: &str =
    "d.id, k.id, k.name, d.title, d.source, d.uri, d.mime, d.kind, d.bytes, d.file, d.status, d.progress,
   d.reason, (SELECT count(*) FROM chunks n WHERE n.document = d.number AND n.version = d.version), d.pages, a.username,
   d.created_at, d.updated_at, d.version";
pub(super) const FROM: &str =
    "FROM documents d JOIN collections k ON k.number = d.collection LEFT JOIN users a ON a.id = d.added_by";

/// Adds a row that is to be worked on.
pub(in crate::store) fn insert(
    c: &Connection,
    by: Option<UserId>,
    now: Time,
    (collection, new): (i64, &NewDocument),
) -> Result<DocumentId> {
    let id = DocumentId::new();
    run(
        c,
        "INSERT INTO documents (id, collection, title, titled, source, uri, name, mime, bytes, status, added_by,
                                title_by, content_by, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, '', '', 0, 'queued', ?7, ?7, ?7, ?8, ?8)",
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
        put_content(c, c.last_insert_rowid(), content)?;
    }
    Ok(id)
}

pub(in crate::store) fn put_content(c: &Connection, number: i64, content: &Content) -> Result<()> {
    let sql = "UPDATE documents SET name = ?2, mime = ?3, bytes = ?4, file = ?5 WHERE number = ?1";
    run(c, sql, (number, &content.name, &content.mime, content.bytes.cast_signed(), &content.hash))?;
    Ok(())
}

/// Makes a document wait for a worker, from the beginning.
pub(in crate::store) fn requeue(c: &Connection, number: i64, now: i64) -> Result<()> {
    run(
        c,
        "UPDATE documents SET status = 'queued', reason = NULL, progress = 0, attempts = 0, not_before = 0,
                              deleted_at = NULL, updated_at = ?2, run = run + 1 WHERE number = ?1",
        (number, now),
    )?;
    Ok(())
}

/// Puts a document in the trash: of what it is found by, nothing stays.
pub(in crate::store) fn discard(c: &Connection, number: i64, now: i64) -> Result<()> {
    chunks::remove(c, number, 0..=i64::MAX)?;
    forget_passages(c, number)?;
    run(
        c,
        "UPDATE documents SET status = 'deleted', reason = NULL, progress = 0, version = 0, stamp = NULL,
                              deleted_at = ?2, updated_at = ?2, run = run + 1 WHERE number = ?1",
        (number, now),
    )?;
    Ok(())
}

/// Removes a document's row and everything of it in the database.
pub(in crate::store) fn remove(c: &Connection, number: i64) -> Result<()> {
    chunks::remove(c, number, 0..=i64::MAX)?;
    forget_passages(c, number)?;
    run(c, "DELETE FROM documents WHERE number = ?1", [number])?;
    Ok(())
}

/// Conversations keep that they cited it, and not what it said.
fn forget_passages(c: &Connection, number: i64) -> Result<()> {
    run(c, "UPDATE passages SET text = '' WHERE document = (SELECT id FROM documents WHERE number = ?1)", [number])?;
    Ok(())
}

/// One that this person sees, and its number.
pub(super) fn get(c: &Connection, reader: Reader, id: DocumentId) -> Result<(i64, Document)> {
    let sql = format!("SELECT {COLUMNS}, d.number {FROM} WHERE {VISIBLE} AND d.id = ?2");
    first(c, &sql, (reader.to_string(), id.to_string()), |row| Ok((row.get(19)?, read(row)?)))?
        .ok_or_else(|| Error::not_found(format!("There is no document '{id}'.")))
}

pub(super) fn whole(c: &Connection, id: DocumentId) -> Result<Document> {
    let sql = format!("SELECT {COLUMNS} {FROM} WHERE d.id = ?1");
    first(c, &sql, [id.to_string()], read)?.ok_or_else(|| Error::internal("a document is missing"))
}

pub(super) fn read(row: &Row<'_>) -> Result<Document> {
    let word = |column| Ok::<_, Error>(serde_json::Value::String(row.get(column)?));
    let version: i64 = row.get(18)?;
    let status: Status = serde_json::from_value(word(10)?).map_err(Error::internal)?;
    Ok(Document {
        id: parsed(row, 0)?,
        collection: parsed(row, 1)?,
        collection_name: row.get(2)?,
        title: row.get(3)?,
        source: Source { kind: serde_json::from_value(word(4)?).map_err(Error::internal)?, uri: row.get(5)? },
        mime: row.get(6)?,
        kind: row.get(7)?,
        bytes: row.get::<_, i64>(8)?.unsigned_abs(),
        sha256: row.get(9)?,
        status,
        progress: overall(status, row.get(11)?),
        reason: row.get(12)?,
        chunks: row.get::<_, i64>(13)?.unsigned_abs(),
        pages: row.get(14)?,
        added_by: row.get(15)?,
        created_at: time(row, 16)?,
        updated_at: time(row, 17)?,
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
