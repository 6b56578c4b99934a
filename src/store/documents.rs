//! Documents, as people see them: each through the collections that are open to him.

use std::collections::HashSet;

use rusqlite::{Connection, Row, params};
use serde_json::json;

use super::{
    chunks, collections,
    collections::VISIBLE,
    db::Db,
    excerpts::{self, Excerpt},
    people::Actor,
    purge::{self, Purged},
    rows::{all, first, like, parsed, run, time},
    sent,
};
use crate::model::{
    error::{Error, Kind, Result},
    knowledge::{Chunk, ChunkId, CollectionId, Document, DocumentId, Source, SourceKind, Status},
    time::Time,
    user::UserId,
};

/// The documents of one database. Cheap to clone.
#[derive(Clone)]
pub struct Documents {
    db: Db,
}

/// A document to be taken in.
#[derive(Debug, Clone)]
pub struct NewDocument {
    /// Where to; none means the default collection.
    pub collection: Option<CollectionId>,
    /// Its title.
    pub title: String,
    /// Whether that is its own, and not only the name of its file.
    pub titled: bool,
    /// How it comes.
    pub source: SourceKind,
    /// The file's name, the address, or the path.
    pub uri: Option<String>,
    /// A file name, which tells its kind.
    pub content: Option<Content>,
}

/// A file in the storage, as what it came.
#[derive(Debug, Clone)]
pub struct Content {
    /// What it was called: the ending tells its kind.
    pub name: String,
    /// Media type.
    pub mime: String,
    /// Its size.
    pub bytes: u64,
    /// Its name in the storage.
    pub hash: String,
}

/// Which documents are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only of this collection.
    pub collection: Option<CollectionId>,
    /// Only whose title or source holds this.
    pub q: Option<String>,
    /// Only in this state; none means all but the trash.
    pub status: Option<Status>,
    /// Only older ones than this.
    pub before: Option<DocumentId>,
    /// Most of them.
    pub limit: u32,
    /// How many of the newest are passed over.
    pub offset: u32,
}

impl Filter {
    /// The parameters of [`selection`].
    fn bounds(self, user: UserId) -> [Option<String>; 5] {
        [
            Some(user.to_string()),
            self.collection.map(|id| id.to_string()),
            self.q.filter(|q| !q.trim().is_empty()).map(|q| like(q.trim())),
            self.status.map(|status| status.as_str().to_owned()),
            self.before.map(|id| id.to_string()),
        ]
    }
}

const COLUMNS: &str =
    "d.id, k.id, k.name, d.title, d.source, d.uri, d.mime, d.kind, d.bytes, d.file, d.status, d.progress,
   d.reason, (SELECT count(*) FROM chunks n WHERE n.document = d.number AND n.version = d.version), d.pages, a.username,
   d.created_at, d.updated_at, d.version";
const FROM: &str =
    "FROM documents d JOIN collections k ON k.number = d.collection LEFT JOIN users a ON a.id = d.added_by";

/// These columns of the documents within the bounds of a [`Filter`].
fn selection(columns: &str) -> String {
    format!(
        "SELECT {columns} {FROM} WHERE {VISIBLE}
           AND (?2 IS NULL OR k.id = ?2)
           AND (?3 IS NULL OR d.title LIKE ?3 ESCAPE '\\' OR d.uri LIKE ?3 ESCAPE '\\')
           AND iif(?4 IS NULL, d.deleted_at IS NULL, d.status = ?4)
           AND (?5 IS NULL OR d.id < ?5)"
    )
}

