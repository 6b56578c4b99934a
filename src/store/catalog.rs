//! The service catalog: rows in the database, one copy in memory that is read without waiting.

mod credentials;
mod endpoints;
mod import;
mod review;
mod rows;

pub use import::ImportPlan;
pub use review::Writer;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use parking_lot::RwLock;
use serde_json::json;

use super::{
    db::Db,
    people::Actor,
    sql::Tx,
    vault::Vault,
    versions::{self, Thing},
};
use satchel_model::{
    caller::Door,
    catalog::{
        directory::{Directory, Registered},
        draft::SystemDraft,
        status::SystemStatus,
        system::{System, SystemId},
    },
    error::{Error, Result},
    id::shorten,
    time::Time,
};

/// Most systems.
const MAX_SYSTEMS: usize = 1_000;

/// The catalog. Cheap to clone and to read.
#[derive(Clone)]
pub struct Catalog {
    db: Db,
    vault: Vault,
    current: Arc<RwLock<Current>>,
}

/// What is in force.
#[derive(Default)]
struct Current {
    directory: Arc<Directory>,
    /// The last change taken in of each system: answers do not come in the order of the commits.
    seen: HashMap<SystemId, i64>,
}

/// Whether this is a person's own doing who may let a system be called: what a model does in their name is not.
pub fn lets_through(by: &Actor) -> bool {
    matches!(by.caller.door, Door::Api | Door::Cli) && by.caller.permissions.grants("settings:manage")
}

/// A system as it is after a change.
pub struct Changed {
    /// The system.
    pub system: System,
    /// Secrets were given for another address and are gone: they must be entered again.
    pub secrets_gone: bool,
    /// It was switched off: its address changed in the hands of somebody who may not activate it.
    pub switched_off: bool,
}

impl Catalog {
    /// The catalog kept in this database and vault.
    pub async fn load(db: Db, vault: &Vault) -> Result<Self> {
        let all = db.read(rows::all).await?;
        let directory = Arc::new(Directory::new(all.into_iter().map(Arc::new).collect()));
        let current = Current { directory, seen: HashMap::new() };
        Ok(Self { db, vault: vault.clone(), current: Arc::new(RwLock::new(current)) })
    }

    /// All systems with their endpoints, as they are now.
    pub fn get(&self) -> Arc<Directory> {
        Arc::clone(&self.current.read().directory)
    }

    /// Registers a system: a draft.
    pub async fn create(&self, by: &Actor, draft: SystemDraft) -> Result<System> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let slugs = slugs(tx, None)?;
            ensure_room(&slugs)?;
            let system = draft.into_new(&slugs, by.now)?;
            require_free(tx, &system)?;
            rows::put_system(tx, &system)?;
            by.record(tx, "catalog.system.create", described(&system))?;
            Ok((system.id, system))
        };
        self.write(work).await
    }

    /// Changes a system. Secrets do not follow to another address. A system in use that is led elsewhere by somebody who
    /// may not activate one is switched off.
    pub async fn change(&self, by: &Actor, id: SystemId, draft: SystemDraft) -> Result<Changed> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let old = rows::require_system(tx, id)?;
            let system = draft.apply(old.clone(), &slugs(tx, Some(id))?, by.now)?;
            require_free(tx, &system)?;
            let (system, switched_off) = moved(&by, &old, system);
            let secrets_gone = credentials::tidy(tx, &system)?;
            rows::put_system(tx, &system)?;
            by.record(tx, "catalog.system.change", described(&system))?;
            Ok((id, Changed { system, secrets_gone, switched_off }))
        };
        self.write(work).await
    }

    /// Moves a system to another status, where R8 allows it. Whoever activates one has let its endpoints through; what a
    /// tool has written since it was a draft waits for its own review. `read` is when the last of what a tool wrote of a
    /// draft had been written, as it was read.
    pub async fn set_status(&self, by: &Actor, id: SystemId, to: SystemStatus, read: Option<Time>) -> Result<System> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let mut system = rows::require_system(tx, id)?;
            let from = system.status;
            from.require_next(to)?;
            system.status = to;
            system.updated_at = by.now;
            match to {
                SystemStatus::Active if from == SystemStatus::Draft => {
                    review::let_through_draft(tx, &by, &mut system, read)?;
                }
                SystemStatus::Active => {
                    let reviewed = "UPDATE endpoints SET reviewed = TRUE WHERE system = ?1 AND waiting IS NULL";
                    tx.run(reviewed, [id.to_string()])?;
                }
                _ => {}
            }
            rows::put_system(tx, &system)?;
            by.record(tx, "catalog.system.status", json!({"id": id, "name": system.name, "from": from, "to": to}))?;
            Ok((id, system))
        };
        self.write(work).await
    }

    /// Forgets a system, its endpoints and its secrets.
    pub async fn delete(&self, by: &Actor, id: SystemId) -> Result<()> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let system = rows::require_system(tx, id)?;
            tx.run("DELETE FROM systems WHERE id = ?1", [id.to_string()])?;
            credentials::forget(tx, id)?;
            by.record(tx, "catalog.system.delete", json!({"id": id, "name": system.name}))?;
            Ok((id, ()))
        };
        self.write(work).await
    }

    /// Does the work in one transaction; what is known of the system it names follows once it is committed.
    async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx) -> Result<(SystemId, T)> + Send + 'static,
    {
        let done = self.db.write(move |tx| {
            let (id, result) = work(tx)?;
            let now = rows::one(tx, id)?;
            Ok((versions::next(tx, Thing::Catalog)?, id, now, result))
        });
        let (number, id, now, result) = done.await?;
        self.current.write().follow(number, id, now);
        Ok(result)
    }
}

