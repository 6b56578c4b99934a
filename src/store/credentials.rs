//! From a credential to the person behind it, quickly: remembered in memory until anything about people changes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use moka::sync::Cache;
use subtle::ConstantTimeEq;

use super::{
    keys,
    people::{Actor, People, SharedIdentity},
    sessions::{IDLE, Session},
    sql::{Row, Tx},
    token::{Hash, digest},
};
use satchel_model::{
    caller::{Caller, Credential, Door, Permissions},
    error::{Error, Kind, Result},
    id::Id,
    secret::Secret,
    time::Time,
    user::{ApiKey, KeyTerms, UserId},
};

/// Credentials remembered at most.
const REMEMBERED: u64 = 10_000;
/// The time for which a credential is remembered: what the command line writes beside a running server counts after that.
const LASTS: Duration = Duration::from_secs(10);
/// How exactly the last use of a credential is kept: a write a minute, not one a request.
const TOUCH: i64 = 60_000;

/// What a credential stands for.
#[derive(Debug)]
pub struct Identity {
    /// The person and what they may do through this credential.
    pub caller: Caller,
    /// His role's name.
    pub role: String,
    /// The session, where it is one.
    pub session: Option<Id<Session>>,
    /// What a key lets its program do; nothing in particular for a person.
    pub terms: KeyTerms,
    /// The credential itself, as it is kept; none for the machine's own command line.
    shown: Option<(Carrier, Hash)>,
    ends_at: Option<Time>,
    used_at: AtomicI64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Carrier {
    Session,
    Key,
}

impl Carrier {
    /// The error where there is no such credential.
    fn unknown(self) -> Error {
        unauthenticated(match self {
            Self::Session => "The session has ended. Sign in again.",
            Self::Key => "The API key is not known here, or its owner is disabled.",
        })
    }
}

#[derive(Clone)]
struct Entry {
    generation: u64,
    found: Option<SharedIdentity>,
}

/// Credentials looked up since the last change of people.
pub(super) struct Known {
    entries: Cache<(Carrier, Hash), Entry>,
    generation: AtomicU64,
}

impl Known {
    pub(super) fn new() -> Self {
        Self {
            entries: Cache::builder().max_capacity(REMEMBERED).time_to_live(LASTS).build(),
            generation: AtomicU64::new(0),
        }
    }

    /// Makes every remembered credential be looked up anew.
    pub(super) fn forget(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }
}

impl People {
    /// The person a session cookie stands for.
    pub async fn by_session(&self, token: &str, now: Time) -> Result<SharedIdentity> {
        let found = self.look_up(Carrier::Session, digest(token), now).await?;
        self.touch(&found, now).await;
        Ok(found)
    }

    /// The person an API key, or the token of the machine's own command line, stands for.
    pub async fn by_key(&self, token: &str, now: Time) -> Result<SharedIdentity> {
        let hash = digest(token);
        let local = *self.local.read();
        if local.is_some_and(|local| bool::from(local.ct_eq(&hash))) {
            return self.local_identity().await.map(Arc::new);
        }
        let found = self.look_up(Carrier::Key, hash, now).await?;
        self.touch(&found, now).await;
        Ok(found)
    }

    /// Fails where the credential behind an identity no longer holds, or gives less than it did when it was shown.
    pub async fn ensure_lasting(&self, before: &SharedIdentity, now: Time) -> Result<()> {
        let Some((carrier, hash)) = before.shown else { return Ok(()) };
        let found = self.look_up(carrier, hash, now).await?;
        if Arc::ptr_eq(&found, before) || found.caller.permissions.covers(&before.caller.permissions) {
            return Ok(());
        }
        Err(narrowed())
    }

    /// The person a credential stands for by now, where it still holds.
    ///
    /// # Errors
    ///
    /// If it does not.
    pub async fn refreshed(&self, before: &SharedIdentity, now: Time) -> Result<SharedIdentity> {
        match before.shown {
            Some((carrier, hash)) => self.look_up(carrier, hash, now).await,
            None => Ok(Arc::clone(before)),
        }
    }