impl Documents {
    /// The documents of this database.
    pub fn of(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Takes one in: it is read as soon as a worker is free. A file that was sent before, under the same name and to the
    /// same collection, is the document it became then.
    pub(super) async fn add(&self, by: &Actor, new: NewDocument) -> Result<Document> {
        let by = by.clone();
        self.db
            .write(move |c| {
                let collection = collections::number(c, by.caller.user, new.collection)?;
                if let Some(before) = sent::before(c, collection, &new)? {
                    let known = whole(c, before)?;
                    if matches!(known.status, Status::Failed | Status::Cancelled) {
                        let number = get(c, by.caller.user, before)?.0;
                        requeue(c, number, by.now.millis())?;
                        by.record(c, "document.retry", json!({"id": before, "title": known.title}))?;
                    }
                    return whole(c, before);
                }
                let id = insert(c, Some(by.caller.user), by.now, (collection, &new))?;
                by.record(c, "document.add", json!({"id": id, "title": new.title, "source": new.source}))?;
                whole(c, id)
            })
            .await
    }

    /// Those this person sees, newest first.
    pub async fn list(&self, user: UserId, filter: Filter) -> Result<Vec<Document>> {
        let sql = format!("{} ORDER BY d.id DESC LIMIT ?6 OFFSET ?7", selection(COLUMNS));
        let (limit, offset) = (filter.limit, filter.offset);
        let [user, collection, q, status, before] = filter.bounds(user);
        self.db.read(move |c| all(c, &sql, params![user, collection, q, status, before, limit, offset], read)).await
    }

    /// How many that person sees of those that are wanted, whatever their limit and offset.
    pub async fn matching(&self, user: UserId, filter: Filter) -> Result<u64> {
        let (sql, bounds) = (selection("count(*)"), filter.bounds(user));
        self.db
            .read(move |c| Ok(c.prepare_cached(&sql)?.query_row(bounds, |row| row.get::<_, i64>(0))?.unsigned_abs()))
            .await
    }

    /// One that this person sees.
    pub async fn get(&self, user: UserId, id: DocumentId) -> Result<Document> {
        self.db.read(move |c| get(c, user, id).map(|(_, document)| document)).await
    }

    /// How many there are that this person sees, whatever their state, but for the trash.
    pub async fn count(&self, user: UserId) -> Result<u64> {
        let sql = format!("SELECT count(*) {FROM} WHERE {VISIBLE} AND d.deleted_at IS NULL");
        self.db
            .read(move |c| Ok(c.query_row(&sql, [user.to_string()], |row| row.get::<_, i64>(0))?.unsigned_abs()))
            .await
    }

    /// The passages of one, in order.
    pub async fn chunks(&self, user: UserId, id: DocumentId) -> Result<Vec<Chunk>> {
        self.db.read(move |c| chunks::list(c, get(c, user, id)?.0)).await
    }

    /// What was read of one, and its passages.
    pub async fn content(&self, user: UserId, id: DocumentId) -> Result<(Document, String, Vec<Chunk>)> {
        self.db
            .read(move |c| {
                let moment = c.unchecked_transaction()?;
                let (number, document) = get(&moment, user, id)?;
                Ok((document, chunks::text(&moment, number)?, chunks::list(&moment, number)?))
            })
            .await
    }

    /// The document a passage belongs to, if this person sees it.
    pub async fn with_chunk(&self, user: UserId, chunk: ChunkId) -> Result<Document> {
        self.db
            .read(move |c| {
                let number = chunks::document(c, chunk)?;
                let sql = format!("SELECT {COLUMNS} {FROM} WHERE {VISIBLE} AND d.number = ?2");
                first(c, &sql, (user.to_string(), number), read)?
                    .ok_or_else(|| Error::not_found(format!("There is no passage {chunk}.")))
            })
            .await
    }

    /// The numbers of the live passages of these documents and kinds that this person sees; none named means all.
    pub async fn chunk_ids(
        &self,
        user: UserId,
        documents: Vec<DocumentId>,
        kinds: Vec<String>,
    ) -> Result<HashSet<ChunkId>> {
        self.db.read(move |c| excerpts::ids(c, user, &documents, &kinds)).await
    }

    /// These passages, as far as they are still found and this person sees them; in no order.
    pub async fn excerpts(&self, user: UserId, ids: Vec<ChunkId>) -> Result<Vec<Excerpt>> {
        self.db.read(move |c| excerpts::list(c, user, &ids)).await
    }

    /// What a document's file is called.
    pub async fn file_name(&self, user: UserId, id: DocumentId) -> Result<String> {
        self.db
            .read(move |c| {
                let (number, _) = get(c, user, id)?;
                Ok(c.query_row("SELECT name FROM documents WHERE number = ?1", [number], |row| row.get(0))?)
            })
            .await
    }

    /// Puts one in the trash, or, from there, removes it for good. Found it is no more with the answer; its file stays as
    /// long as it is in the trash. Gives the hash of a file that may no longer be needed.
    pub async fn delete(&self, by: &Actor, id: DocumentId, keep: Keep) -> Result<Option<String>> {
        let by = by.clone();
        let files = self.db.purge(move |c| {
            let (number, document) = get(c, by.caller.user, id)?;
            by.record(c, "document.delete", json!({"id": id, "title": document.title}))?;
            if keep == Keep::Nothing || document.status == Status::Deleted {
                return purge::documents(c, "number = ?1", [number]);
            }
            discard(c, number, by.now.millis())?;
            Ok(Purged::default())
        });
        Ok(files.await?.pop())
    }

    /// Takes one out of the trash: it is read again.
    pub(super) async fn restore(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        self.again(by, id, "restore", |status| match status {
            Status::Deleted => Ok(()),
            _ => Err("It is not in the trash."),
        })
        .await
    }

    /// Tries one again that failed or was stopped.
    pub(super) async fn retry(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        self.again(by, id, "retry", |status| match status {
            Status::Failed | Status::Cancelled => Ok(()),
            Status::Deleted => Err("It is in the trash: restore it first."),
            Status::Ready => Err("It is ready. Update it where its content has changed."),
            _ => Err("It is under way already."),
        })
        .await
    }

    async fn again(
        &self,
        by: &Actor,
        id: DocumentId,
        action: &'static str,
        allow: impl FnOnce(Status) -> std::result::Result<(), &'static str> + Send + 'static,
    ) -> Result<Document> {
        let by = by.clone();
        self.db
            .write(move |c| {
                let (number, document) = get(c, by.caller.user, id)?;
                allow(document.status).map_err(Error::conflict)?;
                requeue(c, number, by.now.millis())?;
                by.record(c, &format!("document.{action}"), json!({"id": id, "title": document.title}))?;
                whole(c, id)
            })
            .await
    }

    /// Stops the work on one at once. What it was found by before stays found.
    pub(super) async fn cancel(&self, by: &Actor, id: DocumentId) -> Result<Document> {
        let by = by.clone();
        self.db
            .write(move |c| {
                let (number, document) = get(c, by.caller.user, id)?;
                if !document.status.is_open() {
                    return Err(Error::conflict("Nothing is under way that could be stopped."));
                }
                let version = i64::from(document.version);
                chunks::remove(c, number, version + 1..=i64::MAX)?;
                let (status, reason) = match version {
                    0 => (Status::Cancelled, None),
                    _ => (Status::Ready, Some("The last update was stopped: this is the content before it.")),
                };
                run(
                    c,
                    "UPDATE documents SET status = ?2, reason = ?3, progress = 0, updated_at = ?4, run = run + 1
                     WHERE number = ?1",
                    (number, status.as_str(), reason, by.now.millis()),
                )?;
                by.record(c, "document.cancel", json!({"id": id, "title": document.title}))?;
                whole(c, id)
            })
            .await
    }

    /// Gives one a new content; none means: fetch its source again. What it says now is found until the new is ready.
    /// Gives the hash of the file before, too.
    pub(super) async fn update(
        &self,
        by: &Actor,
        id: DocumentId,
        title: Option<String>,
        content: Option<Content>,
    ) -> Result<(Document, Option<String>)> {
        let by = by.clone();
        self.db
            .write(move |c| {
                let (number, document) = get(c, by.caller.user, id)?;
                if document.status == Status::Deleted {
                    return Err(Error::conflict("It is in the trash: restore it first."));
                }
                if let Some(title) = title {
                    run(c, "UPDATE documents SET title = ?2, titled = 1 WHERE number = ?1", (number, title))?;
                }
                match content {
                    Some(content) => put_content(c, number, &content)?,
                    None if matches!(document.source.kind, SourceKind::Url | SourceKind::Folder) => {
                        run(c, "UPDATE documents SET file = NULL WHERE number = ?1", [number])?;
                    }
                    None => {
                        return Err(Error::invalid(
                            "Send the new content: it came from nowhere it could be read again.",
                        ));
                    }
                }
                requeue(c, number, by.now.millis())?;
                by.record(c, "document.update", json!({"id": id, "title": document.title}))?;
                Ok((whole(c, id)?, document.sha256))
            })
            .await
    }

    /// Whether a row names this file of the storage.
    pub async fn uses_file(&self, hash: String) -> Result<bool> {
        self.db
            .read(move |c| Ok(first(c, "SELECT 1 FROM documents WHERE file = ?1", [hash], |_| Ok(()))?.is_some()))
            .await
    }
}

/// What stays of a deleted document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The row and the file, for a while.
    Trash,
    /// Nothing.
    Nothing,
}

