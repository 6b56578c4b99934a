//! The work on documents, as rows: what is left of it survives whatever ends the process. A worker takes a document and
//! gets the number of its run; whatever it writes later counts only while that number is still the document's.

mod embedding;
mod signals;
mod turns;

use std::{collections::HashSet, sync::Arc, time::Duration};

use self::{signals::Signals, turns::Turns};
use super::{
    chunks,
    db::Db,
    documents::{self, Content},
    nodes::ABANDONED,
    purge,
    sql::{Row, Tx, params},
};
use satchel_model::{
    error::{Error, Kind, Result},
    knowledge::{DocumentId, NewChunk, SourceKind},
    time::Time,
    user::UserId,
};

pub use embedding::Embedding;
pub use signals::Worker;

/// Tries before a failure that may pass is taken for one that does not.
const TRIES: i64 = 3;
/// Ends of the process in the middle of reading one document, before that document is taken for the cause.
const CRASHES: i64 = 20;
/// The pause before the second try; each next one waits twice as long.
const PAUSE: Duration = Duration::from_secs(5);

/// The work of one database. Cheap to clone.
#[derive(Clone)]
pub struct Ingest {
    db: Db,
    signals: Arc<Signals>,
    turns: Arc<Turns>,
}

/// A document a worker has taken.
#[derive(Debug, Clone)]
pub struct Job {
    /// The document.
    pub id: DocumentId,
    /// The way it came.
    pub source: SourceKind,
    /// The file's name, the address, or the path.
    pub uri: Option<String>,
    /// Its file, if it is in the storage.
    pub content: Option<Content>,
    /// Its title.
    pub title: String,
    /// Whether that is its own.
    pub titled: bool,
    /// Who added it, where somebody did.
    pub by: Option<UserId>,
    number: i64,
    run: i64,
    version: i64,
}

/// A piece of what was read.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The next part of the text, with where it begins in the whole, in characters.
    pub text: Option<(u64, String)>,
    /// Passages in the text so far.
    pub chunks: Vec<NewChunk>,
    /// The share of the document that was read with it, 0 to 1.
    pub progress: f64,
}

/// Facts of a document, known once it was read.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The title it gives itself.
    pub title: Option<String>,
    /// The kind it was read as.
    pub kind: String,
    /// Its pages.
    pub pages: Option<u32>,
}

