//! Removing documents for good: from the database, and from the log it is written to first.

use super::{
    db::Db,
    documents,
    sql::{Params, Tx},
};
use satchel_model::error::Result;

/// What was removed.
#[derive(Debug, Default)]
pub(super) struct Purged {
    documents: usize,
    files: Vec<String>,
}

/// Removes the documents this condition holds of, and everything of them in the database.
pub(super) fn documents(tx: &Tx, condition: &'static str, bound: impl Params) -> Result<Purged> {
    let sql = format!("SELECT number, file FROM documents WHERE {condition}");
    let found = tx.all(&sql, bound, |row| Ok((row.get::<i64>("number")?, row.get::<Option<String>>("file")?)))?;
    found.iter().try_for_each(|(number, _)| documents::remove(tx, *number))?;
    Ok(Purged { documents: found.len(), files: found.into_iter().filter_map(|(_, file)| file).collect() })
}

impl Db {
    /// As [`Db::write`], for what removes documents. Gives the hashes of files that may no longer be needed.
    pub(super) async fn purge<F>(&self, work: F) -> Result<Vec<String>>
    where
        F: FnOnce(&Tx) -> Result<Purged> + Send + 'static,
    {
        let purged = self.write(work).await?;
        if purged.documents > 0 {
            self.fold_if_possible().await;
        }
        Ok(purged.files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        db::Commit,
        documents::{Content, NewDocument},
    };
    use satchel_model::{knowledge::SourceKind, time::Time};

    fn new(content: Option<Content>) -> NewDocument {
        NewDocument {
            collection: None,
            title: "Herons".to_owned(),
            titled: true,
            source: SourceKind::Text,
            uri: None,
            content,
        }
    }

    #[tokio::test]
    async fn the_log_is_folded_for_documents_without_a_file_too_and_only_where_one_was_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("satchel.db");
        let db = Db::open(&path, Commit::Grouped).unwrap();
        let logged = || std::fs::metadata(path.with_extension("db-wal")).unwrap().len();
        let add = async |content| {
            let added = db.write(move |tx| documents::insert(tx, None, Time::from_millis(1), (1, &new(content))));
            added.await.unwrap();
        };
        let purge = async || db.purge(|tx| documents(tx, "title = ?1", ["Herons"])).await.unwrap();

        add(None).await;
        assert!(logged() > 0);
        assert_eq!(purge().await, Vec::<String>::new());
        assert_eq!(logged(), 0);

        let file = Content { name: "h.txt".into(), mime: "text/plain".into(), bytes: 1, hash: "x".into() };
        add(Some(file)).await;
        assert_eq!(purge().await, ["x"]);
        db.write(|tx| tx.script("CREATE TABLE t (text)")).await.unwrap();
        assert_eq!(purge().await, Vec::<String>::new());
        assert!(logged() > 0);
    }
}