/// Adds a row that is to be worked on.
pub(super) fn insert(
    c: &Connection,
    by: Option<UserId>,
    now: Time,
    (collection, new): (i64, &NewDocument),
) -> Result<DocumentId> {
    let id = DocumentId::new();
    run(
        c,
        "INSERT INTO documents (id, collection, title, titled, source, uri, name, mime, bytes, status, added_by,
                                created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, '', '', 0, 'queued', ?7, ?8, ?8)",
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

pub(super) fn put_content(c: &Connection, number: i64, content: &Content) -> Result<()> {
    let sql = "UPDATE documents SET name = ?2, mime = ?3, bytes = ?4, file = ?5 WHERE number = ?1";
    run(c, sql, (number, &content.name, &content.mime, content.bytes.cast_signed(), &content.hash))?;
    Ok(())
}

/// Makes a document wait for a worker, from the beginning.
pub(super) fn requeue(c: &Connection, number: i64, now: i64) -> Result<()> {
    run(
        c,
        "UPDATE documents SET status = 'queued', reason = NULL, progress = 0, attempts = 0, not_before = 0,
                              deleted_at = NULL, updated_at = ?2, run = run + 1 WHERE number = ?1",
        (number, now),
    )?;
    Ok(())
}

/// Puts a document in the trash: of what it is found by, nothing stays.
pub(super) fn discard(c: &Connection, number: i64, now: i64) -> Result<()> {
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
pub(super) fn remove(c: &Connection, number: i64) -> Result<()> {
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
pub(super) fn get(c: &Connection, user: UserId, id: DocumentId) -> Result<(i64, Document)> {
    let sql = format!("SELECT {COLUMNS}, d.number {FROM} WHERE {VISIBLE} AND d.id = ?2");
    first(c, &sql, (user.to_string(), id.to_string()), |row| Ok((row.get(19)?, read(row)?)))?
        .ok_or_else(|| Error::not_found(format!("There is no document '{id}'.")))
}

fn whole(c: &Connection, id: DocumentId) -> Result<Document> {
    let sql = format!("SELECT {COLUMNS} {FROM} WHERE d.id = ?1");
    first(c, &sql, [id.to_string()], read)?.ok_or_else(|| Error::internal("a document is missing"))
}

fn read(row: &Row<'_>) -> Result<Document> {
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
