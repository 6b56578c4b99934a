//! API keys: credentials for programs, with permissions of their own.

use moka::sync::Cache;
use serde_json::json;

use super::{
    people::{Actor, People},
    roles, sessions,
    sql::{Row, Tx, params},
    token,
};
use satchel_model::{
    caller::{Credential, Permissions},
    error::{Error, Result},
    id::Id,
    secret::Secret,
    settings::Exposure,
    time::Time,
    user::{ApiKey, FirstCall, KeyTerms, UserId},
};

/// What every key begins with, so that a secret scanner knows it.
pub const PREFIX: &str = "sk_satchel_";
/// Keys one user may have.
const PER_USER: i64 = 200;
/// Keys whose first call is known to be written down, at most.
const REMEMBERED: u64 = 10_000;
/// Most bytes of the name of what was called that are kept.
const NAME: usize = 80;

const SELECT: &str = "SELECT id, person, name, permissions, created_at, last_used_at, personal, approves, exposure, \
     selected, first_call, first_call_at FROM api_keys";

/// Keys that are known to have called.
pub(super) struct Called(Cache<Id<ApiKey>, ()>);

impl Called {
    pub(super) fn new() -> Self {
        Self(Cache::new(REMEMBERED))
    }
}

/// A key to be made.
#[derive(Debug)]
pub struct NewKey {
    /// The owner: oneself; at the command line of this machine anybody.
    pub user: UserId,
    /// What its owner calls it.
    pub name: String,
    /// Its own grant; without one it may do what its owner may, as they may at the time.
    pub permissions: Option<Permissions>,
    /// Opens what belongs to the person; where nothing is said, one without a grant of its own does.
    pub personal: Option<bool>,
    /// What else it lets a program do.
    pub terms: KeyTerms,
}

impl People {
    /// The keys of a user, the newest first.
    pub async fn keys(&self, user: UserId) -> Result<Vec<ApiKey>> {
        let sql = format!("{SELECT} WHERE person = ?1 ORDER BY id DESC");
        self.db.read(move |tx| tx.all(&sql, [user.to_string()], read)).await
    }

    /// A key as it is granted now; `None` if it was revoked.
    pub async fn key(&self, id: Id<ApiKey>) -> Result<Option<ApiKey>> {
        self.db.read(move |tx| tx.first(&format!("{SELECT} WHERE id = ?1"), [id.to_string()], read)).await
    }

    /// Makes a key and shows it, this once. A person makes their own, in a session; whoever owns this machine makes
    /// anybody's at its command line. What it is granted its maker must hold.
    ///
    /// # Errors
    ///
    /// Denied for a program with a key, for a key of somebody else, and for a wider one than its maker.
    pub async fn create_key(&self, by: &Actor, new: NewKey) -> Result<(ApiKey, Secret)> {
        by.caller.ensure_person()?;
        if new.user != by.caller.user && by.caller.credential != Credential::Local {
            return Err(Error::denied(
                "A key acts for its owner, so only they make it, signed in. You can list the keys of those you manage, \
                 and revoke them.",
            ));
        }
        if new.terms.approves && by.caller.credential != Credential::Session {
            return Err(Error::denied(
                "Only a person gives a program their say, signed in at the console: make the key there.",
            ));
        }
        let terms = new.terms.checked()?;
        let name = parse_name(new.name)?;
        let personal = new.personal.unwrap_or(new.permissions.is_none());
        let permissions = match new.permissions {
            Some(permissions) => {
                by.require_all(&permissions)?;
                roles::bounded(permissions)?
            }
            // It grows and shrinks with its owner's role.
            None => Permissions::all(),
        };
        let secret = token::issue(PREFIX);
        let hash = token::digest(secret.expose());
        let id = Id::new();
        let (user, created_at) = (new.user, by.now);
        let key =
            ApiKey { id, user, name, permissions, personal, terms, created_at, last_used_at: None, first_call: None };
        let made = key.clone();
        self.change_by(by, move |tx, by| {
            let owner = sessions::require_reach(tx, by, key.user, &no_user(key.user))?;
            let held: i64 = tx.one("SELECT count(*) FROM api_keys WHERE person = ?1", [key.user.to_string()])?;
            if held >= PER_USER {
                return Err(Error::conflict(format!("{} has {held} keys. Revoke some first.", owner.username)));
            }
            insert(tx, &key, hash)?;
            let details = json!({
                "key": key.id,
                "name": key.name,
                "user": owner.username,
                "permissions": key.permissions,
                "personal": key.personal,
                "approves": key.terms.approves,
            });
            by.record(tx, "key.create", details)
        })
        .await?;
        Ok((made, secret))
    }

