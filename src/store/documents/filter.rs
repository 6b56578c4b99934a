//! Filters of a list of documents.

use super::rows::FROM;
use crate::{collections::VISIBLE, sql::like};
use satchel_model::{
    knowledge::{CollectionId, DocumentId, Status},
    reader::Reader,
};

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
    /// Number of the newest that are passed over.
    pub offset: u32,
}

impl Filter {
    /// The parameters of [`selection`].
    pub(super) fn bounds(self, reader: Reader) -> [Option<String>; 5] {
        [
            Some(reader.to_string()),
            self.collection.map(|id| id.to_string()),
            self.q.filter(|q| !q.trim().is_empty()).map(|q| like(q.trim())),
            self.status.map(|status| status.as_str().to_owned()),
            self.before.map(|id| id.to_string()),
        ]
    }
}

/// These columns of the documents within the bounds of a [`Filter`].
pub(super) fn selection(columns: &str) -> String {
    format!(
        "SELECT {columns} {FROM} WHERE {VISIBLE}
           AND (CAST(?2 AS TEXT) IS NULL OR k.id = ?2)
           AND (CAST(?3 AS TEXT) IS NULL OR lower(d.title) LIKE lower(?3) ESCAPE '\\' OR lower(d.uri) LIKE lower(?3) ESCAPE '\\')
           AND CASE WHEN CAST(?4 AS TEXT) IS NULL THEN d.deleted_at IS NULL ELSE d.status = ?4 END
           AND (CAST(?5 AS TEXT) IS NULL OR d.id < ?5)"
    )
}
