//! Files that were sent before.

use super::{documents::NewDocument, sql::Tx};
use satchel_model::{
    error::Result,
    knowledge::{DocumentId, SourceKind},
};

/// The document a file became when it was sent before.
pub(super) fn before(tx: &Tx, collection: i64, new: &NewDocument) -> Result<Option<DocumentId>> {
    let Some(content) = new.content.as_ref().filter(|_| new.source == SourceKind::Upload) else { return Ok(None) };
    let sql = "SELECT id FROM documents WHERE file = ?1 AND name = ?2 AND collection = ?3 AND source = 'upload'
                 AND deleted_at IS NULL ORDER BY number LIMIT 1";
    tx.first(sql, (&content.hash, &content.name, collection), |row| row.parsed("id"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        db::{Commit, Db},
        documents::{self, Content},
    };
    use satchel_model::time::Time;

    fn file(name: &str, hash: &str, source: SourceKind) -> NewDocument {
        let content = Content { name: name.into(), mime: "text/plain".into(), bytes: 1, hash: hash.into() };
        NewDocument { collection: None, title: name.into(), titled: false, source, uri: None, content: Some(content) }
    }

    #[tokio::test]
    async fn the_same_content_under_the_same_name_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        db.write(|tx| {
            let one: i64 = tx.one("SELECT min(number) FROM collections", ())?;
            let known = |new: &NewDocument| before(tx, one, new);
            let sent = file("a.txt", "x", SourceKind::Upload);
            assert_eq!(known(&sent)?, None);
            let (number, id) = documents::insert(tx, None, Time::from_millis(1), (one, &sent))?;
            assert_eq!(known(&sent)?, Some(id));
            for other in [
                ("b.txt", "x", SourceKind::Upload),
                ("a.txt", "y", SourceKind::Upload),
                ("a.txt", "x", SourceKind::Text),
            ] {
                assert_eq!(known(&file(other.0, other.1, other.2))?, None);
            }
            assert_eq!(before(tx, one + 1, &sent)?, None);
            documents::discard(tx, number, 2)?;
            assert_eq!(known(&sent)?, None);
            Ok(())
        })
        .await
        .unwrap();
    }
}
