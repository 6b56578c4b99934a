//! Platform settings: one JSON text in the database, one parsed copy in memory.

use std::sync::Arc;

use parking_lot::RwLock;
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;

use super::{db::Db, people::Actor};
use crate::model::{
    error::{Error, Result},
    settings::Settings,
};

const KEY: &str = "platform";

/// The settings in force. Cheap to clone and to read.
#[derive(Clone)]
pub struct SettingsStore {
    db: Db,
    current: Arc<RwLock<Arc<Settings>>>,
}

impl SettingsStore {
    /// Reads what is stored, or the defaults.
    pub async fn load(db: Db) -> Result<Self> {
        let current = db.read(read).await?;
        Ok(Self { db, current: Arc::new(RwLock::new(Arc::new(current))) })
    }

    /// The settings in force now.
    pub fn get(&self) -> Arc<Settings> {
        Arc::clone(&self.current.read())
    }

    /// Merges an object into the settings, keeps the result and returns it. An unknown key or a wrong type
    /// is refused by name and changes nothing.
    pub async fn update(&self, by: &Actor, patch: Value) -> Result<Arc<Settings>> {
        let cell = Arc::clone(&self.current);
        let by = by.clone();
        self.db
            .write(move |c| {
                let mut whole = serde_json::to_value(read(c)?).map_err(Error::internal)?;
                merge(&mut whole, patch.clone());
                let settings: Settings = serde_json::from_value(whole)
                    .map_err(|e| Error::invalid(format!("These settings cannot be used: {e}.")))?;
                let text = serde_json::to_string(&settings).map_err(Error::internal)?;
                c.execute(
                    "INSERT INTO settings (key, value, updated_at) VALUES (?1, ?2, ?3)
                     ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
                    (KEY, text, by.now.millis()),
                )?;
                by.record(c, "settings.update", patch)?;
                Ok(Arc::new(settings))
            })
            .await
            .inspect(|settings| *cell.write() = Arc::clone(settings))
    }
}

fn read(c: &Connection) -> Result<Settings> {
    let text: Option<String> =
        c.query_row("SELECT value FROM settings WHERE key = ?1", [KEY], |row| row.get(0)).optional()?;
    match text {
        None => Ok(Settings::default()),
        Some(text) => serde_json::from_str(&text).map_err(Error::internal),
    }
}

/// JSON merge patch (RFC 7396) but for null, which is a value here: "no limit".
fn merge(target: &mut Value, patch: Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, patch) => *target = patch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{
            caller::{Caller, Credential, Door, Permissions},
            id::Id,
            time::Time,
        },
        store::db::Commit,
    };
    use serde_json::json;

    fn owner() -> Actor {
        let (user, username) = (Id::new(), "mara".to_owned());
        let credential = Credential::Local;
        let caller = Caller { user, username, permissions: Permissions::all(), door: Door::Cli, credential };
        Actor { caller, now: Time::from_millis(1) }
    }

    async fn store(dir: &tempfile::TempDir) -> SettingsStore {
        SettingsStore::load(Db::open(&dir.path().join("s.db"), Commit::Grouped).unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn a_patch_changes_what_it_names_and_lasts() {
        let dir = tempfile::tempdir().unwrap();
        store(&dir).await.update(&owner(), json!({"exec": {"mode": "sandboxed"}})).await.unwrap();
        let read = store(&dir).await.get();
        let mut wanted = Settings::default();
        wanted.exec.mode = crate::model::settings::ExecMode::Sandboxed;
        assert_eq!(*read, wanted);
    }

    #[tokio::test]
    async fn an_unknown_key_is_named_and_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir).await;
        let patch = json!({"tools_enabled": false, "colour": 1});
        let error = store.update(&owner(), patch).await.unwrap_err();
        assert!(error.message().contains("colour"), "{error}");
        assert!(store.get().tools_enabled);
    }
}
