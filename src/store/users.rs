//! Users: who may sign in, with which role.

use serde_json::json;

use super::{
    agents, keys,
    lockout::{Subject, network},
    password::Password,
    people::{Actor, People},
    removals, roles, sessions,
    sql::{Row, Tx},
};
use satchel_model::{
    caller::{Credential, Permissions},
    error::{Error, Result},
    secret::Secret,
    time::Time,
    user::{Role, User, UserId, Username},
};

/// An account to be made.
#[derive(Debug)]
pub struct NewUser {
    /// Unique but for case.
    pub username: Username,
    /// The first password.
    pub password: Secret,
    /// A role's name.
    pub role: String,
}

/// What to change of an account; what is `None` stays.
#[derive(Debug, Default)]
pub struct UserChange {
    /// A role's name.
    pub role: Option<String>,
    /// Whether they are kept out.
    pub disabled: Option<bool>,
    /// A new password; ends their sessions and keys.
    pub password: Option<Secret>,
}

/// A change of one's own password.
#[derive(Debug)]
pub struct OwnPassword {
    /// The one until now.
    pub current: Secret,
    /// The new one.
    pub new: Secret,
    /// Leaves one's keys good; else they are revoked.
    pub keep_keys: bool,
    /// The address it is asked from.
    pub address: String,
}

impl People {
    /// All users, by name.
    pub async fn users(&self) -> Result<Vec<User>> {
        self.db.read(|tx| tx.all(&select("ORDER BY username_key"), (), read)).await
    }

    /// The user of this name, in whatever case.
    pub async fn user_named(&self, username: &str) -> Result<User> {
        let (key, shown) = (key(username), username.chars().take(64).collect::<String>());
        let found = self.db.read(move |tx| tx.first(&select("WHERE username_key = ?1"), [key], read)).await?;
        found.ok_or_else(|| Error::not_found(format!("There is no user '{shown}'.")))
    }

    /// The permissions of this person's role, now; none where there is no such person, or they are kept out.
    pub async fn permissions_of(&self, id: UserId) -> Result<Permissions> {
        let sql =
            "SELECT r.permissions FROM users u JOIN roles r ON r.name = u.role WHERE u.id = ?1 AND NOT u.disabled";
        let found = self.db.read(move |tx| tx.first(sql, [id.to_string()], |row| row.json("permissions"))).await?;
        Ok(found.unwrap_or_default())
    }

    /// Makes an account. A person does, and gives it no role that grants what they do not hold.
    pub async fn create_user(&self, by: &Actor, new: NewUser) -> Result<User> {
        by.caller.ensure_person()?;
        let NewUser { username, password, role } = new;
        let hash = self.hasher.hash(Password::choose(password, username.as_str())?).await?;
        self.change_by(by, move |tx, by| {
            let role = roles::require(tx, &role)?;
            by.require_all(&role.permissions)?;
            let user = insert(tx, &username, &role, &hash, by.now)?;
            by.record(tx, "user.create", json!({"user": user.username, "role": user.role}))?;
            Ok(user)
        })
        .await
    }

    /// Changes an account. Taking the role away from, or keeping out, the last administrator is refused. A new password
    /// ends the sessions and the keys of the account: whoever had it has lost it.
    ///
    /// # Errors
    ///
    /// Denied for a program with a key, and for one's own password: that is changed with the current one.
    pub async fn change_user(&self, by: &Actor, id: UserId, change: UserChange) -> Result<User> {
        by.caller.ensure_person()?;
        if change.password.is_some() && id == by.caller.user && by.caller.credential == Credential::Session {
            return Err(Error::denied(
                "Change your own password with the current one: POST /api/auth/password, or Account in the console.",
            ));
        }
        let before = self.db.read(move |tx| require(tx, id)).await?;
        let hash = match change.password {
            Some(password) => Some(self.hasher.hash(Password::choose(password, &before.username)?).await?),
            None => None,
        };
        self.change_by(by, move |tx, by| {
            let before = require_within(tx, id, by)?;
            if let Some(role) = &change.role {
                by.require_all(&roles::require(tx, role)?.permissions)?;
                tx.run("UPDATE users SET role = ?2 WHERE id = ?1", (id.to_string(), role))?;
            }
            if let Some(disabled) = change.disabled {
                tx.run("UPDATE users SET disabled = ?2 WHERE id = ?1", (id.to_string(), disabled))?;
            }
            if let Some(hash) = &hash {
                tx.run("UPDATE users SET password = ?2 WHERE id = ?1", (id.to_string(), hash))?;
            }
            if hash.is_some() || change.disabled == Some(true) {
                sessions::end_all(tx, id)?;
            }
            if hash.is_some() {
                keys::revoke_all(tx, id)?;
            }
            roles::require_administrator(tx)?;
            let after = require(tx, id)?;
            let details = json!({
                "user": after.username,
                "role": change.role.map(|role| json!({"before": before.role, "after": role})),
                "disabled": change.disabled,
                "password": hash.map(|_| "changed"),
            });
            by.record(tx, "user.change", details)?;
            Ok(after)
        })
        .await
    }

    /// Deletes an account with all that is only theirs; what is not in the database goes by [`People::departures`]. The last
    /// administrator stays.
    pub async fn delete_user(&self, by: &Actor, id: UserId) -> Result<()> {
        self.change_by(by, move |tx, by| {
            let user = require_within(tx, id, by)?;
            agents::depart(tx, &id.to_string(), &key(&user.username))?;
            removals::disown(tx, &id.to_string())?;
            tx.run("DELETE FROM users WHERE id = ?1", [id.to_string()])?;
            roles::require_administrator(tx)?;
            tx.run("INSERT INTO departures (person) VALUES (?1)", [id.to_string()])?;
            by.record(tx, "user.delete", json!({"user": user.username, "role": user.role}))
        })
        .await?;
        removals::sweep(&self.db).await?;
        self.db.fold_if_possible().await;
        Ok(())
    }

