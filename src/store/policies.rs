//! Policies: a document in versions, the last of which is in force; one parsed copy of it in memory.

use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::json;

use super::{db::Db, people::Actor, sql::Tx};
use satchel_model::{
    error::{Error, Result},
    policy::Policies,
};

/// Versions that are kept.
const KEPT: i64 = 200;

/// A version of the document. Version 0 is the empty one, before anybody wrote any.
#[derive(Debug, Default)]
pub struct StoredPolicies {
    /// Its number.
    pub version: i64,
    /// The document.
    pub document: Policies,
}

/// The policies in force. Cheap to clone and to read.
#[derive(Clone)]
pub struct PolicyStore {
    db: Db,
    current: Arc<RwLock<Arc<StoredPolicies>>>,
}

impl PolicyStore {
    /// Reads what is stored.
    pub async fn load(db: Db) -> Result<Self> {
        let current = db.read(last).await?;
        Ok(Self { db, current: Arc::new(RwLock::new(Arc::new(current))) })
    }

    /// The policies in force now.
    pub fn get(&self) -> Arc<StoredPolicies> {
        Arc::clone(&self.current.read())
    }

    /// Puts a document in the place of the one in force.
    ///
    /// # Errors
    ///
    /// If it is too large, or was made from another version than the one in force: `seen` names that, where it is known.
    pub async fn replace(&self, by: &Actor, seen: Option<i64>, document: Policies) -> Result<Arc<StoredPolicies>> {
        document.ensure_bounded()?;
        let by = by.clone();
        let stored = self.db.write(move |tx| {
            let version = number(tx)?;
            if seen.is_some_and(|seen| seen != version) {
                return Err(Error::conflict(format!(
                    "Somebody else has changed the policies meanwhile: version {version} is in force. Read them anew, \
                     then change those."
                )));
            }
            let (version, text) = (version + 1, serde_json::to_string(&document).map_err(Error::internal)?);
            let sql = "INSERT INTO policies (version, document, person, made_at) VALUES (?1, ?2, ?3, ?4)";
            tx.run(sql, (version, text, &by.caller.username, by.now.millis()))?;
            tx.run("DELETE FROM policies WHERE version <= ?1", [version - KEPT])?;
            let layers: Vec<String> = document.written().into_iter().map(|(place, _)| place).collect();
            by.record(tx, "policies.update", json!({"version": version, "layers": layers}))?;
            Ok(Arc::new(StoredPolicies { version, document }))
        });
        let stored = stored.await?;
        let mut current = self.current.write();
        // Answers do not come in the order of the commits.
        if stored.version > current.version {
            *current = Arc::clone(&stored);
        }
        Ok(stored)
    }
}

fn number(tx: &Tx) -> Result<i64> {
    tx.one("SELECT coalesce(max(version), 0) FROM policies", ())
}

fn last(tx: &Tx) -> Result<StoredPolicies> {
    let sql = "SELECT version, document FROM policies ORDER BY version DESC LIMIT 1";
    let found =
        tx.first(sql, (), |row| Ok(StoredPolicies { version: row.get("version")?, document: row.json("document")? }))?;
    Ok(found.unwrap_or_default())
}
