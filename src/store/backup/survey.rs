//! A survey of a copy of the database: its tables, the files its rows name, the head of its audit, its key.

use std::collections::{BTreeMap, BTreeSet};

use crate::sql::Tx;
use satchel_model::{backup::AuditHead, error::Result};

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

pub(super) fn survey(tx: &Tx) -> Result<Survey> {
    Ok(Survey {
        schema: tx.schema()?,
        rows: row_counts(tx)?,
        files: files(tx)?,
        audit: audit_head(tx)?,
        vault_key_id: vault_key_id(tx)?,
    })
}

/// Rows of each table, as [`Tx::tables`] names them.
pub(super) fn row_counts(tx: &Tx) -> Result<BTreeMap<String, i64>> {
    let counted = |name: String| tx.count(&name).map(|count| (name, count));
    tx.tables()?.into_iter().map(counted).collect()
}

/// Names of contents in the file storage.
pub(super) fn files(tx: &Tx) -> Result<BTreeSet<String>> {
    if !tx.has_table("documents")? {
        return Ok(BTreeSet::new());
    }
    let sql = "SELECT DISTINCT file FROM documents WHERE file IS NOT NULL";
    Ok(tx.all(sql, (), |row| row.get("file"))?.into_iter().collect())
}

/// The last row of the audit.
pub(super) fn audit_head(tx: &Tx) -> Result<Option<AuditHead>> {
    if !tx.has_table("audit")? {
        return Ok(None);
    }
    tx.first("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1", (), |row| {
        Ok(AuditHead { seq: row.get("seq")?, hash: hex::encode(row.get::<Vec<u8>>("hash")?) })
    })
}

/// Whether there is a vault: the first schema had none.
pub(super) fn has_vault(tx: &Tx) -> Result<bool> {
    tx.has_table("vault")
}

/// The key the vault's secrets are sealed with.
pub(super) fn vault_key_id(tx: &Tx) -> Result<Option<String>> {
    if !tx.has_table("vault")? {
        return Ok(None);
    }
    tx.first("SELECT kek FROM vault WHERE owner = 'vault' AND name = 'canary'", (), |row| row.get("kek"))
}

/// Secrets in the vault, but for the one that proves its key.
pub(super) fn secrets(tx: &Tx) -> Result<i64> {
    if !tx.has_table("vault")? {
        return Ok(0);
    }
    tx.one("SELECT count(*) FROM vault WHERE owner <> 'vault' OR name <> 'canary'", ())
}

/// Forgets every secret, and the key with them: the next start makes a new one.
pub(super) fn forget_secrets(tx: &Tx) -> Result<()> {
    tx.run("DELETE FROM vault", ())?;
    tx.run("DELETE FROM settings WHERE key = 'vault_salt'", ()).map(drop)
}

/// Ends every session.
pub(super) fn end_sessions(tx: &Tx) -> Result<()> {
    tx.run("DELETE FROM sessions", ()).map(drop)
}

/// The API keys that are good, by id.
pub(super) fn keys(tx: &Tx) -> Result<BTreeSet<String>> {
    Ok(tx.all("SELECT id FROM api_keys", (), |row| row.get("id"))?.into_iter().collect())
}

/// Revokes the keys that are not among those that are good now. Returns how many.
pub(super) fn revoke_others(tx: &Tx, good: &BTreeSet<String>) -> Result<usize> {
    let revoked = keys(tx)?.difference(good).cloned().collect::<Vec<_>>();
    for key in &revoked {
        tx.run("DELETE FROM api_keys WHERE id = ?1", [key])?;
    }
    Ok(revoked.len())
}
