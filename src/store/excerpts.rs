//! Passages with what is known of their documents, as somebody sees them.

use std::collections::HashSet;

use super::{
    chunks,
    collections::VISIBLE,
    origin,
    sql::{Bind, Row, Tx, places, rounded},
};
use satchel_model::{
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

/// Most values that one statement names.
const AT_ONCE: usize = 1_000;

/// The numbers of the live passages of these documents and kinds that this person sees; none named means all.
pub(super) fn ids(tx: &Tx, reader: Reader, documents: &[DocumentId], kinds: &[String]) -> Result<HashSet<ChunkId>> {
    let mut found = HashSet::new();
    let parts = if documents.is_empty() { vec![documents] } else { documents.chunks(AT_ONCE).collect() };
    for part in parts.into_iter().map(rounded) {
        let named = if part.is_empty() { String::new() } else { format!("AND d.id IN ({})", places(2, part.len())) };
        let sql = format!(
            "SELECT c.id, d.kind FROM chunks c JOIN documents d ON d.number = c.document AND d.version = c.version
               JOIN collections k ON k.number = d.collection
             WHERE {VISIBLE} {named}"
        );
        let bound: Vec<String> =
            std::iter::once(reader.to_string()).chain(part.iter().map(ToString::to_string)).collect();
        tx.find(&sql, bound, |row| {
            let (id, kind) = (row.get("id")?, row.get::<Option<&str>>("kind")?);
            if kinds.is_empty() || kind.is_some_and(|kind| kinds.iter().any(|wanted| wanted == kind)) {
                found.insert(id);
            }
            Ok(None::<()>)
        })?;
    }
    Ok(found)
}

/// These passages, as far as they are still found and this person sees them; in no order.
pub(super) fn list(tx: &Tx, reader: Reader, ids: &[ChunkId]) -> Result<Vec<Excerpt>> {
    let mut found = Vec::new();
    for part in ids.chunks(AT_ONCE).map(rounded) {
        let sql = format!(
            "SELECT c.id, c.ordinal, c.heading, c.page, c.start, c.until, c.text, d.id AS document, d.title, {}
             FROM chunks c JOIN documents d ON d.number = c.document AND d.version = c.version
               JOIN collections k ON k.number = d.collection
             WHERE {VISIBLE} AND c.id IN ({})",
            Authorship::COLUMNS,
            places(2, part.len())
        );
        let mut bound: Vec<Box<dyn Bind>> = vec![Box::new(reader.to_string())];
        bound.extend(part.iter().map(|id| Box::new(*id) as Box<dyn Bind>));
        found.extend(tx.all(&sql, bound, read)?);
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> Result<Excerpt> {
    Ok(Excerpt {
        chunk: chunks::read(row)?,
        document: row.parsed("document")?,
        title: row.get("title")?,
        authorship: Authorship::read(row)?,
    })
}
