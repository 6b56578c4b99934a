//! A survey of a copy of the database: its tables, the files its rows name, the head of its audit, its key.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use crate::{
    model::{backup::AuditHead, error::Result},
    store::rows,
};

/// The contents of a copy.
pub(super) struct Survey {
    /// The number of its last migration.
    pub(super) schema: usize,
    /// Rows of each table.
    pub(super) rows: BTreeMap<String, i64>,
    /// Names of contents in the file storage.
    pub(super) files: BTreeSet<String>,
    /// The last row of its audit.
    pub(super) audit: Option<AuditHead>,
    /// The key its secrets are sealed with.
    pub(super) vault_key_id: Option<String>,
}

pub(super) fn survey(c: &Connection) -> Result<Survey> {
    Ok(Survey {
        schema: schema(c)?,
        rows: row_counts(c)?,
        files: files(c)?,
        audit: audit_head(c)?,
        vault_key_id: vault_key_id(c)?,
    })
}

/// Bytes of a page, and how many there are.
pub(super) fn pages(c: &Connection) -> Result<(u64, u64)> {
    let number = |sql: &str| c.query_row(sql, (), |row| row.get::<_, i64>(0));
    let (page, pages) = (number("PRAGMA page_size")?, number("PRAGMA page_count")?);
    Ok((page.unsigned_abs(), pages.unsigned_abs()))
}

/// The number of the last migration.
pub(super) fn schema(c: &Connection) -> Result<usize> {
    let version: i64 = c.query_row("PRAGMA user_version", (), |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or_default())
}

/// Rows of each table; those of full-text search are counted where they really lie.
pub(super) fn row_counts(c: &Connection) -> Result<BTreeMap<String, i64>> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
               AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name";
    let names = rows::all(c, sql, (), |row| Ok(row.get::<_, String>(0)?))?;
    let mut counts = BTreeMap::new();
    for name in names {
        let quoted = name.replace('"', "\"\"");
        let count = c.query_row(&format!("SELECT count(*) FROM \"{quoted}\""), (), |row| row.get(0))?;
        counts.insert(name, count);
    }
    Ok(counts)
}

/// Names of contents in the file storage.
pub(super) fn files(c: &Connection) -> Result<BTreeSet<String>> {
    if !has(c, "documents")? {
        return Ok(BTreeSet::new());
    }
    let sql = "SELECT DISTINCT file FROM documents WHERE file IS NOT NULL";
    Ok(rows::all(c, sql, (), |row| Ok(row.get(0)?))?.into_iter().collect())
}

/// The last row of the audit.
pub(super) fn audit_head(c: &Connection) -> Result<Option<AuditHead>> {
    if !has(c, "audit")? {
        return Ok(None);
    }
    rows::first(c, "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1", (), |row| {
        Ok(AuditHead { seq: row.get(0)?, hash: hex::encode(row.get::<_, Vec<u8>>(1)?) })
    })
}

/// Whether there is a vault: the first schema had none.
pub(super) fn has_vault(c: &Connection) -> Result<bool> {
    has(c, "vault")
}

/// The key the vault's secrets are sealed with.
pub(super) fn vault_key_id(c: &Connection) -> Result<Option<String>> {
    if !has(c, "vault")? {
        return Ok(None);
    }
    rows::first(c, "SELECT kek FROM vault WHERE owner = 'vault' AND name = 'canary'", (), |row| Ok(row.get(0)?))
}

/// Secrets in the vault, but for the one that proves its key.
pub(super) fn secrets(c: &Connection) -> Result<i64> {
    if !has(c, "vault")? {
        return Ok(0);
    }
    Ok(c.query_row("SELECT count(*) FROM vault WHERE owner <> 'vault' OR name <> 'canary'", (), |row| row.get(0))?)
}

/// Forgets every secret, and the key with them: the next start makes a new one.
pub(super) fn forget_secrets(c: &Connection) -> Result<()> {
    rows::run(c, "DELETE FROM vault", ())?;
    rows::run(c, "DELETE FROM settings WHERE key = 'vault_salt'", ()).map(drop)
}

/// Ends every session.
pub(super) fn end_sessions(c: &Connection) -> Result<()> {
    rows::run(c, "DELETE FROM sessions", ()).map(drop)
}

/// The API keys that are good, by id.
pub(super) fn keys(c: &Connection) -> Result<BTreeSet<String>> {
    Ok(rows::all(c, "SELECT id FROM api_keys", (), |row| Ok(row.get(0)?))?.into_iter().collect())
}

/// Revokes the keys that are not among those that are good now. Returns how many.
pub(super) fn revoke_others(c: &Connection, good: &BTreeSet<String>) -> Result<usize> {
    let revoked = keys(c)?.difference(good).cloned().collect::<Vec<_>>();
    for key in &revoked {
        rows::run(c, "DELETE FROM api_keys WHERE id = ?1", [key])?;
    }
    Ok(revoked.len())
}

fn has(c: &Connection, table: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    Ok(rows::first(c, sql, [table], |_| Ok(()))?.is_some())
}
