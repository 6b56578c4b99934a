//! The configuration of tools: every value sealed in the vault, under `tool:<name>`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    db::Db,
    people::Actor,
    vault::{self, Vault},
};
use satchel_model::{
    error::{Error, Result},
    secret::{MASK, SHORTEST, Secret},
    spec::Setting,
};

/// One value that is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The value.
    pub value: Secret,
    /// Whether it was given as a secret: it stays one until it is set anew, whatever the tool says of its key by then.
    pub secret: bool,
}

/// The configuration of all tools. Cheap to clone.
#[derive(Clone)]
pub struct ToolConfig {
    db: Db,
    vault: Vault,
}

impl ToolConfig {
    /// The configuration kept in this database and vault.
    pub fn new(db: &Db, vault: &Vault) -> Self {
        Self { db: db.clone(), vault: vault.clone() }
    }

    /// What is stored for a tool; defaults are not in it.
    pub async fn values(&self, tool: &str) -> Result<BTreeMap<String, Stored>> {
        let (vault, owner) = (self.vault.clone(), owner(tool));
        self.db
            .read(move |tx| {
                let mut values = BTreeMap::new();
                for name in vault::names_in(tx, &owner)? {
                    let place = (owner.as_str(), name.as_str());
                    let Some(value) = vault.get_in(tx, place)? else { continue };
                    let secret = !vault::is_plain(tx, place)?;
                    values.insert(name, Stored { value, secret });
                }
                Ok(values)
            })
            .await
    }

    /// A text that is another one once a value of a tool was stored anew, or forgotten. It tells nothing of the values.
    pub async fn fingerprint(&self, tool: &str) -> Result<String> {
        let owner = owner(tool);
        self.db.read(move |tx| vault::fingerprint_in(tx, &owner)).await
    }

    /// The keys stored for each tool, for showing the status of all at once.
    pub async fn keys_set(&self) -> Result<BTreeMap<String, Vec<String>>> {
        self.db.read(vault::tools_in).await
    }

    /// Stores values. `***` keeps what is stored and `null` deletes; an unknown key, or one that starts with `_`, is
    /// refused and changes nothing.
    pub async fn set(&self, by: &Actor, tool: &str, settings: &[Setting], values: Map<String, Value>) -> Result<()> {
        let changes = changes(settings, values)?;
        let plain: BTreeSet<String> = settings.iter().filter(|one| !one.secret).map(|one| one.key.clone()).collect();
        let (vault, by, tool, owner) = (self.vault.clone(), by.clone(), tool.to_owned(), owner(tool));
        self.db
            .write(move |tx| {
                for (key, value) in &changes {
                    match value {
                        Some(value) => vault.put_in(tx, (&owner, key), value, by.now)?,
                        None => vault::delete_in(tx, (&owner, key)).map(drop)?,
                    }
                    if plain.contains(key) {
                        vault::mark_plain(tx, (&owner, key))?;
                    }
                }
                let keys: Vec<_> = changes.keys().collect();
                by.record(tx, "tool.configure", json!({"tool": tool, "keys": keys}))
            })
            .await
    }

    /// Forgets one value; fails where nothing is stored under a key the tool does not know.
    pub async fn delete(&self, by: &Actor, tool: &str, settings: &[Setting], key: &str) -> Result<()> {
        let known = settings.iter().any(|setting| setting.key == key);
        let (by, tool, owner, key) = (by.clone(), tool.to_owned(), owner(tool), key.to_owned());
        self.db
            .write(move |tx| {
                let was_there = vault::delete_in(tx, (&owner, &key))?;
                if !was_there && !known {
                    let shown: String = key.chars().take(64).collect();
                    return Err(Error::not_found(format!("The tool {tool} has no setting '{shown}'.")));
                }
                by.record(tx, "tool.configure", json!({"tool": tool, "deleted": key}))
            })
            .await
    }
}

