//! Which embedding model is in use, and what it has not read yet. Tools and memories see to their own texts, documents
//! that are being taken in to theirs.

use std::collections::HashSet;

use super::{
    chunks,
    db::Db,
    outbox,
    sql::{Row, Tx},
    vectors,
};
use satchel_model::{
    error::Result,
    index::{ContentHash, Space},
    time::Time,
};

/// Where the name stands among the settings.
const KEY: &str = "embedding_model";

/// A text that has no vector of a model yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The entry it was met in.
    pub id: i64,
    /// The name of its vector.
    pub hash: ContentHash,
    /// The text.
    pub text: String,
}

/// The model in use, and the contents.
#[derive(Clone)]
pub struct Embeddings {
    db: Db,
}

impl Embeddings {
    /// Over this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// The name of the model everything was embedded with; none before the first change.
    pub async fn in_use(&self) -> Result<Option<String>> {
        let sql = "SELECT value FROM settings WHERE key = ?1";
        self.db.read(move |tx| tx.first(sql, [KEY], |row| row.get("value"))).await
    }

    /// Everything is embedded with this model from now on. The vectors of the model before go, but for those that
    /// were given: nothing could make them again.
    pub async fn use_model(&self, name: &str, before: Option<String>, now: Time) -> Result<()> {
        let name = name.to_owned();
        self.db
            .write(move |tx| {
                let sql = "INSERT INTO settings (key, value, updated_at) VALUES (?1, ?2, ?3)
                           ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
                tx.run(sql, (KEY, &name, now.millis()))?;
                before.as_deref().map_or(Ok(()), |model| forget(tx, model))
            })
            .await
    }

    /// The next contents of a space after an entry that have no vector of this model, `n` at most, each once.
    pub async fn missing(&self, space: Space, model: &str, after: i64, n: u32) -> Result<Vec<Content>> {
        let model = model.to_owned();
        self.db.read(move |tx| missing(tx, space, &model, after, n)).await
    }

    /// How many texts have no vector of this model. One that stands in several places may be counted several times.
    pub async fn count_missing(&self, model: &str) -> Result<u64> {
        let model = model.to_owned();
        self.db
            .read(move |tx| {
                let entries: i64 = tx.one(&format!("SELECT count(*) {ENTRIES}"), [&model])?;
                Ok((chunks::count_lacking(tx, &model)? + entries).cast_unsigned())
            })
            .await
    }

    /// Keeps vectors, and tells the indexes of everything that has them.
    pub async fn keep(&self, model: &str, made: Vec<(ContentHash, Vec<f32>)>) -> Result<()> {
        let model = model.to_owned();
        self.db
            .write(move |tx| {
                for (hash, vector) in &made {
                    vectors::put(tx, &model, hash, vector)?;
                    // Whatever held the text may have been deleted meanwhile.
                    vectors::release(tx, hash)?;
                    announce(tx, hash)?;
                }
                Ok(())
            })
            .await
    }
}

/// The entries without a vector of the model that is the first parameter, whose vector is made from their text.
const ENTRIES: &str =
    "FROM index_entries e WHERE NOT e.given AND e.hash IS NOT NULL AND trim(e.text) <> '' AND NOT EXISTS (
    SELECT 1 FROM vectors v JOIN vector_models m ON m.number = v.model WHERE m.name = ?1 AND v.hash = e.hash)";

fn missing(tx: &Tx, space: Space, model: &str, after: i64, n: u32) -> Result<Vec<Content>> {
    let mut found: Vec<Content> = match space {
        Space::Knowledge => {
            let chunks = chunks::lacking(tx, model, after, n)?.into_iter();
            chunks.map(|chunk| Content { id: chunk.ordinal, hash: chunk.hash, text: chunk.text }).collect()
        }
        Space::Entries => {
            let sql = format!("SELECT e.id, e.hash, e.text {ENTRIES} AND e.id > ?2 ORDER BY e.id LIMIT ?3");
            let read =
                |row: &Row<'_>| Ok(Content { id: row.get("id")?, hash: row.get("hash")?, text: row.get("text")? });
            tx.all(&sql, (model, after, n), read)?
        }
    };
    let mut seen = HashSet::new();
    found.retain(|content| seen.insert(content.hash));
    Ok(found)
}

fn announce(tx: &Tx, hash: &ContentHash) -> Result<()> {
    chunks::vector_changed(tx, hash)?;
    for id in tx.all("SELECT id FROM index_entries WHERE hash = ?1", [hash], |row| row.get::<i64>("id"))? {
        outbox::changed(tx, Space::Entries, id)?;
    }
    Ok(())
}

fn forget(tx: &Tx, model: &str) -> Result<()> {
    let sql = "DELETE FROM vectors WHERE model = (SELECT number FROM vector_models WHERE name = ?1)
               AND hash NOT IN (SELECT hash FROM index_entries WHERE given AND hash IS NOT NULL)";
    tx.run(sql, [model])?;
    let sql = "DELETE FROM vector_models WHERE name = ?1
               AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.model = vector_models.number)";
    tx.run(sql, [model])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        db::Commit,
        entries::{self, Put},
    };

    fn put(name: &str, text: Option<&str>, vector: Option<Vec<f32>>) -> Put {
        Put {
            name: name.to_owned(),
            text: text.map(str::to_owned),
            given: text.is_none(),
            vector: vector.map(|vector| ("old".to_owned(), vector)),
            metadata: None,
            origin: None,
        }
    }

    async fn embeddings(dir: &std::path::Path) -> Embeddings {
        let db = Db::open(&dir.join("db"), Commit::Grouped).unwrap();
        let rows = [
            put("read", Some("a text"), Some(vec![1.0, 0.0])),
            put("given", None, Some(vec![0.0, 1.0])),
            put("unread", Some("another text"), None),
            put("empty", Some(" "), None),
        ];
        let now = Time::from_millis(1);
        db.write(move |tx| rows.iter().try_for_each(|row| entries::put(tx, row, None, now))).await.unwrap();
        Embeddings::new(&db)
    }

    #[tokio::test]
    async fn what_has_no_vector_of_a_model_is_missing_unless_it_was_given() {
        let dir = tempfile::tempdir().unwrap();
        let embeddings = embeddings(dir.path()).await;
        let texts = async |model: &str| -> Vec<String> {
            let found = embeddings.missing(Space::Entries, model, 0, 10).await.unwrap();
            assert_eq!(embeddings.count_missing(model).await.unwrap(), found.len() as u64);
            found.into_iter().map(|content| content.text).collect()
        };
        assert_eq!(texts("old").await, ["another text"]);
        assert_eq!(texts("new").await, ["a text", "another text"]);
        let first = embeddings.missing(Space::Entries, "new", 0, 1).await.unwrap();
        let made = first.iter().map(|content| (content.hash, vec![1.0])).collect();
        embeddings.keep("new", made).await.unwrap();
        assert_eq!(texts("new").await, ["another text"]);
    }

    #[tokio::test]
    async fn the_vectors_of_the_model_before_go_but_not_those_that_were_given() {
        let dir = tempfile::tempdir().unwrap();
        let embeddings = embeddings(dir.path()).await;
        assert_eq!(embeddings.in_use().await.unwrap(), None);
        let before = Some("old".to_owned());
        embeddings.use_model("new", before, Time::from_millis(2)).await.unwrap();
        assert_eq!(embeddings.in_use().await.unwrap().as_deref(), Some("new"));
        let left = embeddings.db.read(|tx| vectors::count(tx, "old")).await.unwrap();
        assert_eq!(left, 1);
    }
}
