//! Platform settings: one JSON text in the database, one parsed copy in memory.

use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::{Value, json};

use super::{
    db::Db,
    people::Actor,
    sql::Tx,
    versions::{self, Thing},
};
use satchel_model::{
    error::{Error, Result},
    settings::Settings,
};

const KEY: &str = "platform";
/// How much is shown of what does not parse: it may quote the whole value.
const SHOWN: usize = 300;

/// The settings in force. Cheap to clone and to read.
#[derive(Clone)]
pub struct SettingsStore {
    db: Db,
    current: Arc<RwLock<Current>>,
}

/// What is in force, and how many changes it has behind it.
struct Current {
    changes: i64,
    settings: Arc<Settings>,
}

impl Current {
    /// Takes a change, unless a later one came first: answers do not come in the order of the commits.
    fn follow(&mut self, changes: i64, settings: &Arc<Settings>) {
        if changes > self.changes {
            *self = Self { changes, settings: Arc::clone(settings) };
        }
    }
}

impl SettingsStore {
    /// Reads what is stored, or the defaults.
    pub async fn load(db: Db) -> Result<Self> {
        let stored = db.read(|tx| {
            let moment = tx.moment()?;
            Ok(Current { changes: versions::last(&moment, Thing::Settings)?, settings: Arc::new(read(&moment)?) })
        });
        let current = stored.await?;
        Ok(Self { db, current: Arc::new(RwLock::new(current)) })
    }

    /// The settings in force now.
    pub fn get(&self) -> Arc<Settings> {
        Arc::clone(&self.current.read().settings)
    }

    /// Merges an object into the settings, keeps the result and returns it. An unknown key, a wrong type or a number out of
    /// its range is refused by name and changes nothing.
    pub async fn update(&self, by: &Actor, patch: Value) -> Result<Arc<Settings>> {
        let record = patch.clone();
        self.change(by, record, move |settings| {
            let mut whole = serde_json::to_value(&settings).map_err(Error::internal)?;
            merge(&mut whole, patch, "")?;
            let changed = parse(whole)?;
            changed.ensure_in_range(&settings)?;
            Ok(changed)
        })
        .await
    }

    /// Switches a tool on or off for everybody, by its name or its id.
    pub async fn switch_tool(&self, by: &Actor, tool: (String, String), on: bool) -> Result<Arc<Settings>> {
        let (name, id) = tool;
        let record = json!({"tool": name, "enabled": on});
        self.change(by, record, move |mut settings| {
            settings.disabled_tools.retain(|off| *off != name && *off != id);
            if !on {
                settings.disabled_tools.push(name);
            }
            Ok(settings)
        })
        .await
    }

    /// Changes what is stored, in one transaction with the row that says so.
    async fn change<F>(&self, by: &Actor, record: Value, change: F) -> Result<Arc<Settings>>
    where
        F: FnOnce(Settings) -> Result<Settings> + Send + 'static,
    {
        let by = by.clone();
        let changed = self.db.write(move |tx| {
            let settings = change(read(tx)?)?;
            let text = serde_json::to_string(&settings).map_err(Error::internal)?;
            tx.run(
                "INSERT INTO settings (key, value, updated_at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
                (KEY, text, by.now.millis()),
            )?;
            by.record(tx, "settings.update", record)?;
            Ok((versions::next(tx, Thing::Settings)?, Arc::new(settings)))
        });
        let (number, settings) = changed.await?;
        self.current.write().follow(number, &settings);
        Ok(settings)
    }
}

fn read(tx: &Tx) -> Result<Settings> {
    let text: Option<String> = tx.first("SELECT value FROM settings WHERE key = ?1", [KEY], |row| row.get("value"))?;
    match text {
        None => Ok(Settings::default()),
        Some(text) => serde_json::from_str(&text).map_err(Error::internal),
    }
}

fn parse(whole: Value) -> Result<Settings> {
    serde_path_to_error::deserialize(whole).map_err(|error| {
        let place = error.path().to_string();
        let what: String = error.inner().to_string().chars().take(SHOWN).collect();
        Error::invalid(format!("These settings cannot be used: `{place}`: {what}."))
            .with_details(json!({"field": place, "reason": what}))
    })
}

/// JSON merge patch (RFC 7396) but for null, which is a value here: "no limit".
/// A group of settings stays one: a list would be taken for its fields, in the order in which we happen to declare them.
fn merge(target: &mut Value, patch: Value, place: &str) -> Result<()> {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(target.entry(key.clone()).or_insert(Value::Null), value, &key)?;
            }
        }
        (Value::Object(_), _) => {
            return Err(Error::invalid(format!("These settings cannot be used: `{place}` must be an object.")));
        }
        (target, patch) => *target = patch,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Commit;
    use satchel_model::{
        caller::{Caller, Credential, Door, Permissions},
        id::Id,
        time::Time,
    };

    fn owner() -> Actor {
        let (user, username) = (Id::new(), "mara".to_owned());
        let credential = Credential::Local;
        let caller = Caller {
            user,
            username,
            permissions: Permissions::all(),
            door: Door::Cli,
            credential,
            personal: true,
            agent: None,
        };
        Actor { caller, session: None, now: Time::from_millis(1) }
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
        wanted.exec.mode = satchel_model::settings::ExecMode::Sandboxed;
        assert_eq!(*read, wanted);
    }

    #[tokio::test]
    async fn changes_made_at_once_are_all_kept_and_the_last_one_is_in_force() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir).await;
        let by = owner();
        let names: Vec<String> = (0..40).map(|n| format!("tool{n}")).collect();
        let switch = |name: &String| store.switch_tool(&by, (name.clone(), format!("builtin:{name}")), false);
        futures_util::future::try_join_all(names.iter().map(switch)).await.unwrap();
        assert_eq!(store.get().disabled_tools, names);
        assert_eq!(*SettingsStore::load(store.db.clone()).await.unwrap().get(), *store.get());
    }

    #[tokio::test]
    async fn a_group_is_not_replaced_by_a_list() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir).await;
        for patch in [json!({"files": [[]]}), json!({"files": null}), json!([true])] {
            assert!(store.update(&owner(), patch).await.unwrap_err().message().contains("must be an object"));
        }
        assert_eq!(*store.get(), Settings::default());
    }

    #[test]
    fn an_answer_that_comes_late_does_not_bring_back_an_earlier_state() {
        let of = |steps| {
            let mut settings = Settings::default();
            settings.chat.max_steps = steps;
            Arc::new(settings)
        };
        let mut current = Current { changes: 0, settings: of(0) };
        current.follow(2, &of(2));
        current.follow(1, &of(1));
        assert_eq!(current.settings, of(2));
    }

    #[tokio::test]
    async fn a_number_out_of_its_range_is_named_and_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(&dir).await;
        let error = store.update(&owner(), json!({"web": {"max_page_mb": 65}})).await.unwrap_err();
        assert_eq!(error.message(), "`web.max_page_mb` must be a whole number from 1 to 64, not 65.");
        assert_eq!(*store.get(), Settings::default());
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