impl Current {
    fn follow(&mut self, number: i64, id: SystemId, now: Option<Registered>) {
        if self.seen.get(&id).is_some_and(|seen| *seen > number) {
            return;
        }
        self.seen.insert(id, number);
        let now = now.map(|now| match self.directory.get(id) {
            Ok(before) => now.following(before),
            Err(_) => now,
        });
        let others = self.directory.all().iter().filter(|one| one.system.id != id).cloned();
        self.directory = Arc::new(Directory::new(others.chain(now.map(Arc::new)).collect()));
    }
}

/// A system as it may be after a change, and whether that switches it off: it leads elsewhere, in the hands of somebody who
/// may not activate one.
fn moved(by: &Actor, old: &System, new: System) -> (System, bool) {
    let switched_off = old.binding() != new.binding() && new.status.is_callable() && !lets_through(by);
    if switched_off { (System { status: SystemStatus::Disabled, ..new }, true) } else { (new, false) }
}

/// Fails where there are as many systems as there can be.
fn ensure_room(slugs: &BTreeSet<String>) -> Result<()> {
    if slugs.len() < MAX_SYSTEMS {
        return Ok(());
    }
    Err(Error::conflict(format!("There are {MAX_SYSTEMS} systems already, the most there can be.")))
}

/// The slugs of all systems but one.
fn slugs(tx: &Tx, except: Option<SystemId>) -> Result<BTreeSet<String>> {
    let except = except.map(|id| id.to_string()).unwrap_or_default();
    let found = tx.all("SELECT slug FROM systems WHERE id <> ?1", [except], |row| row.get("slug"))?;
    Ok(found.into_iter().collect())
}

fn require_free(tx: &Tx, system: &System) -> Result<()> {
    let taken = "SELECT id FROM systems WHERE name_key = ?1 AND id <> ?2";
    let key = (system.name.to_lowercase(), system.id.to_string());
    match tx.first(taken, key, |row| row.get::<String>("id"))? {
        None => Ok(()),
        Some(id) => {
            let name = shorten(&system.name);
            Err(Error::conflict(format!("There is a system '{name}' already, with the id {id}: change that one.")))
        }
    }
}

/// What the audit keeps: where secrets may go, never a secret.
fn described(system: &System) -> serde_json::Value {
    json!({
        "id": system.id, "name": system.name, "base_url": system.base_url, "tags": system.tags,
        "status": system.status, "auth": system.auth.kind(), "token_url": system.auth.token_url(),
    })
}
