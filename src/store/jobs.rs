//! Jobs, their runs, and the webhooks that start some of them.

mod due;
mod hooks;
mod owner;
mod rows;
mod runs;

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Notify;

use self::rows::{Stored, read};
pub(crate) use self::runs::{claim_left, pause_of_agent};
pub use self::{
    due::Claimed,
    hooks::{HookCall, Taken},
    owner::Owner,
    runs::{Begun, Ended, Next},
};
use super::{
    db::Db,
    origin,
    people::Actor,
    sql::{Tx, params},
    token,
    vault::{self, Vault},
};
use satchel_model::{
    error::{Error, Result},
    job::{Authority, Do, Job, JobId, MAX_JOBS, Plan, When},
    secret::Secret,
    time::Time,
    user::UserId,
};

/// The name of a webhook's secret among those that the vault keeps of its job.
const SECRET: &str = "webhook";

/// The jobs of one database. Cheap to clone.
#[derive(Clone)]
pub struct Jobs {
    db: Db,
    vault: Vault,
    bell: Arc<Notify>,
}

/// A job that was made.
#[derive(Debug)]
pub struct Created {
    /// The job.
    pub job: Job,
    /// The secret of its webhook, where it has one: shown this once.
    pub secret: Option<Secret>,
}

/// The jobs that somebody reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// One person's.
    Own(UserId),
    /// Everybody's.
    All,
}

impl Whose {
    /// The person whose they are, as a statement compares it; empty for everybody's.
    fn person(self) -> String {
        match self {
            Self::Own(user) => user.to_string(),
            Self::All => String::new(),
        }
    }
}

/// The part of a statement that keeps to the jobs somebody reaches, with their person bound second.
const REACHED: &str = "(?2 = '' OR person = ?2)";

impl Jobs {
    /// The jobs of this database, with the vault that keeps the secrets of webhooks.
    pub fn new(db: &Db, vault: &Vault) -> Self {
        Self { db: db.clone(), vault: vault.clone(), bell: Arc::default() }
    }

    /// Returns once something has changed since the last call that may be due earlier.
    pub async fn changed(&self) {
        self.bell.notified().await;
    }

    /// Makes somebody look what is due now.
    pub fn ring(&self) {
        self.bell.notify_one();
    }

