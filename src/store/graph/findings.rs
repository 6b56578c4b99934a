//! What was found in documents, as nodes and edges that go with them.

use serde_json::json;

use crate::{
    chunks,
    sql::{Row, Tx, like, params},
};
use satchel_model::{
    error::{Error, Result},
    graph::{Finding, Thing},
    text::head,
    time::Time,
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
    /// The content among its own.
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

pub(super) fn unread(tx: &Tx, limit: usize) -> Result<Vec<Unread>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM documents d LEFT JOIN graph_reads r ON r.document = d.number
         WHERE d.deleted_at IS NULL AND d.status = 'ready' AND d.version > coalesce(r.version, 0) ORDER BY d.number LIMIT ?1"
    );
    of(tx, &sql, limit)
}

pub(super) fn unread_by_model(tx: &Tx, limit: usize) -> Result<Vec<Unread>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM documents d JOIN graph_reads r ON r.document = d.number AND r.version = d.version
         WHERE d.deleted_at IS NULL AND d.status = 'ready' AND NOT r.by_model ORDER BY d.number LIMIT ?1"
    );
    of(tx, &sql, limit)
}

fn of(tx: &Tx, sql: &str, limit: usize) -> Result<Vec<Unread>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(sql, [limit], document)
}

fn document(row: &Row<'_>) -> Result<Unread> {
    Ok(Unread {
        number: row.get("number")?,
        id: row.get("id")?,
        title: row.get("title")?,
        version: row.get("version")?,
        kind: row.get("kind")?,
        file: row.get("file")?,
    })
}

pub(super) fn content(tx: &Tx, document: i64, most: usize) -> Result<Content> {
    let mut text = chunks::text(tx, document)?;
    text.truncate(head(&text, most).len());
    let sql = "SELECT c.heading FROM chunks c JOIN documents d ON d.number = c.document AND d.version = c.version
               WHERE c.document = ?1 AND c.heading <> '' GROUP BY c.heading ORDER BY min(c.ordinal)";
    Ok(Content { text, headings: tx.all(sql, [document], |row| row.get("heading"))? })
}

