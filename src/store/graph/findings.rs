//! What was found in documents, as nodes and edges that go with them.

use rusqlite::{Connection, Row, params};
use serde_json::json;

use crate::{
    model::{
        error::{Error, Result},
        graph::{Finding, Thing},
        text::head,
        time::Time,
    },
    store::{
        chunks,
        rows::{all, first, like, run},
    },
};

/// What a document is in the graph.
const DOCUMENT: &str = "Document";

/// A document whose content is to be read for the graph.
#[derive(Debug, Clone)]
pub struct Unread {
    /// Its number.
    pub number: i64,
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Which of its contents.
    pub version: i64,
    /// What it was read as.
    pub kind: Option<String>,
    /// Its file's name in the storage.
    pub file: Option<String>,
}

/// What is read of a document.
#[derive(Debug, Clone)]
pub struct Content {
    /// Its text, cut.
    pub text: String,
    /// The headings of its passages, in their order.
    pub headings: Vec<String>,
}

/// Passages beyond which nobody looks through all of them for the title of a new document.
const SEARCHED: i64 = 20_000;

const COLUMNS: &str = "d.number, d.id, d.title, d.version, d.kind, d.file";

pub(super) fn unread(c: &Connection, limit: usize) -> Result<Vec<Unread>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM documents d LEFT JOIN graph_reads r ON r.document = d.number
         WHERE d.deleted_at IS NULL AND d.status = 'ready' AND d.version > coalesce(r.version, 0) ORDER BY d.number LIMIT ?1"
    );
    of(c, &sql, limit)
}

pub(super) fn unread_by_model(c: &Connection, limit: usize) -> Result<Vec<Unread>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM documents d JOIN graph_reads r ON r.document = d.number AND r.version = d.version
         WHERE d.deleted_at IS NULL AND d.status = 'ready' AND NOT r.by_model ORDER BY d.number LIMIT ?1"
    );
    of(c, &sql, limit)
}

fn of(c: &Connection, sql: &str, limit: usize) -> Result<Vec<Unread>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    all(c, sql, [limit], document)
}

fn document(row: &Row<'_>) -> Result<Unread> {
    Ok(Unread {
        number: row.get(0)?,
        id: row.get(1)?,
        title: row.get(2)?,
        version: row.get(3)?,
        kind: row.get(4)?,
        file: row.get(5)?,
    })
}

pub(super) fn content(c: &Connection, document: i64, most: usize) -> Result<Content> {
    let mut text = chunks::text(c, document)?;
    text.truncate(head(&text, most).len());
    let sql = "SELECT c.heading FROM chunks c JOIN documents d ON d.number = c.document AND d.version = c.version
               WHERE c.document = ?1 AND c.heading <> '' GROUP BY c.heading ORDER BY min(c.ordinal)";
    Ok(Content { text, headings: all(c, sql, [document], |row| Ok(row.get(0)?))? })
}