impl Ingest {
    /// The work of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone(), signals: Arc::default(), turns: Arc::default() }
    }

    /// Takes the next document that may be begun, in turn among people; at most `each` of one person are being read.
    pub async fn claim(&self, now: Time, each: u32) -> Result<Option<Job>> {
        let (turns, node) = (Arc::clone(&self.turns), self.db.node());
        self.db
            .write(move |tx| {
                let Some(number) = turns.next_to_read(tx, now, each)? else { return Ok(None) };
                let sql =
                    "UPDATE documents SET status = 'reading', progress = 0, run = run + 1, attempts = attempts + 1, node = ?2
                           WHERE number = ?1
                           RETURNING number, id, run, version, source, uri, name, mime, bytes, file, title, titled, added_by";
                let job = tx.first(sql, (number, node.to_string()), job)?;
                if let Some(job) = &job {
                    // What an earlier run left half done. Its vectors stay: they are wanted again at once.
                    let left = (job.number, job.version);
                    tx.run("DELETE FROM chunks WHERE document = ?1 AND version > ?2", left)?;
                    tx.run("DELETE FROM document_texts WHERE document = ?1 AND version > ?2", left)?;
                }
                Ok(job)
            })
            .await
    }

    /// When the next document may be begun that has to wait longer than until now; none where there is none.
    pub async fn next_try(&self, now: Time) -> Result<Option<Time>> {
        let sql = "SELECT min(not_before) FROM documents WHERE status = 'queued' AND not_before > ?1";
        self.db.read(move |tx| tx.one(sql, [now])).await
    }

    /// Keeps the file that was fetched.
    pub async fn fetched(&self, job: &Job, content: Content) -> Result<()> {
        let job = job.clone();
        self.db
            .write(move |tx| {
                ensure_run(tx, job.number, job.run)?;
                documents::put_content(tx, job.number, &content)
            })
            .await
    }

    /// Keeps what is known of a document, before its first piece: the title is embedded with each passage.
    pub async fn describe(&self, job: &Job, facts: Facts) -> Result<Option<String>> {
        let job = job.clone();
        self.db
            .write(move |tx| {
                ensure_run(tx, job.number, job.run)?;
                let title = facts.title.filter(|_| !job.titled || job.source != SourceKind::Text);
                let titled = job.titled || title.is_some();
                let title = title.unwrap_or(job.title);
                tx.run(
                    "UPDATE documents SET title = ?2, titled = ?3, kind = ?4, pages = ?5 WHERE number = ?1",
                    params![job.number, title, titled, facts.kind, facts.pages],
                )?;
                Ok(titled.then_some(title))
            })
            .await
    }

    /// Keeps a piece of what was read.
    pub async fn add(&self, job: &Job, title: Option<String>, piece: Piece) -> Result<()> {
        let job = job.clone();
        self.db
            .write(move |tx| {
                ensure_run(tx, job.number, job.run)?;
                let place = (job.number, job.version + 1);
                if let Some((start, text)) = &piece.text {
                    chunks::add_text(tx, place, *start, text)?;
                }
                chunks::add(tx, place, title.as_deref(), &piece.chunks)?;
                tx.run("UPDATE documents SET progress = ?2 WHERE number = ?1", (job.number, piece.progress))?;
                Ok(())
            })
            .await
    }

    /// All was read: what is left is to embed it. Fails where nothing was found to embed.
    pub async fn read(&self, job: &Job) -> Result<()> {
        let job = job.clone();
        self.db
            .write(move |tx| {
                ensure_run(tx, job.number, job.run)?;
                if chunks::count(tx, job.number, job.version + 1)? == 0 {
                    let sql = "SELECT 1 FROM documents WHERE number = ?1 AND (kind = 'pdf' OR mime LIKE 'image/%')";
                    let scanned = tx.exists(sql, [job.number])?;
                    let hint = if scanned { " A scanned document needs text recognition first." } else { "" };
                    return Err(Error::invalid(format!("There is no text in it.{hint}")));
                }
                let sql = "UPDATE documents SET status = 'embedding', progress = 0 WHERE number = ?1";
                tx.run(sql, [job.number])?;
                Ok(())
            })
            .await
    }

    /// Writes down why a document could not be read; one whose cause may pass is tried again later. What it was found by
    /// before stays found.
    pub async fn fail(&self, job: &Job, error: &Error, now: Time) -> Result<()> {
        let job = job.clone();
        let (passes, reason) = (may_pass(error.kind()), error.message().to_owned());
        self.db
            .write(move |tx| {
                if ensure_run(tx, job.number, job.run).is_err() {
                    return Ok(());
                }
                chunks::remove(tx, job.number, job.version + 1..=i64::MAX)?;
                let tried: i64 = tx.one("SELECT attempts FROM documents WHERE number = ?1", [job.number])?;
                let status = if passes && tried < TRIES { "queued" } else { "failed" };
                let pause = PAUSE * (1 << (tried - 1).clamp(0, 8));
                tx.run(
                    "UPDATE documents SET status = ?2, reason = ?3, progress = 0, not_before = ?4, updated_at = ?5,
                                          run = run + 1 WHERE number = ?1",
                    params![job.number, status, reason, now.after(pause).millis(), now.millis()],
                )?;
                Ok(())
            })
            .await
    }

    /// Removes for good what has been in the trash since before `then`. Gives the hashes of their files.
    pub async fn empty_trash(&self, then: Time) -> Result<Vec<String>> {
        let old = "status = 'deleted' AND deleted_at < ?1";
        self.db.purge(move |tx| purge::documents(tx, old, [then.millis()])).await
    }

    /// Every file of the storage that a row names.
    pub async fn files(&self) -> Result<HashSet<String>> {
        let sql = "SELECT DISTINCT file FROM documents WHERE file IS NOT NULL";
        self.db.read(move |tx| Ok(tx.all(sql, (), |row| row.get::<String>("file"))?.into_iter().collect())).await
    }
}

/// Lets documents whose reading was left wait again; what is being embedded goes on where it was. Returns how many wait.
pub(super) fn give_back_left(tx: &Tx) -> Result<usize> {
    let reason = "Reading it ended the server again and again. It is left alone now.";
    let sql = format!(
        "UPDATE documents SET status = CASE WHEN attempts < ?1 THEN 'queued' ELSE 'failed' END, progress = 0,
                              run = run + 1, reason = CASE WHEN attempts < ?1 THEN NULL ELSE ?2 END
         WHERE status = 'reading' AND {ABANDONED}"
    );
    tx.run(&sql, (CRASHES, reason))
}

/// Fails where the document was stopped, changed or deleted since the run began.
fn ensure_run(tx: &Tx, number: i64, wanted: i64) -> Result<()> {
    let sql = "SELECT 1 FROM documents WHERE number = ?1 AND run = ?2 AND status IN ('reading', 'embedding')";
    match tx.exists(sql, (number, wanted))? {
        true => Ok(()),
        false => Err(Error::new(Kind::Cancelled, "The document was stopped or changed meanwhile.")),
    }
}

/// Whether trying again can help.
fn may_pass(kind: Kind) -> bool {
    matches!(kind, Kind::Upstream | Kind::Timeout | Kind::Internal | Kind::DiskFull | Kind::Exhausted | Kind::Busy)
}

fn job(row: &Row<'_>) -> Result<Job> {
    let file: Option<String> = row.get("file")?;
    let (name, mime) = (row.get("name")?, row.get("mime")?);
    let bytes = row.get::<i64>("bytes")?.unsigned_abs();
    let source: String = row.get("source")?;
    Ok(Job {
        number: row.get("number")?,
        id: row.parsed("id")?,
        run: row.get("run")?,
        version: row.get("version")?,
        source: serde_json::from_value(source.into()).map_err(Error::internal)?,
        uri: row.get("uri")?,
        content: file.map(|hash| Content { name, mime, bytes, hash }),
        title: row.get("title")?,
        titled: row.get("titled")?,
        by: row.get::<Option<String>>("added_by")?.map(|id| id.parse()).transpose()?,
    })
}