    /// Accepts `token` as the command line of this machine: whoever can read it owns the data directory.
    pub fn accept_local(&self, token: &Secret) {
        *self.local.write() = Some(digest(token.expose()));
    }

    /// The command line's caller: everything, in the name of the first administrator.
    pub async fn local_caller(&self) -> Result<Caller> {
        self.local_identity().await.map(|identity| identity.caller)
    }

    /// The name of the first administrator.
    pub async fn owner_name(&self) -> Result<String> {
        let owner = self.db.read(first_administrator).await?;
        owner.map(|(_, name)| name).ok_or_else(|| Error::not_found("There is no owner yet."))
    }

    async fn local_identity(&self) -> Result<Identity> {
        let owner = self.db.read(first_administrator).await?;
        let (user, username) = owner.unwrap_or_else(|| (UserId::new(), "local".to_owned()));
        let (permissions, door, credential) = (Permissions::all(), Door::Cli, Credential::Local);
        let caller = Caller { user, username, permissions, door, credential, personal: true, agent: None };
        let role = "administrator".to_owned();
        let terms = KeyTerms::default();
        Ok(Identity { caller, role, session: None, terms, shown: None, ends_at: None, used_at: AtomicI64::new(0) })
    }

    /// The person a credential stands for now.
    async fn look_up(&self, carrier: Carrier, hash: Hash, now: Time) -> Result<SharedIdentity> {
        let found = self.find(carrier, hash).await?.ok_or_else(|| carrier.unknown())?;
        let idle_until = Time::from_millis(found.used_at.load(Ordering::Relaxed)).after(IDLE);
        match found.ends_at {
            Some(end) if now >= end || now >= idle_until => Err(carrier.unknown()),
            _ => Ok(found),
        }
    }

    async fn find(&self, carrier: Carrier, hash: Hash) -> Result<Option<SharedIdentity>> {
        let generation = self.known.generation();
        if let Some(entry) = self.known.entries.get(&(carrier, hash))
            && entry.generation == generation
        {
            return Ok(entry.found);
        }
        let found = self.db.read(move |tx| read(tx, carrier, hash)).await?.map(Arc::new);
        // Stamped with the generation from before the look-up: a change meanwhile makes this entry stale at once.
        self.known.entries.insert((carrier, hash), Entry { generation, found: found.clone() });
        Ok(found)
    }

