//! Passages with what is known of their documents, as somebody sees them.

use std::collections::HashSet;

use super::{
    chunks,
    collections::VISIBLE,
    origin,
    sql::{Row, Tx},
};
use crate::model::{
    error::{Error, Result},
    knowledge::{Chunk, ChunkId, DocumentId, SourceKind},
    origin::Origin,
    reader::Reader,
    time::Time,
    user::UserId,
};

/// A passage with what is known of its document.
#[derive(Debug, Clone)]
pub struct Excerpt {
    /// The document.
    pub document: DocumentId,
    /// Its title.
    pub title: String,
    /// The passage.
    pub chunk: Chunk,
    authorship: Authorship,
}

impl Excerpt {
    /// The origin of its document for this person; see [`Authorship::outside`].
    pub fn outside(&self, user: UserId, now: Time) -> Option<Origin> {
        self.authorship.outside(user, &self.title, now)
    }
}

/// The people whose words a document's title and its present content are, and the way that came.
#[derive(Debug, Clone)]
pub struct Authorship {
    source: SourceKind,
    uri: Option<String>,
    title_by: Option<UserId>,
    content_by: Option<UserId>,
    origin: Option<Origin>,
}

impl Authorship {
    /// The columns it is read from, of a document `d`. Until a new content is read, the one before is found.
    pub(super) const COLUMNS: &str =
        "d.source, d.uri, d.title_by, CASE WHEN d.status = 'ready' OR d.version = 0 THEN d.content_by END AS content_by,
         d.origin";

    /// Reads it from those columns.
    pub(super) fn read(row: &Row<'_>) -> Result<Self> {
        let source: String = row.get("source")?;
        let user = |column: &str| row.get::<Option<String>>(column)?.map(|user| user.parse()).transpose();
        Ok(Self {
            source: serde_json::from_value(source.into()).map_err(Error::internal)?,
            uri: row.get("uri")?,
            title_by: user("title_by")?,
            content_by: user("content_by")?,
            origin: origin::read(row)?,
        })
    }

    /// The file's name, the address, or the path.
    pub fn uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }

    /// The origin of the document of this title, unless this person typed all of it: all else may hold a stranger's words.
    pub fn outside(&self, user: UserId, title: &str, now: Time) -> Option<Origin> {
        let own = self.source == SourceKind::Text && [self.title_by, self.content_by] == [Some(user); 2];
        let place = self.uri.as_deref().unwrap_or(title);
        match own {
            true => self.origin.clone(),
            false => Some(Origin::new(format!("document: {place}"), now)),
        }
    }
}

/// The numbers of the live passages of these documents and kinds that this person sees; none named means all.
pub(super) fn ids(tx: &Tx, reader: Reader, documents: &[DocumentId], kinds: &[String]) -> Result<HashSet<ChunkId>> {
    let sql = format!(
        "SELECT c.id FROM chunks c JOIN documents d ON d.number = c.document AND d.version = c.version
               JOIN collections k ON k.number = d.collection
             WHERE {VISIBLE} AND (?2 = '[]' OR d.id IN (SELECT value FROM json_each(?2)))
               AND (?3 = '[]' OR d.kind IN (SELECT value FROM json_each(?3)))"
    );
    let documents = serde_json::to_string(documents).map_err(Error::internal)?;
    let kinds = serde_json::to_string(kinds).map_err(Error::internal)?;
    let found = tx.all(&sql, (reader.to_string(), documents, kinds), |row| row.get::<ChunkId>("id"))?;
    Ok(found.into_iter().collect())
}

/// These passages, as far as they are still found and this person sees them; in no order.
pub(super) fn list(tx: &Tx, reader: Reader, ids: &[ChunkId]) -> Result<Vec<Excerpt>> {
    let sql = format!(
        "SELECT c.id, c.ordinal, c.heading, c.page, c.start, c.until, c.text, d.id AS document, d.title, {}
             FROM json_each(?2) w JOIN chunks c ON c.id = w.value
               JOIN documents d ON d.number = c.document AND d.version = c.version
               JOIN collections k ON k.number = d.collection
             WHERE {VISIBLE}",
        Authorship::COLUMNS
    );
    tx.all(&sql, (reader.to_string(), serde_json::to_string(ids).map_err(Error::internal)?), read)
}

fn read(row: &Row<'_>) -> Result<Excerpt> {
    Ok(Excerpt {
        chunk: chunks::read(row)?,
        document: row.parsed("document")?,
        title: row.get("title")?,
        authorship: Authorship::read(row)?,
    })
}