    /// People who were deleted, and of whom there may be something left outside the database.
    pub async fn departures(&self) -> Result<Vec<UserId>> {
        self.db.read(|tx| tx.all("SELECT person FROM departures", (), |row| row.parsed("person"))).await
    }

    /// Notes that nothing is left of somebody who was deleted.
    pub async fn settle_departure(&self, id: UserId) -> Result<()> {
        let sql = "DELETE FROM departures WHERE person = ?1";
        self.db.write(move |tx| tx.run(sql, [id.to_string()]).map(drop)).await
    }

    /// Changes one's own password. One's other sessions end, and one's keys are revoked unless they are to be kept: whoever
    /// had the old one may have made some. Wrong passwords count as failed sign-ins from the address.
    pub async fn change_own_password(&self, by: &Actor, change: OwnPassword) -> Result<()> {
        let OwnPassword { current, new, keep_keys, address } = change;
        let id = by.caller.user;
        let (user, kept) = self.db.read(move |tx| Ok((require(tx, id)?, password_hash(tx, id)?))).await?;
        let address = network(&address);
        let subjects = [Subject::NameAt(key(&user.username), address.clone()), Subject::Address(address)];
        let wrong = || Error::denied("The current password is wrong.");
        let attempt = self.lockout.attempt(&subjects, by.now).await.map_err(|blocked| blocked.error(by.now))?;
        match self.hasher.verify(current, kept.clone()).await {
            Ok(true) => attempt.succeed(),
            Ok(false) => return Err(wrong()),
            Err(error) => {
                attempt.undecided();
                return Err(error);
            }
        }
        let hash = self.hasher.hash(Password::choose(new, &user.username)?).await?;
        self.change_by(by, move |tx, by| {
            // In place of the one that was verified: meanwhile it may have been taken from whoever asks.
            let sql = "UPDATE users SET password = ?3 WHERE id = ?1 AND password IS NOT DISTINCT FROM ?2";
            if tx.run(sql, (id.to_string(), kept, hash))? == 0 {
                return Err(wrong());
            }
            sessions::end_others(tx, id, by.session)?;
            let revoked = if keep_keys { 0 } else { keys::revoke_all(tx, id)? };
            by.record_auth(tx, "password.change", json!({ "revoked_keys": revoked }))
        })
        .await
    }
}

/// Inserts an account; the caller has checked that they may.
pub(super) fn insert(tx: &Tx, username: &Username, role: &Role, hash: &str, now: Time) -> Result<User> {
    let key = key(username.as_str());
    if tx.exists("SELECT 1 FROM users WHERE username_key = ?1", [&key])? {
        return Err(Error::conflict(format!("There is a user '{}' already.", username.as_str())));
    }
    let names: Vec<String> =
        tx.all("SELECT username FROM users ORDER BY username_key", (), |row| row.get("username"))?;
    if let Some(like) = names.iter().find(|name| username.looks_like(name)) {
        return Err(Error::conflict(format!(
            "'{}' looks like '{like}', who is here already. Choose a name that nobody mistakes for theirs.",
            username.as_str()
        )));
    }
    let user = User {
        id: UserId::new(),
        username: username.as_str().to_owned(),
        role: role.name.clone(),
        disabled: false,
        created_at: now,
        last_login_at: None,
    };
    const SQL: &str =
        "INSERT INTO users (id, username, username_key, role, password, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    tx.run(SQL, (user.id.to_string(), &user.username, key, &user.role, hash, now.millis()))?;
    Ok(user)
}

/// Somebody called Mara, of a role without permissions.
#[cfg(test)]
pub(super) fn mara(tx: &Tx) -> Result<UserId> {
    tx.script("INSERT INTO roles VALUES ('guest', '[]', FALSE)")?;
    let role = roles::require(tx, "guest")?;
    Ok(insert(tx, &"mara".to_owned().try_into()?, &role, "", Time::from_millis(0))?.id)
}

/// How many accounts there are.
pub(super) fn count(tx: &Tx) -> Result<i64> {
    tx.one("SELECT count(*) FROM users", ())
}

/// The form user names are compared in.
pub(super) fn key(username: &str) -> String {
    username.to_lowercase()
}

/// The account of this id.
pub(super) fn require(tx: &Tx, id: UserId) -> Result<User> {
    let found = tx.first(&select("WHERE id = ?1"), [id.to_string()], read)?;
    found.ok_or_else(|| Error::not_found(format!("There is no user '{id}'.")))
}

/// The account of this id, if its role grants nothing that `by` does not hold: who may set a password may be that person.
pub(super) fn require_within(tx: &Tx, id: UserId, by: &Actor) -> Result<User> {
    let user = require(tx, id)?;
    by.require_all(&roles::require(tx, &user.role)?.permissions)?;
    Ok(user)
}

fn password_hash(tx: &Tx, id: UserId) -> Result<Option<String>> {
    tx.first("SELECT password FROM users WHERE id = ?1", [id.to_string()], |row| row.get("password"))
}

fn select(rest: &str) -> String {
    format!("SELECT id, username, role, disabled, created_at, last_login_at FROM users {rest}")
}

fn read(row: &Row<'_>) -> Result<User> {
    Ok(User {
        id: row.parsed("id")?,
        username: row.get("username")?,
        role: row.get("role")?,
        disabled: row.get("disabled")?,
        created_at: row.time("created_at")?,
        last_login_at: row.optional_time("last_login_at")?,
    })
}
