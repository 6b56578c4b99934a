//! Documents that were read, until they are found: their vectors, and the step that puts their chunks in place.

use std::sync::Arc;

use super::{Ingest, ensure_run};
use crate::{
    chunks::{self, Unembedded},
    sql::Row,
    vectors,
};
use satchel_model::{error::Result, index::ContentHash, time::Time};

const EMBEDDING: &str = "FROM documents WHERE status = 'embedding'";
const STAGED: &str =
    "EXISTS (SELECT 1 FROM chunks WHERE document = documents.number AND version = documents.version + 1)";

/// A document whose passages are being embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Embedding {
    /// The document's number.
    pub number: i64,
    run: i64,
    version: i64,
}

impl Ingest {
    /// The documents whose passages are to be embedded, in turn among people.
    pub async fn embedding(&self, most: u32) -> Result<Vec<Embedding>> {
        let turns = Arc::clone(&self.turns);
        self.db.read(move |tx| turns.to_embed(tx, most, embedding)).await
    }

    /// The documents whose chunks are in place, and of whom nobody has said yet that they are found.
    pub async fn finished(&self) -> Result<Vec<Embedding>> {
        let sql = format!("SELECT number, run, version + 1 AS version {EMBEDDING} AND NOT {STAGED}");
        self.db.read(move |tx| tx.all(&sql, (), embedding)).await
    }

    /// The next contents of a document after a place that have no vector of this model yet.
    pub async fn unembedded(&self, one: Embedding, model: &str, after: i64, n: u32) -> Result<Vec<Unembedded>> {
        let model = model.to_owned();
        self.db.read(move |tx| chunks::unembedded(tx, (one.number, one.version), &model, after, n)).await
    }

    /// Keeps vectors, and how far each document is with them: up to the chunk of that place.
    pub async fn embedded(
        &self,
        model: &str,
        vectors: Vec<(ContentHash, Vec<f32>)>,
        upto: Vec<(Embedding, i64)>,
    ) -> Result<()> {
        let model = model.to_owned();
        self.db
            .write(move |tx| {
                for (hash, vector) in &vectors {
                    // Whoever was waiting for it may have been deleted meanwhile.
                    vectors::put(tx, &model, hash, vector)?;
                    vectors::release(tx, hash)?;
                }
                for (one, ordinal) in upto {
                    let all = chunks::count(tx, one.number, one.version)?.max(1);
                    let progress = ((ordinal + 1) as f64 / all as f64).min(1.0);
                    let sql = "UPDATE documents SET progress = ?3
                               WHERE number = ?1 AND run = ?2 AND status = 'embedding'";
                    tx.run(sql, (one.number, one.run, progress))?;
                }
                Ok(())
            })
            .await
    }

    /// Puts a document's new chunks in the place of those before, in one step. Nothing happens where it was stopped.
    pub async fn finish(&self, one: Embedding, now: Time) -> Result<()> {
        self.db
            .write(move |tx| {
                // Without chunks of the next version, all this is done already.
                if ensure_run(tx, one.number, one.run).is_err() || chunks::count(tx, one.number, one.version)? == 0 {
                    return Ok(());
                }
                chunks::remove(tx, one.number, 0..=one.version - 1)?;
                let sql = "UPDATE documents SET progress = 1, version = ?2, updated_at = ?3 WHERE number = ?1";
                tx.run(sql, (one.number, one.version, now.millis()))?;
                chunks::changed(tx, one.number, one.version)
            })
            .await
    }

    /// Says that documents are found.
    pub async fn ready(&self, done: Vec<Embedding>) -> Result<()> {
        let sql = "UPDATE documents SET status = 'ready', reason = NULL, attempts = 0, not_before = 0
                   WHERE number = ?1 AND run = ?2";
        self.db.write(move |tx| done.iter().try_for_each(|one| tx.run(sql, (one.number, one.run)).map(drop))).await
    }
}

fn embedding(row: &Row<'_>) -> Result<Embedding> {
    Ok(Embedding { number: row.get("number")?, run: row.get("run")?, version: row.get("version")? })
}
