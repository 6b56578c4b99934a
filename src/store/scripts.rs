//! Scripts of the console, their versions, the hosts scripts were granted, and what they keep.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    db::Db,
    origin,
    people::Actor,
    sql::{Row, Tx, params},
    vault,
};
use satchel_model::{
    error::{Error, Result},
    id::shorten,
    origin::Origin,
    script::{Author, Grants, Version},
    time::Time,
    user::UserId,
};

/// Most keys a script keeps for a user.
const MAX_KEYS: i64 = 1_000;
/// Longest value, as JSON, in bytes.
const MAX_VALUE: usize = 64 << 10;
/// Longest key, in bytes.
const MAX_KEY: usize = 200;
/// Most bytes a script keeps for a user.
const MAX_KEPT: i64 = 1 << 20;

/// A script of the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// A text that is not published.
    pub draft: Option<String>,
    /// The live text and its version.
    pub live: Option<(u32, String)>,
    /// The last change.
    pub updated_at: Time,
    /// Who made it, where that is known.
    pub updated_by: Option<String>,
    /// The person who published the live text.
    pub author: Option<Author>,
}

/// A value that a script keeps under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptValue {
    /// The value.
    pub value: Value,
    /// The origin of content from outside that was near when it was kept.
    pub origin: Option<Origin>,
    /// When it was kept.
    pub updated_at: Time,
}

impl Kept {
    /// SHA-256 of the text that is edited next, the draft or the live one: what a change of it names as its base.
    pub fn digest(&self) -> String {
        let live = self.live.as_ref().map(|(_, source)| source);
        hex::encode(Sha256::digest(self.draft.as_ref().or(live).map(String::as_str).unwrap_or_default()))
    }

    /// Fails where a change began from another text than this. One that does not say where it began is let through.
    pub fn require_base(&self, base: Option<&str>) -> Result<()> {
        let digest = self.digest();
        if base.is_none_or(|base| base == digest) {
            return Ok(());
        }
        let (who, name) = (self.updated_by.as_deref().unwrap_or("Somebody"), &self.name);
        let version = self.live.as_ref().map(|(version, _)| *version);
        let done = match version.filter(|_| self.draft.is_none()) {
            Some(version) => format!("published version {version} of {name}"),
            None => format!("saved a draft of {name}"),
        };
        let message =
            format!("{who} {done} meanwhile: this began from another text. Read it again, then say which goes on.");
        Err(Error::conflict(message).with_details(json!({"changed": {
            "by": self.updated_by,
            "at": self.updated_at,
            "version": version,
            "draft": self.draft.is_some(),
            "digest": digest,
        }})))
    }
}

/// A text that is to become the next version.
#[derive(Debug, Clone)]
pub struct NewVersion {
    /// The text.
    pub source: String,
    /// What was changed.
    pub note: Option<String>,
    /// What it may do that the live one could not.
    pub wider: Vec<String>,
    /// The digest of the text it takes the place of, where that is to be made sure of.
    pub base: Option<String>,
}

/// The scripts. Cheap to clone.
#[derive(Clone)]
pub struct Scripts {
    db: Db,
}

const KEPT: &str = "SELECT s.name, s.draft, s.published, v.source, s.updated_at, s.updated_by, v.author, v.author_id
    FROM scripts s
    LEFT JOIN script_versions v ON v.script = s.name AND v.version = s.published";

impl Scripts {
    /// The scripts of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// All, by name.
    pub async fn all(&self) -> Result<Vec<Kept>> {
        self.db.read(|tx| tx.all(&format!("{KEPT} ORDER BY s.name"), (), kept)).await
    }

    /// One.
    pub async fn one(&self, name: &str) -> Result<Option<Kept>> {
        let name = name.to_owned();
        self.db.read(move |tx| tx.first(&format!("{KEPT} WHERE s.name = ?1"), [name], kept)).await
    }

    /// Keeps a text that is not live; makes the script where there is none. `base` is the digest of the text it began
    /// from, empty where there was none. A new one inherits nothing that an earlier owner of its name has left, such as
    /// a file that is gone.
    pub async fn save_draft(&self, by: &Actor, name: &str, source: String, base: Option<String>) -> Result<()> {
        let (by, name) = (by.clone(), name.to_owned());
        self.db
            .write(move |tx| {
                require_base(tx, &name, base.as_deref())?;
                if tx.first("SELECT 1 FROM scripts WHERE name = ?1", [&name], |_| Ok(()))?.is_none() {
                    forget_all(tx, &name)?;
                }
                let sql = "INSERT INTO scripts (name, draft, updated_at, updated_by) VALUES (?1, ?2, ?3, ?4)
                           ON CONFLICT (name) DO UPDATE SET draft = ?2, updated_at = ?3, updated_by = ?4";
                tx.run(sql, params![name, source, by.now.millis(), by.caller.username])?;
                by.record(tx, "script.save", json!({"script": name, "bytes": source.len()}))
            })
            .await
    }