/// Passages of other documents that hold this document's title, each with its document.
pub(super) fn holding_title(tx: &Tx, of: &Unread, limit: usize) -> Result<Vec<(Unread, String)>> {
    let chunks = tx.one::<i64>("SELECT count(*) FROM chunks", ())?;
    if chunks > SEARCHED {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT {COLUMNS}, c.text FROM chunks c JOIN documents d ON d.number = c.document AND d.version = c.version
         WHERE d.number <> ?1 AND d.deleted_at IS NULL AND lower(c.text) LIKE lower(?2) ESCAPE '\\' LIMIT ?3"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.all(&sql, (of.number, like(&of.title), limit), |row| Ok((document(row)?, row.get("text")?)))
}

pub(super) fn also(tx: &Tx, document: &Unread, findings: &[Finding], now: Time) -> Result<()> {
    if still_there(tx, document)? { add(tx, document, findings, now) } else { Ok(()) }
}

pub(super) fn titles(tx: &Tx) -> Result<Vec<(String, String)>> {
    let sql = "SELECT id, title FROM documents WHERE deleted_at IS NULL";
    tx.all(sql, (), |row| Ok((row.get("id")?, row.get("title")?)))
}

pub(super) fn put(tx: &Tx, document: &Unread, findings: &[Finding], now: Time) -> Result<()> {
    if !still_there(tx, document)? {
        return Ok(());
    }
    tx.run("DELETE FROM graph_edges WHERE document = ?1", [document.number])?;
    // The document's own node stays: the edges others have to it would go with it.
    tx.run(
        "DELETE FROM graph_sources WHERE document = ?1 AND node NOT IN (SELECT number FROM graph_nodes WHERE id = ?2)",
        (document.number, own_id(&document.id)),
    )?;
    add(tx, document, findings, now)?;
    let sql = "INSERT INTO graph_reads (document, version) VALUES (?1, ?2)
               ON CONFLICT (document) DO UPDATE SET version = excluded.version, by_model = FALSE";
    tx.run(sql, (document.number, document.version)).map(drop)
}

pub(super) fn put_by_model(tx: &Tx, document: &Unread, findings: &[Finding], now: Time) -> Result<()> {
    if !still_there(tx, document)? {
        return Ok(());
    }
    add(tx, document, findings, now)?;
    let sql = "UPDATE graph_reads SET by_model = TRUE WHERE document = ?1 AND version = ?2";
    tx.run(sql, (document.number, document.version))?;
    Ok(())
}

/// It may have been deleted or changed while it was read.
fn still_there(tx: &Tx, document: &Unread) -> Result<bool> {
    let sql = "SELECT 1 FROM documents WHERE number = ?1 AND version = ?2 AND deleted_at IS NULL";
    tx.exists(sql, (document.number, document.version))
}

fn add(tx: &Tx, document: &Unread, findings: &[Finding], now: Time) -> Result<()> {
    let own = Thing { id: own_id(&document.id), label: DOCUMENT.to_owned(), name: document.title.clone() };
    let Some(own) = node(tx, document.number, &own, now)? else { return Ok(()) };
    for finding in findings {
        let from = finding.from.as_ref().map_or(Ok(Some(own)), |from| node(tx, document.number, from, now))?;
        let to = node(tx, document.number, &finding.to, now)?;
        let (Some(from), Some(to)) = (from, to) else { continue };
        tx.run(
            "INSERT INTO graph_edges (src, rel, dst, document, props, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, '{}', ?5, ?5) ON CONFLICT DO NOTHING",
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
fn node(tx: &Tx, document: i64, thing: &Thing, now: Time) -> Result<Option<i64>> {
    // A document is seen by who sees it, not by who sees one that speaks of it.
    let source = match thing.id.strip_prefix("document:") {
        Some(id) => tx.first("SELECT number FROM documents WHERE id = ?1", [id], |row| row.get("number"))?,
        None => Some(document),
    };
    let Some(source) = source else { return Ok(None) };
    let props = json!({"name": thing.name}).to_string();
    let labels = json!([thing.label]).to_string();
    let changed = tx.run(
        "INSERT INTO graph_nodes (id, name, labels, props, put, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, FALSE, ?5, ?5)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, labels = excluded.labels, props = excluded.props,
           updated_at = excluded.updated_at WHERE NOT graph_nodes.put AND graph_nodes.name <> excluded.name",
        params![thing.id, thing.name, labels, props, now.millis()],
    )?;
    let number = tx.first("SELECT number FROM graph_nodes WHERE id = ?1", [&thing.id], |row| row.get("number"))?;
    let number: i64 = number.ok_or_else(|| Error::internal("a node of the graph is missing"))?;
    if changed > 0 {
        super::put_labels(tx, number, std::slice::from_ref(&thing.label))?;
    }
    let sql = "INSERT INTO graph_sources (node, document, name, label) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (node, document) DO UPDATE SET name = excluded.name, label = excluded.label";
    tx.run(sql, (number, source, &thing.name, &thing.label))?;
    Ok(Some(number))
}

pub(super) fn spent(tx: &Tx, now: Time) -> Result<u64> {
    let sql = "SELECT tokens FROM graph_usage WHERE day = ?1";
    Ok(tx.first(sql, [now.day()], |row| row.get::<i64>("tokens"))?.unwrap_or(0).unsigned_abs())
}

pub(super) fn spend(tx: &Tx, tokens: u64, now: Time) -> Result<()> {
    let sql = "INSERT INTO graph_usage (day, tokens) VALUES (?1, ?2)
               ON CONFLICT (day) DO UPDATE SET tokens = graph_usage.tokens + excluded.tokens";
    tx.run(sql, (now.day(), tokens.cast_signed())).map(drop)
}
