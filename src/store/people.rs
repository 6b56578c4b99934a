//! The people of this installation: one handle over users, roles, sessions, keys and the first owner.
//!
//! Every change goes through [`People::change`], which makes all remembered credentials be looked up anew:
//! what an administrator takes away is gone with their answer.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use parking_lot::RwLock;
use serde_json::Value;
use tokio::sync::watch;

use super::{
    audit,
    credentials::{self, Identity, Known},
    db::Db,
    keys::Called,
    lockout::Lockout,
    password::Hasher,
    roles,
    sessions::SessionId,
    setup::Link,
    sql::Tx,
    token::Hash,
};
use satchel_model::{
    audit::{Event, EventType},
    caller::{Caller, Permissions},
    error::{Error, Result},
    time::Time,
};

/// The people. One per process; share it in an `Arc`.
pub struct People {
    pub(super) db: Db,
    pub(super) hasher: Hasher,
    pub(super) lockout: Lockout,
    pub(super) known: Known,
    pub(super) called: Called,
    pub(super) link: RwLock<Option<Link>>,
    pub(super) local: RwLock<Option<Hash>>,
    pub(super) is_closed: Arc<AtomicBool>,
    changes: watch::Sender<()>,
}

impl People {
    /// Opens the people of a database; the built-in roles are brought up to date.
    pub async fn open(db: Db) -> Result<Self> {
        roles::seed(&db).await?;
        Ok(Self {
            db,
            hasher: Hasher::new(),
            lockout: Lockout::default(),
            known: Known::new(),
            called: Called::new(),
            link: RwLock::new(None),
            local: RwLock::new(None),
            is_closed: Arc::default(),
            changes: watch::Sender::default(),
        })
    }

    /// Hears of every change of people.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Writes, and forgets every remembered credential.
    pub(super) async fn change<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx) -> Result<T> + Send + 'static,
    {
        let is_closed = Arc::clone(&self.is_closed);
        // Looked at where writes follow one another: see `People::close`.
        let done =
            self.db.write(move |tx| if is_closed.load(Ordering::SeqCst) { Err(closed()) } else { work(tx) }).await;
        self.known.forget();
        self.changes.send_replace(());
        done
    }

    /// Writes for somebody who may still do what they could when they asked.
    pub(super) async fn change_by<T, F>(&self, by: &Actor, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx, &Actor) -> Result<T> + Send + 'static,
    {
        let by = by.clone();
        let checked = move |tx: &Tx| {
            credentials::ensure_lasting(tx, &by)?;
            work(tx, &by)
        };
        self.change(checked).await
    }
}

fn closed() -> Error {
    Error::conflict("A backup is taking the place of what is here. Wait until Satchel has started on it, then sign in.")
}

/// Who changes something, and when: what the audit row of the change needs.
#[derive(Debug, Clone)]
pub struct Actor {
    /// Who.
    pub caller: Caller,
    /// The session they ask in, if it is one.
    pub session: Option<SessionId>,
    /// When.
    pub now: Time,
}

impl Actor {
    /// Somebody who is in no session.
    pub fn at(caller: &Caller, now: Time) -> Self {
        Self { caller: caller.clone(), session: None, now }
    }

    /// Writes the audit row of an administrator's action into the transaction that does it.
    pub(super) fn record(&self, tx: &Tx, action: &str, arguments: Value) -> Result<()> {
        self.append(tx, EventType::AdminAction, action, arguments)
    }

    /// Writes the audit row of something that concerns their own sign-in.
    pub(super) fn record_auth(&self, tx: &Tx, action: &str, arguments: Value) -> Result<()> {
        self.append(tx, EventType::Auth, action, arguments)
    }

    fn append(&self, tx: &Tx, event_type: EventType, action: &str, mut arguments: Value) -> Result<()> {
        // A program is not its person: whoever looks back sees which of the two it was.
        if let (Some(key), Some(told)) = (self.caller.credential.key(), arguments.as_object_mut()) {
            told.insert("by_key".to_owned(), Value::String(key.to_string()));
        }
        let event = Event {
            user_id: Some(self.caller.user),
            user: self.caller.username.clone(),
            arguments,
            ..Event::new(self.now, event_type, self.caller.door, action)
        };
        audit::append(tx, &event).map(drop)
    }

    /// Fails unless they hold all of `permissions`: nobody hands out, or takes from somebody, what they have not.
    pub(super) fn require_all(&self, permissions: &Permissions) -> Result<()> {
        match permissions.iter().find(|wanted| !self.caller.permissions.grants(wanted)) {
            None => Ok(()),
            Some(missing) => Err(Error::denied(format!(
                "This concerns the permission '{missing}', which you do not hold yourself. Ask somebody who does."
            ))),
        }
    }
}

/// An authenticated caller, shared with the cache.
pub type SharedIdentity = Arc<Identity>;

#[cfg(test)]
#[path = "people_tests.rs"]
mod tests;