/// Passages of other documents that hold this document's title, each with its document.
pub(super) fn holding_title(c: &Connection, of: &Unread, limit: usize) -> Result<Vec<(Unread, String)>> {
    let chunks = first(c, "SELECT count(*) FROM chunks", (), |row| Ok(row.get::<_, i64>(0)?))?.unwrap_or(0);
    if chunks > SEARCHED {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT {COLUMNS}, c.text FROM chunks c JOIN documents d ON d.number = c.document AND d.version = c.version
         WHERE d.number <> ?1 AND d.deleted_at IS NULL AND c.text LIKE ?2 ESCAPE '\\' LIMIT ?3"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    all(c, &sql, (of.number, like(&of.title), limit), |row| Ok((document(row)?, row.get(6)?)))
}

pub(super) fn also(c: &Connection, document: &Unread, findings: &[Finding], now: Time) -> Result<()> {
    if still_there(c, document)? { add(c, document, findings, now) } else { Ok(()) }
}

pub(super) fn titles(c: &Connection) -> Result<Vec<(String, String)>> {
    let sql = "SELECT id, title FROM documents WHERE deleted_at IS NULL";
    all(c, sql, (), |row| Ok((row.get(0)?, row.get(1)?)))
}

pub(super) fn put(c: &Connection, document: &Unread, findings: &[Finding], now: Time) -> Result<()> {
    if !still_there(c, document)? {
        return Ok(());
    }
    run(c, "DELETE FROM graph_edges WHERE document = ?1", [document.number])?;
    // The document's own node stays: the edges others have to it would go with it.
    run(
        c,
        "DELETE FROM graph_sources WHERE document = ?1 AND node NOT IN (SELECT number FROM graph_nodes WHERE id = ?2)",
        (document.number, own_id(&document.id)),
    )?;
    add(c, document, findings, now)?;
    run(
        c,
        "INSERT OR REPLACE INTO graph_reads (document, version) VALUES (?1, ?2)",
        (document.number, document.version),
    )?;
    Ok(())
}

pub(super) fn put_by_model(c: &Connection, document: &Unread, findings: &[Finding], now: Time) -> Result<()> {
    if !still_there(c, document)? {
        return Ok(());
    }
    add(c, document, findings, now)?;
    let sql = "UPDATE graph_reads SET by_model = 1 WHERE document = ?1 AND version = ?2";
    run(c, sql, (document.number, document.version))?;
    Ok(())
}

/// It may have been deleted or changed while it was read.
fn still_there(c: &Connection, document: &Unread) -> Result<bool> {
    let sql = "SELECT 1 FROM documents WHERE number = ?1 AND version = ?2 AND deleted_at IS NULL";
    Ok(first(c, sql, (document.number, document.version), |_| Ok(()))?.is_some())
}

fn add(c: &Connection, document: &Unread, findings: &[Finding], now: Time) -> Result<()> {
    let own = Thing { id: own_id(&document.id), label: DOCUMENT.to_owned(), name: document.title.clone() };
    let Some(own) = node(c, document.number, &own, now)? else { return Ok(()) };
    for finding in findings {
        let from = finding.from.as_ref().map_or(Ok(Some(own)), |from| node(c, document.number, from, now))?;
        let to = node(c, document.number, &finding.to, now)?;
        let (Some(from), Some(to)) = (from, to) else { continue };
        run(
            c,
            "INSERT OR IGNORE INTO graph_edges (src, rel, dst, document, props, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, '{}', ?5, ?5)",
            params![from, finding.rel, to, document.number, now.millis()],
        )?;
    }
    Ok(())
}

/// A document's id in the graph.
pub(super) fn own_id(document: &str) -> String {
    format!("document:{document}")
}

/// The node of a thing, which this document names from now on; none where the thing is a document that is gone. What
/// somebody has put there stays as it is.
fn node(c: &Connection, document: i64, thing: &Thing, now: Time) -> Result<Option<i64>> {
    // A document is seen by who sees it, not by who sees one that speaks of it.
    let source = match thing.id.strip_prefix("document:") {
        Some(id) => first(c, "SELECT number FROM documents WHERE id = ?1", [id], |row| Ok(row.get(0)?))?,
        None => Some(document),
    };
    let Some(source) = source else { return Ok(None) };
    let props = json!({"name": thing.name}).to_string();
    let labels = json!([thing.label]).to_string();
    run(
        c,
        "INSERT INTO graph_nodes (id, name, labels, props, put, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, 0, ?5, ?5)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, labels = excluded.labels, props = excluded.props,
           updated_at = excluded.updated_at WHERE NOT put AND name <> excluded.name",
        params![thing.id, thing.name, labels, props, now.millis()],
    )?;
    let number = first(c, "SELECT number FROM graph_nodes WHERE id = ?1", [&thing.id], |row| Ok(row.get(0)?))?;
    let number: i64 = number.ok_or_else(|| Error::internal("a node of the graph is missing"))?;
    let sql = "INSERT INTO graph_sources (node, document, name, label) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT DO UPDATE SET name = excluded.name, label = excluded.label";
    run(c, sql, (number, source, &thing.name, &thing.label))?;
    Ok(Some(number))
}

pub(super) fn spent(c: &Connection, now: Time) -> Result<u64> {
    let sql = "SELECT tokens FROM graph_usage WHERE day = ?1";
    Ok(first(c, sql, [now.day()], |row| Ok(row.get::<_, i64>(0)?))?.unwrap_or(0).unsigned_abs())
}

pub(super) fn spend(c: &Connection, tokens: u64, now: Time) -> Result<()> {
    let sql = "INSERT INTO graph_usage (day, tokens) VALUES (?1, ?2)
               ON CONFLICT (day) DO UPDATE SET tokens = tokens + excluded.tokens";
    run(c, sql, (now.day(), tokens.cast_signed())).map(drop)
}