    /// Revokes a key: one's own, or that of a user one may manage.
    pub async fn revoke_key(&self, by: &Actor, id: Id<ApiKey>) -> Result<()> {
        self.change_by(by, move |tx, by| {
            let sql = format!("{SELECT} WHERE id = ?1");
            let unknown = Error::not_found(format!("There is no key '{id}'."));
            let key = tx.first(&sql, [id.to_string()], read)?.ok_or_else(|| unknown.clone())?;
            let owner = sessions::require_reach(tx, by, key.user, &unknown)?;
            tx.run("DELETE FROM api_keys WHERE id = ?1", [id.to_string()])?;
            by.record(tx, "key.revoke", json!({"key": id, "name": key.name, "user": owner.username}))
        })
        .await
    }

    /// Notes a call that a program made with a key, of a tool or a model of this name: the first one stays. A failure here
    /// must not fail the call.
    pub async fn note_call(&self, key: Id<ApiKey>, name: &str, now: Time) {
        if self.called.0.contains_key(&key) {
            return;
        }
        let name = shortened(name);
        let sql = "UPDATE api_keys SET first_call = ?2, first_call_at = ?3 WHERE id = ?1 AND first_call_at IS NULL";
        match self.db.write(move |tx| tx.run(sql, (key.to_string(), name, now.millis()))).await {
            Ok(_) => self.called.0.insert(key, ()),
            Err(error) => tracing::warn!(?error, "the first call of a key was not noted"),
        }
    }

    /// The user whose things `by` asks to see: their own, or those of one they may manage.
    pub async fn reach(&self, by: &Actor, user: Option<UserId>) -> Result<UserId> {
        let Some(user) = user else { return Ok(by.caller.user) };
        let by = by.clone();
        self.db.read(move |tx| sessions::require_reach(tx, &by, user, &no_user(user)).map(|user| user.id)).await
    }
}

/// Revokes all keys of a user. Returns how many there were.
pub(super) fn revoke_all(tx: &Tx, user: UserId) -> Result<usize> {
    tx.run("DELETE FROM api_keys WHERE person = ?1", [user.to_string()])
}

fn insert(tx: &Tx, key: &ApiKey, hash: token::Hash) -> Result<()> {
    let sql =
        "INSERT INTO api_keys (id, hash, person, name, permissions, personal, created_at, approves, exposure, selected)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let KeyTerms { approves, exposure, selected } = &key.terms;
    tx.run(
        sql,
        params![
            key.id.to_string(),
            hash,
            key.user.to_string(),
            key.name,
            roles::permissions_text(&key.permissions)?,
            key.personal,
            key.created_at.millis(),
            *approves,
            exposure.map(Exposure::as_str),
            serde_json::to_string(selected).map_err(Error::internal)?,
        ],
    )?;
    Ok(())
}

/// The terms of a key, as its row has them.
pub(super) fn terms(row: &Row<'_>) -> Result<KeyTerms> {
    let exposure: Option<String> = row.get("exposure")?;
    let exposure = exposure.map(|word| serde_json::from_value(word.into())).transpose().map_err(Error::internal)?;
    Ok(KeyTerms { approves: row.get("approves")?, exposure, selected: row.json("selected")? })
}

fn no_user(id: UserId) -> Error {
    Error::not_found(format!("There is no user '{id}'."))
}

fn parse_name(text: String) -> Result<String> {
    let name = text.trim();
    if (1..=100).contains(&name.chars().count()) && !name.chars().any(char::is_control) {
        return Ok(name.to_owned());
    }
    Err(Error::invalid("A key's name is 1 to 100 characters on one line.").with_details(json!({"field": "name"})))
}

fn shortened(name: &str) -> String {
    name.get(..name.floor_char_boundary(NAME)).unwrap_or_default().to_owned()
}

fn first_call(row: &Row<'_>) -> Result<Option<FirstCall>> {
    let name: Option<String> = row.get("first_call")?;
    Ok(name.zip(row.optional_time("first_call_at")?).map(|(name, at)| FirstCall { name, at }))
}

fn read(row: &Row<'_>) -> Result<ApiKey> {
    Ok(ApiKey {
        id: row.parsed("id")?,
        user: row.parsed("person")?,
        name: row.get("name")?,
        permissions: row.json("permissions")?,
        created_at: row.time("created_at")?,
        last_used_at: row.optional_time("last_used_at")?,
        personal: row.get("personal")?,
        terms: terms(row)?,
        first_call: first_call(row)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_between_letters() {
        assert_eq!(shortened("read"), "read");
        assert_eq!(shortened(&format!("{}é", "c".repeat(79))), "c".repeat(79));
    }
}