    /// Throws the draft of a script away that has a live text.
    pub async fn drop_draft(&self, by: &Actor, name: &str, base: Option<String>) -> Result<()> {
        let (by, name) = (by.clone(), name.to_owned());
        self.db
            .write(move |tx| {
                require_base(tx, &name, base.as_deref())?;
                let sql = "UPDATE scripts SET draft = NULL, updated_at = ?2, updated_by = ?3
                           WHERE name = ?1 AND draft IS NOT NULL AND published IS NOT NULL";
                if tx.run(sql, params![name, by.now.millis(), by.caller.username])? == 0 {
                    return Err(Error::not_found(format!(
                        "The script {} has no draft beside a published text.",
                        shorten(&name)
                    )));
                }
                by.record(tx, "script.discard", json!({"script": name}))
            })
            .await
    }

    /// Removes a script with its versions, its configuration, its grants and all it keeps.
    pub async fn delete(&self, by: &Actor, name: &str, base: Option<String>) -> Result<()> {
        let (by, name) = (by.clone(), name.to_owned());
        self.db
            .write(move |tx| {
                require_base(tx, &name, base.as_deref())?;
                if tx.run("DELETE FROM scripts WHERE name = ?1", [&name])? == 0 {
                    return Err(unknown(&name));
                }
                forget_all(tx, &name)?;
                by.record(tx, "script.delete", json!({"script": name}))
            })
            .await
    }

    /// Makes a text the live one, as a new version; its number. The draft is gone then.
    pub async fn publish(&self, by: &Actor, name: &str, new: NewVersion) -> Result<u32> {
        let (by, name) = (by.clone(), name.to_owned());
        self.db
            .write(move |tx| {
                require_base(tx, &name, new.base.as_deref())?;
                let sql = "SELECT coalesce(max(version), 0) + 1 FROM script_versions WHERE script = ?1";
                let version: u32 = tx.one(sql, [&name])?;
                let sql = "INSERT INTO script_versions (script, version, source, author, at, note, wider, author_id)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
                let wider = json!(new.wider).to_string();
                let (author, at) = (&by.caller.username, by.now.millis());
                let id = by.caller.user.to_string();
                tx.run(sql, params![name, version, new.source, author, at, new.note, wider, id])?;
                let sql = "UPDATE scripts SET published = ?2, draft = NULL, updated_at = ?3, updated_by = ?4
                           WHERE name = ?1";
                if tx.run(sql, params![name, version, at, author])? == 0 {
                    return Err(unknown(&name));
                }
                by.record(tx, "script.publish", json!({"script": name, "version": version, "wider": new.wider}))?;
                Ok(version)
            })
            .await
    }

    /// Every version, the newest first, without the texts.
    pub async fn versions(&self, name: &str) -> Result<Vec<Version>> {
        let name = name.to_owned();
        let sql =
            "SELECT v.version, v.author, v.at, v.note, v.wider, v.version = s.published AS live FROM script_versions v
                   JOIN scripts s ON s.name = v.script WHERE v.script = ?1 ORDER BY v.version DESC";
        self.db.read(move |tx| tx.all(sql, [name], version)).await
    }

    /// The text of one version.
    pub async fn source(&self, name: &str, version: u32) -> Result<Option<String>> {
        let name = name.to_owned();
        let sql = "SELECT source FROM script_versions WHERE script = ?1 AND version = ?2";
        self.db.read(move |tx| tx.first(sql, params![name, version], |row| row.get("source"))).await
    }

    /// The hosts each script was granted.
    pub async fn grants(&self) -> Result<Grants> {
        let rows = self.db.read(|tx| {
            tx.all("SELECT script, host FROM script_grants", (), |row| Ok((row.get("script")?, row.get("host")?)))
        });
        let mut grants = Grants::new();
        for (script, host) in rows.await? {
            grants.entry(script).or_default().insert(host);
        }
        Ok(grants)
    }

    /// Grants a script these hosts and no others.
    pub async fn grant(&self, by: &Actor, name: &str, hosts: Vec<String>) -> Result<()> {
        let (by, name) = (by.clone(), name.to_owned());
        self.db
            .write(move |tx| {
                tx.run("DELETE FROM script_grants WHERE script = ?1", [&name])?;
                let sql =
                    "INSERT INTO script_grants (script, host) VALUES (?1, ?2) ON CONFLICT (script, host) DO NOTHING";
                tx.many(sql, hosts.iter().map(|host| [&name, host]))?;
                by.record(tx, "script.grant", json!({"script": name, "hosts": hosts}))
            })
            .await
    }

