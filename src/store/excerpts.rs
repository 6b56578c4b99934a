//! Passages with what is known of their documents, as somebody sees them.

use std::collections::HashSet;

use rusqlite::{Connection, Row};

use super::{
    chunks,
    collections::VISIBLE,
    rows::{all, parsed},
};
use crate::model::{
    error::{Error, Result},
    knowledge::{Chunk, ChunkId, DocumentId, SourceKind},
    reader::Reader,
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
    source: SourceKind,
    uri: Option<String>,
    added_by: Option<UserId>,
}

impl Excerpt {
    /// Where its content came from, unless this person wrote it here himself: all else may hold what a stranger wrote.
    pub fn outside(&self, user: UserId) -> Option<String> {
        let own = self.source == SourceKind::Text && self.added_by == Some(user);
        let place = || self.uri.clone().unwrap_or_else(|| self.title.clone());
        (!own).then(place)
    }
}

/// The numbers of the live passages of these documents and kinds that this person sees; none named means all.
pub(super) fn ids(
    c: &Connection,
    reader: Reader,
    documents: &[DocumentId],
    kinds: &[String],
) -> Result<HashSet<ChunkId>> {
    let sql = format!(
        "SELECT c.id FROM chunks c JOIN documents d ON d.number = c.document AND d.version = c.version
               JOIN collections k ON k.number = d.collection
             WHERE {VISIBLE} AND (?2 = '[]' OR d.id IN (SELECT value FROM json_each(?2)))
               AND (?3 = '[]' OR d.kind IN (SELECT value FROM json_each(?3)))"
    );
    let documents = serde_json::to_string(documents).map_err(Error::internal)?;
    let kinds = serde_json::to_string(kinds).map_err(Error::internal)?;
    let found = all(c, &sql, (reader.to_string(), documents, kinds), |row| Ok(row.get::<_, ChunkId>(0)?))?;
    Ok(found.into_iter().collect())
}

/// These passages, as far as they are still found and this person sees them; in no order.
pub(super) fn list(c: &Connection, reader: Reader, ids: &[ChunkId]) -> Result<Vec<Excerpt>> {
    let sql = format!(
        "SELECT c.id, c.ordinal, c.heading, c.page, c.start, c.end, c.text, d.id, d.title, d.source, d.uri, d.added_by
             FROM json_each(?2) w JOIN chunks c ON c.id = w.value
               JOIN documents d ON d.number = c.document AND d.version = c.version
               JOIN collections k ON k.number = d.collection
             WHERE {VISIBLE}"
    );
    all(c, &sql, (reader.to_string(), serde_json::to_string(ids).map_err(Error::internal)?), read)
}

fn read(row: &Row<'_>) -> Result<Excerpt> {
    let source: String = row.get(9)?;
    let added_by: Option<String> = row.get(11)?;
    Ok(Excerpt {
        chunk: chunks::read(row)?,
        document: parsed(row, 7)?,
        title: row.get(8)?,
        source: serde_json::from_value(source.into()).map_err(Error::internal)?,
        uri: row.get(10)?,
        added_by: added_by.map(|user| user.parse()).transpose()?,
    })
}
