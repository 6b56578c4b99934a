//! Writing the log back into the database file, so that what was deleted stands in neither.

use std::time::Duration;

use super::{
    db::Db,
    sql::{Connection, Tx},
};
use satchel_model::error::{Error, Result};

/// The time for which others who read are waited for, and writers with them.
const PATIENCE: Duration = Duration::from_millis(500);

impl Db {
    /// Writes the log back and empties it. Where somebody reads from it just now, another process for instance, it stays
    /// until the next time.
    pub async fn fold(&self) -> Result<()> {
        let path = self.path().to_owned();
        let folded = tokio::task::spawn_blocking(move || {
            if !Connection::open(&path)?.fold(PATIENCE)? {
                tracing::debug!("the database's log is being read: it stays for now");
            }
            Ok(())
        });
        folded.await.map_err(Error::internal)?
    }

    /// As [`Db::write`], for what is removed for good: it stands in the log no more, either.
    pub(super) async fn erase<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx) -> Result<T> + Send + 'static,
    {
        let done = self.write(work).await?;
        self.fold_if_possible().await;
        Ok(done)
    }

    /// As [`Db::fold`]; what hinders it is only logged: the deletion itself stands.
    pub(super) async fn fold_if_possible(&self) {
        if let Err(error) = self.fold().await {
            tracing::warn!(?error, "the database's log could not be written back: what was deleted may stand in it");
        }
    }
}

/// Whether a text stands in any file of a folder.
#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests look at the files themselves")]
pub(super) fn holds(folder: &std::path::Path, text: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    files.flatten().collect::<Vec<u8>>().windows(text.len()).any(|window| window == text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Commit;

    #[tokio::test]
    async fn what_was_deleted_stands_in_no_file_once_the_log_is_folded() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        db.write(|tx| tx.script("CREATE TABLE t (text)")).await.unwrap();
        let secret = "heron at the weir ".repeat(2_000);
        db.write(move |tx| tx.run("INSERT INTO t VALUES (?1)", [secret])).await.unwrap();
        db.fold().await.unwrap();
        assert!(holds(dir.path(), "heron at the weir"));
        db.erase(|tx| tx.run("DELETE FROM t", ())).await.unwrap();
        assert!(!holds(dir.path(), "heron at the weir"));
    }

    #[tokio::test]
    async fn one_who_reads_meanwhile_makes_it_no_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("satchel.db");
        let db = Db::open(&path, Commit::Grouped).unwrap();
        let other = Connection::open_read_only(&path).unwrap();
        let moment = other.moment().unwrap();
        moment.one::<i64>("SELECT count(*) FROM users", ()).unwrap();
        db.write(|tx| tx.script("CREATE TABLE t (text)")).await.unwrap();
        db.fold().await.unwrap();
    }
}
