//! Documents, as people see them: each through the collections that are open to them.

mod change;
mod filter;
mod rows;

use std::collections::HashSet;

use self::{
    filter::selection,
    rows::{COLUMNS, FROM, get, read},
};
use super::{
    chunks,
    collections::VISIBLE,
    db::Db,
    excerpts::{self, Excerpt},
    sql::params,
};
use satchel_model::{
    error::{Error, Result},
    knowledge::{Chunk, ChunkId, CollectionId, Document, DocumentId, SourceKind},
    reader::Reader,
    user::UserId,
};

pub use change::Keep;
pub use filter::Filter;
pub(super) use rows::{discard, insert, put_content, remove, requeue};

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
    /// The way it comes.
    pub source: SourceKind,
    /// The file's name, the address, or the path.
    pub uri: Option<String>,
    /// A file name, which tells its kind.
    pub content: Option<Content>,
}

/// A new content of a document.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// The way it comes.
    pub source: SourceKind,
    /// The file's name; `None` for a text.
    pub uri: Option<String>,
    /// Its file.
    pub content: Content,
}

/// A file in the storage, as what it came.
#[derive(Debug, Clone)]
pub struct Content {
    /// The name it came under: the ending tells its kind.
    pub name: String,
    /// Media type.
    pub mime: String,
    /// Its size.
    pub bytes: u64,
    /// Its name in the storage.
    pub hash: String,
}

impl Documents {
    /// The documents of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Those this person sees, newest first.
    pub async fn list(&self, reader: Reader, filter: Filter) -> Result<Vec<Document>> {
        let sql = format!("{} ORDER BY d.id DESC LIMIT ?6 OFFSET ?7", selection(COLUMNS));
        let (limit, offset) = (filter.limit, filter.offset);
        let [user, collection, q, status, before] = filter.bounds(reader);
        self.db.read(move |tx| tx.all(&sql, params![user, collection, q, status, before, limit, offset], read)).await
    }

    /// The number that person sees of those that are wanted, whatever their limit and offset.
    pub async fn matching(&self, reader: Reader, filter: Filter) -> Result<u64> {
        let (sql, bounds) = (selection("count(*)"), filter.bounds(reader));
        self.db.read(move |tx| Ok(tx.one::<i64>(&sql, bounds)?.unsigned_abs())).await
    }

    /// One that this person sees.
    pub async fn get(&self, reader: Reader, id: DocumentId) -> Result<Document> {
        self.db.read(move |tx| get(tx, reader, id).map(|(_, document)| document)).await
    }

    /// The number there are that this person sees, whatever their state, but for the trash.
    pub async fn count(&self, reader: Reader) -> Result<u64> {
        let sql = format!("SELECT count(*) {FROM} WHERE {VISIBLE} AND d.deleted_at IS NULL");
        self.db.read(move |tx| Ok(tx.one::<i64>(&sql, [reader.to_string()])?.unsigned_abs())).await
    }

    /// The passages of one, in order.
    pub async fn chunks(&self, reader: Reader, id: DocumentId) -> Result<Vec<Chunk>> {
        self.db.read(move |tx| chunks::list(tx, get(tx, reader, id)?.0)).await
    }

    /// Bytes of the files of all that a person added, those in the trash among them.
    pub async fn bytes_of(&self, user: UserId) -> Result<u64> {
        let sql = "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM documents WHERE added_by = ?1";
        let bytes = self.db.read(move |tx| tx.one::<i64>(sql, [user.to_string()]));
        Ok(bytes.await?.unsigned_abs())
    }

    /// Bytes of the text that was read of one.
    pub async fn text_bytes(&self, reader: Reader, id: DocumentId) -> Result<u64> {
        self.db.read(move |tx| chunks::text_bytes(tx, get(tx, reader, id)?.0)).await
    }

    /// The text that was read of one, and its passages.
    pub async fn content(&self, reader: Reader, id: DocumentId) -> Result<(Document, String, Vec<Chunk>)> {
        self.db
            .read(move |tx| {
                let moment = tx.moment()?;
                let (number, document) = get(&moment, reader, id)?;
                Ok((document, chunks::text(&moment, number)?, chunks::list(&moment, number)?))
            })
            .await
    }

    /// The document a passage belongs to, if this person sees it.
    pub async fn with_chunk(&self, reader: Reader, chunk: ChunkId) -> Result<Document> {
        self.db
            .read(move |tx| {
                let number = chunks::document(tx, chunk)?;
                let sql = format!("SELECT {COLUMNS} {FROM} WHERE {VISIBLE} AND d.number = ?2");
                tx.first(&sql, (reader.to_string(), number), read)?
                    .ok_or_else(|| Error::not_found(format!("There is no passage {chunk}.")))
            })
            .await
    }

    /// The numbers of the live passages of these documents and kinds that this person sees; none named means all.
    pub async fn chunk_ids(
        &self,
        reader: Reader,
        documents: Vec<DocumentId>,
        kinds: Vec<String>,
    ) -> Result<HashSet<ChunkId>> {
        self.db.read(move |tx| excerpts::ids(tx, reader, &documents, &kinds)).await
    }

    /// These passages, as far as they are still found and this person sees them; in no order.
    pub async fn excerpts(&self, reader: Reader, ids: Vec<ChunkId>) -> Result<Vec<Excerpt>> {
        self.db.read(move |tx| excerpts::list(tx, reader, &ids)).await
    }

    /// The name of a document's file.
    pub async fn file_name(&self, reader: Reader, id: DocumentId) -> Result<String> {
        self.db
            .read(move |tx| {
                let (number, _) = get(tx, reader, id)?;
                tx.one("SELECT name FROM documents WHERE number = ?1", [number])
            })
            .await
    }

    /// Whether a row names this file of the storage.
    pub async fn uses_file(&self, hash: String) -> Result<bool> {
        self.db.read(move |tx| tx.exists("SELECT 1 FROM documents WHERE file = ?1", [hash])).await
    }
}