/// What an answer shows of a tool's configuration: secrets as `***`, what is not set as null.
pub fn masked(settings: &[Setting], stored: &BTreeMap<String, Stored>) -> Map<String, Value> {
    let shown = |setting: &Setting| match stored.get(&setting.key) {
        None => Value::Null,
        Some(stored) if setting.secret || stored.secret => Value::from(MASK),
        Some(stored) => Value::from(stored.value.expose()),
    };
    settings.iter().map(|setting| (setting.key.clone(), shown(setting))).collect()
}

fn owner(tool: &str) -> String {
    format!("tool:{tool}")
}

/// The changes that were asked for, `None` meaning: forget it.
fn changes(settings: &[Setting], values: Map<String, Value>) -> Result<BTreeMap<String, Option<Secret>>> {
    let mut changes = BTreeMap::new();
    for (key, value) in values {
        let setting = settings.iter().find(|setting| setting.key == key).filter(|_| !key.starts_with('_'));
        let Some(setting) = setting else { return Err(unknown(settings, &key)) };
        let value = match value {
            Value::String(text) if text == MASK => continue,
            Value::Null => None,
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(text),
            Value::Number(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                let message = format!("The value of '{key}' must be a text, in quotes, or null.");
                return Err(Error::invalid(message).with_details(json!({"field": key})));
            }
        };
        if setting.secret && value.as_ref().is_some_and(|value| value.len() < SHORTEST) {
            let message = format!(
                "The secret '{key}' is too short to be told from ordinary words and kept out of results: {SHORTEST} \
                 characters are the least."
            );
            return Err(Error::invalid(message).with_details(json!({"field": key})));
        }
        changes.insert(key, value.map(Secret::new));
    }
    Ok(changes)
}

