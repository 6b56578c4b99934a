//! The first owner: through a one-use link, or from the environment of an unattended start.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use serde_json::json;
use subtle::ConstantTimeEq;

use super::{
    password::Password,
    people::{Actor, People},
    roles,
    sessions::{Account, SignedIn, Visit},
    sql::Tx,
    token::{self, Hash},
    users,
};
use satchel_model::{
    caller::{Caller, Credential, Door, Permissions},
    error::{Error, Result},
    secret::Secret,
    time::Time,
    user::{User, UserId, Username},
};

/// The time for which a set-up link can be used.
pub const LINK_LASTS: Duration = Duration::from_secs(15 * 60);

/// The link's token, as it is kept.
pub(super) struct Link {
    hash: Hash,
    ends_at: Time,
}

impl People {
    /// Whether there is nobody yet.
    pub async fn needs_owner(&self) -> Result<bool> {
        self.db.read(|tx| Ok(users::count(tx)? == 0)).await
    }

    /// A new set-up token; an earlier one stops working.
    pub fn issue_link(&self, now: Time) -> Secret {
        let token = token::issue("");
        *self.link.write() = Some(Link { hash: token::digest(token.expose()), ends_at: now.after(LINK_LASTS) });
        token
    }

    /// Fails where this token makes no owner. The link stays good.
    pub async fn check_link(&self, token: &str, now: Time) -> Result<()> {
        if !self.needs_owner().await? {
            return Err(taken());
        }
        self.require_link(token, now)
    }

    /// Makes the owner and signs them in. Of many at once exactly one succeeds.
    pub async fn set_up(&self, token: &str, username: Username, password: Secret, visit: Visit) -> Result<SignedIn> {
        if !self.needs_owner().await? {
            return Err(taken());
        }
        self.require_link(token, visit.now)?;
        let hash = self.hasher.hash(Password::choose(password, username.as_str())?).await?;
        let (now, password) = (visit.now, hash.clone());
        let user = self.change(move |tx| insert_owner(tx, &username, &hash, (Door::Api, now))).await?;
        *self.link.write() = None;
        self.start_session(Account { user, password }, visit).await
    }

    /// Makes the owner of an unattended start; does nothing where there is somebody already. Only then is the name looked at:
    /// the rules of names may have changed since it was given.
    pub async fn ensure_owner(&self, username: &str, password: Secret, now: Time) -> Result<bool> {
        if !self.needs_owner().await? {
            return Ok(false);
        }
        let username = Username::try_from(username.to_owned())?;
        let hash = self.hasher.hash(Password::choose(password, username.as_str())?).await?;
        self.change(move |tx| insert_owner(tx, &username, &hash, (Door::Cli, now))).await?;
        Ok(true)
    }

    /// Fails unless there is nobody yet and this is the token of the set-up link.
    pub async fn require_setting_up(&self, token: &str, now: Time) -> Result<()> {
        if self.needs_owner().await? { self.require_link(token, now) } else { Err(taken()) }
    }

    /// Fails where there is somebody already.
    pub async fn require_no_owner(&self) -> Result<()> {
        if self.needs_owner().await? { Ok(()) } else { Err(taken()) }
    }

    /// Takes no more changes, as long as there is nobody yet: a backup is about to take the place of all of this. Both this
    /// and what makes people happen where writes follow one another, so that exactly one of them succeeds.
    pub async fn close(&self) -> Result<()> {
        let is_closed = Arc::clone(&self.is_closed);
        let close = move |tx: &Tx| {
            if users::count(tx)? > 0 {
                return Err(taken());
            }
            is_closed.store(true, Ordering::SeqCst);
            Ok(())
        };
        self.db.write(close).await
    }

    /// Takes changes again.
    pub fn reopen(&self) {
        self.is_closed.store(false, Ordering::SeqCst);
    }

    fn require_link(&self, token: &str, now: Time) -> Result<()> {
        let link = self.link.read();
        let ours = link.as_ref().filter(|link| bool::from(link.hash.ct_eq(&token::digest(token))));
        match ours {
            Some(link) if now < link.ends_at => Ok(()),
            Some(_) => Err(Error::denied(
                "The set-up link has lapsed: it lasts 15 minutes. Restart Satchel, it prints a new one.",
            )),
            None => {
                Err(Error::denied("The set-up link is not the one this start printed. Look at the terminal again."))
            }
        }
    }
}

fn insert_owner(tx: &Tx, username: &Username, hash: &str, (door, now): (Door, Time)) -> Result<User> {
    if users::count(tx)? > 0 {
        return Err(taken());
    }
    let role = roles::require(tx, "administrator")?;
    let user = users::insert(tx, username, &role, hash, now)?;
    owner_actor(&user, door, now).record(tx, "setup", json!({"user": user.username}))?;
    Ok(user)
}

fn owner_actor(user: &User, door: Door, now: Time) -> Actor {
    let (id, username): (UserId, String) = (user.id, user.username.clone());
    let permissions = Permissions::all();
    let credential = Credential::Local;
    Actor {
        caller: Caller { user: id, username, permissions, door, credential, personal: true, agent: None },
        session: None,
        now,
    }
}

fn taken() -> Error {
    Error::conflict("Satchel has an owner already. Sign in, or ask an administrator for an account.")
}