    /// Makes a job of whoever asks.
    ///
    /// # Errors
    ///
    /// If they have too many.
    pub async fn create(&self, by: &Actor, plan: Plan) -> Result<Created> {
        let (by, vault) = (by.clone(), self.vault.clone());
        let made = self
            .db
            .write(move |tx| {
                let user = by.caller.user.to_string();
                let count: i64 = tx.one("SELECT count(*) FROM jobs WHERE person = ?1", [&user])?;
                if count >= MAX_JOBS {
                    return Err(Error::conflict(format!("You have {MAX_JOBS} jobs: delete one first.")));
                }
                let id = JobId::new();
                let authority = Authority::new(&by.caller)?;
                let (hook, secret) = hook(&vault, tx, id, &plan.when, by.now)?;
                let sql =
                    "INSERT INTO jobs (id, person, owner_name, authority, name, moments, deed, catch_up, retries, notify,
                                             enabled, next_at, hook, created_at, updated_at, origin)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14, ?15)";
                let next_at = plan.next_at.filter(|_| plan.enabled).map(Time::millis);
                tx.run(
                    sql,
                    params![
                        id.to_string(),
                        user,
                        by.caller.username,
                        rows::authority(&authority)?,
                        plan.name,
                        rows::text(&plan.when)?,
                        rows::text(&Do::from(&plan.deed))?,
                        rows::word(plan.catch_up)?,
                        i64::from(plan.retries),
                        rows::text(&plan.notify)?,
                        plan.enabled,
                        next_at,
                        hook,
                        by.now.millis(),
                        origin::text(&plan.origin),
                    ],
                )?;
                by.record(tx, "job.create", described(id, &plan.name, &authority))?;
                let job = require(tx, id, Whose::All)?.job;
                Ok(Created { job, secret })
            })
            .await;
        self.ring();
        made
    }

    /// Replaces what a job is. A webhook keeps its address and its secret; a job that becomes one is given them.
    ///
    /// # Errors
    ///
    /// If there is no such job of theirs.
    pub async fn replace(&self, by: &Actor, id: JobId, plan: Plan) -> Result<Created> {
        let (by, vault) = (by.clone(), self.vault.clone());
        let made = self
            .db
            .write(move |tx| {
                let stored = require(tx, id, Whose::Own(by.caller.user))?;
                let (hook, secret) = match (&plan.when.webhook, stored.hook) {
                    (Some(_), Some(kept)) => (Some(kept), None),
                    _ => hook(&vault, tx, id, &plan.when, by.now)?,
                };
                let authority = stored.job.authority.rewritten(&by.caller)?;
                let sql = "UPDATE jobs SET name = ?2, moments = ?3, deed = ?4, catch_up = ?5, retries = ?6, notify = ?7,
                             enabled = ?8, paused_because = NULL, next_at = ?9, hook = ?10, updated_at = ?11, origin = ?12,
                             authority = ?13
                           WHERE id = ?1";
                let next_at = plan.next_at.filter(|_| plan.enabled).map(Time::millis);
                tx.run(sql, params![
                    id.to_string(),
                    plan.name,
                    rows::text(&plan.when)?,
                    rows::text(&Do::from(&plan.deed))?,
                    rows::word(plan.catch_up)?,
                    i64::from(plan.retries),
                    rows::text(&plan.notify)?,
                    plan.enabled,
                    next_at,
                    hook,
                    by.now.millis(),
                    origin::text(&plan.origin),
                    rows::authority(&authority)?,
                ])?;
                by.record(tx, "job.change", described(id, &plan.name, &authority))?;
                let job = require(tx, id, Whose::All)?.job;
                Ok(Created { job, secret })
            })
            .await;
        self.ring();
        made
    }

    /// The jobs somebody reaches, the next due first.
    pub async fn list(&self, whose: Whose) -> Result<Vec<Job>> {
        let sql = format!(
            "SELECT {} FROM jobs WHERE ?1 = '' OR person = ?1 ORDER BY next_at IS NULL, next_at, id",
            rows::COLUMNS
        );
        self.db.read(move |tx| tx.all(&sql, [whose.person()], |row| Ok(read(row)?.job))).await
    }

    /// One of them.
    pub async fn get(&self, id: JobId, whose: Whose) -> Result<Job> {
        self.db.read(move |tx| Ok(require(tx, id, whose)?.job)).await
    }

    /// Deletes one with its runs; its open question lapses.
    pub async fn delete(&self, by: &Actor, id: JobId, whose: Whose) -> Result<Job> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                let job = require(tx, id, whose)?.job;
                let sql = "UPDATE tickets SET expires_at = ?2 WHERE state = 'pending' AND id IN (
                             SELECT ticket FROM firings WHERE job = ?1 AND state = 'waiting')";
                tx.run(sql, (id.to_string(), by.now.millis()))?;
                tx.run("DELETE FROM jobs WHERE id = ?1", [id.to_string()])?;
                vault::delete_in(tx, (&hooks::vault_owner(id), SECRET))?;
                by.record(tx, "job.delete", json!({"id": id, "name": job.name, "owner": job.owner_name}))?;
                Ok(job)
            })
            .await
    }

    /// Pauses one: it is not due any more.
    pub async fn pause(&self, by: &Actor, id: JobId, whose: Whose) -> Result<Job> {
        let by = by.clone();
        self.db
            .write(move |tx| {
                require(tx, id, whose)?;
                let sql = "UPDATE jobs SET enabled = FALSE, next_at = NULL, updated_at = ?2 WHERE id = ?1";
                tx.run(sql, (id.to_string(), by.now.millis()))?;
                by.record(tx, "job.pause", json!({"id": id}))?;
                Ok(require(tx, id, whose)?.job)
            })
            .await
    }

    /// Lets one go on that was paused; what was due meanwhile is not made up for. From then on it does no more than whoever
    /// lets it go on may, unless a person does.
    ///
    /// # Errors
    ///
    /// If its moments are over.
    pub async fn resume(&self, by: &Actor, id: JobId) -> Result<Job> {
        let (by, whose) = (by.clone(), Whose::Own(by.caller.user));
        let resumed = self
            .db
            .write(move |tx| {
                let stored = require(tx, id, whose)?;
                let next = stored.trigger()?.after(by.now);
                if next.is_none() && stored.hook.is_none() {
                    return Err(Error::conflict("Its moments are over: change when it runs."));
                }
                let authority = stored.job.authority.intersect(Authority::new(&by.caller)?);
                let sql = "UPDATE jobs SET enabled = TRUE, paused_because = NULL, next_at = ?2, updated_at = ?3,
                             authority = ?4 WHERE id = ?1";
                let authority_text = rows::authority(&authority)?;
                tx.run(sql, (id.to_string(), next.map(Time::millis), by.now.millis(), authority_text))?;
                by.record(tx, "job.resume", described(id, &stored.job.name, &authority))?;
                Ok(require(tx, id, whose)?.job)
            })
            .await;
        self.ring();
        resumed
    }
}

/// The address of a webhook's job, and the secret that was made with it.
fn hook(vault: &Vault, tx: &Tx, id: JobId, when: &When, now: Time) -> Result<(Option<String>, Option<Secret>)> {
    if when.webhook.is_none() {
        vault::delete_in(tx, (&hooks::vault_owner(id), SECRET))?;
        return Ok((None, None));
    }
    let secret = hooks::new_secret();
    vault.put_in(tx, (&hooks::vault_owner(id), SECRET), &secret, now)?;
    Ok((Some(token::issue("").expose().to_owned()), Some(secret)))
}

/// A job that was written down, as the audit tells of it.
fn described(id: JobId, name: &str, authority: &Authority) -> serde_json::Value {
    match authority.is_whole() {
        true => json!({"id": id, "name": name}),
        false => json!({"id": id, "name": name, "authority": authority}),
    }
}

fn require(tx: &Tx, id: JobId, whose: Whose) -> Result<Stored> {
    let sql = format!("SELECT {} FROM jobs WHERE id = ?1 AND {REACHED}", rows::COLUMNS);
    tx.first(&sql, (id.to_string(), whose.person()), read)?
        .ok_or_else(|| Error::not_found(format!("There is no job '{id}'. List them to see which there are.")))
}