    /// Notes the use of a credential. A failure here must not fail the request: a full disk still serves reads.
    async fn touch(&self, identity: &Identity, now: Time) {
        let before = identity.used_at.load(Ordering::Relaxed);
        if now.millis() - before < TOUCH {
            return;
        }
        // Of many requests at once one writes.
        if identity.used_at.compare_exchange(before, now.millis(), Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        let (credential, session) = (identity.caller.credential, identity.session);
        let written = self.db.write(move |tx| match (credential, session) {
            (Credential::Key(id), _) => {
                tx.run("UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1", (id.to_string(), now.millis()))
            }
            (_, Some(id)) => {
                tx.run("UPDATE sessions SET last_seen_at = ?2 WHERE id = ?1", (id.to_string(), now.millis()))
            }
            _ => Ok(0),
        });
        if let Err(error) = written.await {
            tracing::warn!(?error, "the last use of a credential was not noted");
        }
    }
}

fn read(tx: &Tx, carrier: Carrier, hash: Hash) -> Result<Option<Identity>> {
    let found = match carrier {
        Carrier::Key => tx.first(KEY, [hash], read_key),
        Carrier::Session => tx.first(SESSION, [hash], read_session),
    };
    Ok(found?.map(|identity| Identity { shown: Some((carrier, hash)), ..identity }))
}

/// Fails where somebody has lost their credential since they showed it, or a part of what it gave: read where writes follow
/// one another, so that nobody changes anything after the change that took it from them.
pub(super) fn ensure_lasting(tx: &Tx, by: &Actor) -> Result<()> {
    const ROLE: &str =
        "SELECT r.permissions FROM users u JOIN roles r ON r.name = u.role WHERE u.id = ?1 AND NOT u.disabled";
    let user = by.caller.user.to_string();
    let role = |row: &Row<'_>| row.json::<Permissions>("permissions");
    let (now, carrier) = match (by.caller.credential, by.session) {
        (Credential::Local, _) => return Ok(()),
        (Credential::Key(key), _) => {
            let sql = format!("{ROLE} AND EXISTS (SELECT 1 FROM api_keys WHERE id = ?2 AND person = u.id)");
            (tx.first(&sql, (user, key.to_string()), role)?, Carrier::Key)
        }
        (Credential::Session, Some(session)) => {
            let sql = format!("{ROLE} AND EXISTS (SELECT 1 FROM sessions WHERE id = ?2 AND person = u.id)");
            (tx.first(&sql, (user, session.to_string()), role)?, Carrier::Session)
        }
        (Credential::Session, None) => (tx.first(ROLE, [user], role)?, Carrier::Session),
    };
    match now {
        None => Err(carrier.unknown()),
        Some(now) if now.covers(&by.caller.permissions) => Ok(()),
        Some(_) => Err(narrowed()),
    }
}

fn narrowed() -> Error {
    Error::denied("Your permissions have changed since this began. Look at what you may do now, then send it again.")
}

const KEY: &str = "SELECT u.id, u.username, u.role, r.permissions, k.id AS key, k.permissions AS granted, \
     k.last_used_at, k.personal, k.approves, k.exposure, k.selected \
     FROM api_keys k JOIN users u ON u.id = k.person JOIN roles r ON r.name = u.role WHERE k.hash = ?1 AND NOT u.disabled";

fn read_key(row: &Row<'_>) -> Result<Identity> {
    let key: Id<ApiKey> = row.parsed("key")?;
    let own: Permissions = row.json("granted")?;
    let caller = caller(row, Credential::Key(key))?;
    let permissions = caller.permissions.intersect(&own);
    Ok(Identity {
        caller: Caller { permissions, personal: row.get("personal")?, ..caller },
        role: row.get("role")?,
        session: None,
        terms: keys::terms(row)?,
        shown: None,
        ends_at: None,
        used_at: AtomicI64::new(row.get::<Option<i64>>("last_used_at")?.unwrap_or(0)),
    })
}

const SESSION: &str = "SELECT u.id, u.username, u.role, r.permissions, s.id AS session, s.expires_at, s.last_seen_at \
     FROM sessions s JOIN users u ON u.id = s.person JOIN roles r ON r.name = u.role WHERE s.hash = ?1 AND NOT u.disabled";

fn read_session(row: &Row<'_>) -> Result<Identity> {
    Ok(Identity {
        caller: caller(row, Credential::Session)?,
        role: row.get("role")?,
        session: Some(row.parsed("session")?),
        terms: KeyTerms::default(),
        shown: None,
        ends_at: Some(row.time("expires_at")?),
        used_at: AtomicI64::new(row.get("last_seen_at")?),
    })
}

fn caller(row: &Row<'_>, credential: Credential) -> Result<Caller> {
    let user: UserId = row.parsed("id")?;
    let (username, permissions) = (row.get("username")?, row.json("permissions")?);
    Ok(Caller { user, username, permissions, door: Door::Api, credential, personal: true, agent: None })
}

fn first_administrator(tx: &Tx) -> Result<Option<(UserId, String)>> {
    const SQL: &str =
        "SELECT id, username FROM users WHERE role = 'administrator' AND NOT disabled ORDER BY id LIMIT 1";
    tx.first(SQL, (), |row| Ok((row.parsed("id")?, row.get("username")?)))
}

fn unauthenticated(message: &str) -> Error {
    Error::new(Kind::Unauthenticated, message)
}