fn unknown(settings: &[Setting], key: &str) -> Error {
    let known: Vec<&str> = settings.iter().map(|setting| setting.key.as_str()).collect();
    let shown: String = key.chars().take(64).collect();
    let message = match known.as_slice() {
        [] => format!("'{shown}' is not a setting: this tool has none."),
        known => format!("'{shown}' is not a setting of this tool. It knows: {}.", known.join(", ")),
    };
    Error::invalid(message).with_details(json!({"field": shown, "known": known}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Commit;
    use satchel_config::VaultKey;
    use satchel_model::{
        caller::{Caller, Credential, Door, Permissions},
        time::Time,
        user::UserId,
    };

    fn settings() -> Vec<Setting> {
        let setting = |key: &str, secret| Setting {
            key: key.to_owned(),
            description: String::new(),
            secret,
            required: true,
            default: None,
        };
        vec![setting("api_key", true), setting("endpoint", false)]
    }

    fn actor() -> Actor {
        let (user, permissions) = (UserId::new(), Permissions::all());
        let (door, credential) = (Door::Api, Credential::Session);
        let caller =
            Caller { user, username: "owner".to_owned(), permissions, door, credential, personal: true, agent: None };
        Actor { caller, session: None, now: Time::from_millis(0) }
    }

    async fn config(dir: &tempfile::TempDir) -> ToolConfig {
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let vault = Vault::open(db.clone(), dir.path(), &VaultKey::File, Time::from_millis(0)).await.unwrap();
        ToolConfig::new(&db, &vault)
    }

    async fn set(config: &ToolConfig, values: Value) -> Result<()> {
        let Value::Object(values) = values else { panic!("not an object") };
        config.set(&actor(), "web_search", &settings(), values).await
    }

    #[tokio::test]
    async fn secrets_are_masked_and_three_stars_keep_them() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(&dir).await;
        set(&config, json!({"api_key": "sesame", "endpoint": "https://a.example"})).await.unwrap();
        set(&config, json!({"api_key": "***", "endpoint": "https://b.example"})).await.unwrap();
        let stored = config.values("web_search").await.unwrap();
        assert_eq!(stored["api_key"], Stored { value: Secret::new("sesame"), secret: true });
        let shown = Value::Object(masked(&settings(), &stored));
        assert_eq!(shown, json!({"api_key": "***", "endpoint": "https://b.example"}));
        assert_eq!(config.keys_set().await.unwrap()["web_search"], ["api_key", "endpoint"]);
    }

    #[tokio::test]
    async fn unknown_and_underscored_keys_are_refused_and_change_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(&dir).await;
        for key in ["colour", "_internal", ""] {
            let error = set(&config, json!({"endpoint": "x", key: "y"})).await.unwrap_err();
            assert!(error.message().contains("It knows: api_key, endpoint."), "{error}");
        }
        for no_text in [json!(["x"]), json!(5), json!(true)] {
            let error = set(&config, json!({"endpoint": no_text})).await.unwrap_err();
            assert!(error.message().contains("'endpoint' must be a text"), "{error}");
        }
        assert!(config.values("web_search").await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_value_is_deleted_by_its_key_or_by_null() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(&dir).await;
        set(&config, json!({"api_key": "sesame", "endpoint": "b"})).await.unwrap();
        set(&config, json!({"endpoint": null})).await.unwrap();
        config.delete(&actor(), "web_search", &settings(), "api_key").await.unwrap();
        config.delete(&actor(), "web_search", &settings(), "api_key").await.unwrap();
        assert!(config.delete(&actor(), "web_search", &settings(), "colour").await.is_err());
        assert!(config.values("web_search").await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn what_was_stored_as_a_secret_stays_one_until_it_is_set_anew() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(&dir).await;
        set(&config, json!({"api_key": "sesame", "endpoint": "https://a.example"})).await.unwrap();
        let plain: Vec<Setting> = settings().into_iter().map(|one| Setting { secret: false, ..one }).collect();
        let shown = async || Value::Object(masked(&plain, &config.values("web_search").await.unwrap()));
        assert_eq!(shown().await, json!({"api_key": "***", "endpoint": "https://a.example"}));
        config.vault.rotate(&actor()).await.unwrap();
        assert_eq!(shown().await, json!({"api_key": "***", "endpoint": "https://a.example"}));
        let anew = async |value: Value| {
            let values = Map::from_iter([("api_key".to_owned(), value)]);
            config.set(&actor(), "web_search", &plain, values).await
        };
        anew(json!("***")).await.unwrap();
        assert_eq!(shown().await["api_key"], "***");
        anew(json!("open")).await.unwrap();
        assert_eq!(shown().await["api_key"], "open");
        set(&config, json!({"api_key": "sesame"})).await.unwrap();
        assert_eq!(shown().await["api_key"], "***");
    }

    #[tokio::test]
    async fn what_was_stored_before_its_row_said_so_is_a_secret_but_for_what_never_was_one() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(&dir).await;
        for key in ["base_url", "endpoint"] {
            config.vault.put("tool:web_search", key, Secret::new("value"), Time::from_millis(0)).await.unwrap();
        }
        let migration = include_str!("../../migrations/21-plain-settings/up.sql");
        let again = format!("ALTER TABLE vault DROP COLUMN plain; {migration}");
        config.db.write(move |tx| tx.script(&again)).await.unwrap();
        let stored = config.values("web_search").await.unwrap();
        assert_eq!([stored["base_url"].secret, stored["endpoint"].secret], [false, true]);
    }

    #[tokio::test]
    async fn a_secret_too_short_to_be_masked_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(&dir).await;
        let error = set(&config, json!({"endpoint": "b", "api_key": "abc"})).await.unwrap_err();
        assert!(error.message().contains("'api_key' is too short"), "{error}");
        assert!(config.values("web_search").await.unwrap().is_empty());
        set(&config, json!({"api_key": "abcd"})).await.unwrap();
    }

    #[tokio::test]
    async fn one_tool_never_sees_another_tools_values() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(&dir).await;
        set(&config, json!({"api_key": "sesame"})).await.unwrap();
        assert!(config.values("web").await.unwrap().is_empty());
        assert!(config.values("web_searcher").await.unwrap().is_empty());
    }
}