    /// What a script keeps for a user under a key.
    pub async fn value(&self, script: &str, user: UserId, key: String) -> Result<Option<ScriptValue>> {
        let at = (script.to_owned(), user.to_string(), key);
        let sql = "SELECT value, origin, updated_at FROM script_values WHERE script = ?1 AND person = ?2 AND key = ?3";
        let read = |row: &Row<'_>| {
            Ok(ScriptValue {
                value: row.json("value")?,
                origin: origin::read(row)?,
                updated_at: row.time("updated_at")?,
            })
        };
        self.db.read(move |tx| tx.first(sql, at, read)).await
    }

    /// Keeps a value.
    pub async fn keep(&self, script: &str, user: UserId, key: String, kept: ScriptValue) -> Result<()> {
        let (script, user, value) = (script.to_owned(), user.to_string(), kept.value.to_string());
        if key.is_empty() || key.len() > MAX_KEY {
            return Err(Error::invalid(format!("A key has 1 to {MAX_KEY} bytes.")));
        }
        if value.len() > MAX_VALUE {
            return Err(Error::invalid(format!("A value has {} KB at most as JSON.", MAX_VALUE >> 10)));
        }
        self.db
            .write(move |tx| {
                let sql = "INSERT INTO script_values (script, person, key, value, origin, updated_at)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                           ON CONFLICT (script, person, key) DO UPDATE SET value = ?4, origin = ?5, updated_at = ?6";
                let (origin, at) = (origin::text(&kept.origin), kept.updated_at.millis());
                tx.run(sql, params![script, user, key, value, origin, at])?;
                require_room(tx, &script, &user)
            })
            .await
    }

    /// Forgets a value; says whether there was one.
    pub async fn forget(&self, script: &str, user: UserId, key: String) -> Result<bool> {
        let at = (script.to_owned(), user.to_string(), key);
        let sql = "DELETE FROM script_values WHERE script = ?1 AND person = ?2 AND key = ?3";
        self.db.write(move |tx| Ok(tx.run(sql, at)? > 0)).await
    }

    /// The keys of what a script keeps for a user, in order, each with its origin.
    pub async fn keys(&self, script: &str, user: UserId) -> Result<Vec<(String, Option<Origin>)>> {
        let at = (script.to_owned(), user.to_string());
        let sql = "SELECT key, origin FROM script_values WHERE script = ?1 AND person = ?2 ORDER BY key";
        self.db.read(move |tx| tx.all(sql, at, |row| Ok((row.get("key")?, origin::read(row)?)))).await
    }
}

/// Removes what a name has beside its text: configuration, grants, values of its own.
fn forget_all(tx: &Tx, name: &str) -> Result<()> {
    tx.run("DELETE FROM script_grants WHERE script = ?1", [name])?;
    tx.run("DELETE FROM script_values WHERE script = ?1", [name])?;
    tx.run("DELETE FROM script_consents WHERE script = ?1", [name])?;
    vault::delete_all_in(tx, &format!("tool:{name}"))
}

/// Fails, and the transaction with it, where a script keeps too much.
fn require_room(tx: &Tx, script: &str, user: &str) -> Result<()> {
    let sql = "SELECT count(*) AS number, coalesce(sum(length(key) + length(value)), 0) AS bytes FROM script_values
               WHERE script = ?1 AND person = ?2";
    let used: Option<(i64, i64)> = tx.first(sql, [script, user], |row| Ok((row.get("number")?, row.get("bytes")?)))?;
    match used {
        Some((keys, bytes)) if keys > MAX_KEYS || bytes > MAX_KEPT => Err(Error::invalid(format!(
            "A script keeps {MAX_KEYS} keys and {} KB for a user at most. Forget some with kv_delete.",
            MAX_KEPT >> 10
        ))),
        _ => Ok(()),
    }
}

/// Fails, and the transaction with it, where a change began from another text than is there; an empty base is that of
/// none.
fn require_base(tx: &Tx, name: &str, base: Option<&str>) -> Result<()> {
    let Some(base) = base else { return Ok(()) };
    match tx.first(&format!("{KEPT} WHERE s.name = ?1"), [name], kept)? {
        Some(there) => there.require_base(Some(base)),
        None if base.is_empty() => Ok(()),
        None => {
            let message =
                format!("The script {} was deleted meanwhile. Save it without a base to make it anew.", shorten(name));
            Err(Error::conflict(message).with_details(json!({"changed": {"digest": ""}})))
        }
    }
}

fn kept(row: &Row<'_>) -> Result<Kept> {
    let (published, source): (Option<u32>, Option<String>) = (row.get("published")?, row.get("source")?);
    Ok(Kept {
        name: row.get("name")?,
        draft: row.get("draft")?,
        live: published.zip(source),
        updated_at: row.time("updated_at")?,
        updated_by: row.get("updated_by")?,
        author: row
            .get::<Option<String>>("author")?
            .map(|name| Ok::<_, Error>(Author { name, id: id(row, "author_id")? }))
            .transpose()?,
    })
}

fn id(row: &Row<'_>, column: &str) -> Result<Option<UserId>> {
    row.get::<Option<String>>(column)?.map(|text| text.parse()).transpose()
}

fn version(row: &Row<'_>) -> Result<Version> {
    Ok(Version {
        version: row.get("version")?,
        author: row.get("author")?,
        at: row.time("at")?,
        note: row.get("note")?,
        wider: row.json("wider")?,
        live: row.get("live")?,
    })
}

fn unknown(name: &str) -> Error {
    Error::not_found(format!("The console has no script '{}'.", shorten(name)))
}
