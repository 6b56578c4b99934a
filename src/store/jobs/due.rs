//! Jobs that are due: their runs are made, and each is claimed by one process.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    Jobs, Whose,
    owner::Owner,
    require,
    rows::{self, Stored, read, read_run},
    runs::pause_because,
};
use crate::{
    nodes::NodeId,
    people::Actor,
    sql::{Row, Tx, params},
};
use satchel_model::{
    error::{Error, Kind, Result},
    job::{Authority, Cause, Deed, Firing, FiringId, Job, JobId, LogLine, due},
    run::RunState,
    time::Time,
};

/// Most jobs that are looked at in one write.
const AT_ONCE: i64 = 500;
/// Most ended runs that are kept of a job.
const KEPT: i64 = 100;

/// A run that is this process's to do.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The run.
    pub run: Firing,
    /// The number of times it was claimed: whoever writes of it names this.
    pub claim: i64,
    /// Its job.
    pub job: Job,
    /// Its work.
    pub deed: Deed,
    /// Whose job it is.
    pub owner: Owner,
    /// The body that its webhook was sent.
    pub input: Option<Value>,
}

/// A run as it is stored, with how often it was claimed and what its webhook carried.
pub(super) struct Unclaimed {
    run: Firing,
    claim: i64,
    input: Option<String>,
    asked: Option<Authority>,
}

pub(super) fn read_claimed(row: &Row<'_>) -> Result<Unclaimed> {
    let (claim, input, asked) = (row.get("run")?, row.get("input")?, row.optional_json("asked")?);
    Ok(Unclaimed { run: read_run(row)?, claim, input, asked })
}

/// A run with its job.
pub(super) fn with_job(tx: &Tx, Unclaimed { run, claim, input, asked }: Unclaimed) -> Result<Claimed> {
    let Stored { job, mut owner, .. } = require(tx, run.job, Whose::All)?;
    owner.authority = owner.authority.intersect(asked.unwrap_or_default());
    let input = input.and_then(|text| serde_json::from_str(&text).ok());
    Ok(Claimed { deed: job.deed.clone().check()?, run, claim, job, owner, input })
}

/// A run that is made.
pub(super) struct NewFiring {
    pub(super) job: JobId,
    pub(super) cause: Cause,
    pub(super) state: RunState,
    pub(super) due_at: Time,
    pub(super) error: Option<String>,
    pub(super) input: Option<String>,
    /// The authority of whoever asked for it, where somebody did.
    pub(super) asked: Authority,
}

impl Jobs {
    /// Makes the runs that are due, and claims those whose turn it is for this process.
    pub async fn take_due(&self, now: Time) -> Result<Vec<Claimed>> {
        let node = self.db.node();
        self.db
            .write(move |tx| {
                let sql = format!("SELECT {} FROM jobs WHERE next_at <= ?1 ORDER BY next_at LIMIT ?2", rows::COLUMNS);
                for stored in tx.all(&sql, (now.millis(), AT_ONCE), read)? {
                    make(tx, &stored, now)?;
                }
                claim(tx, node, now)
            })
            .await
    }

    /// The next moment at which something is due or to be tried again.
    pub async fn next_at(&self) -> Result<Option<Time>> {
        self.db
            .read(|tx| {
                let due: Option<i64> = tx.one("SELECT min(next_at) FROM jobs WHERE next_at IS NOT NULL", ())?;
                let sql = "SELECT min(q.ready_at) FROM firings q WHERE q.state = 'queued' AND NOT EXISTS (
                             SELECT 1 FROM firings o WHERE o.job = q.job AND o.state IN ('running', 'waiting'))";
                let queued: Option<i64> = tx.one(sql, ())?;
                Ok(due.into_iter().chain(queued).min().map(Time::from_millis))
            })
            .await
    }

    /// Makes a run of a job now, whatever its moments are. It does no more than whoever asks for it may, and is in the audit.
    ///
    /// # Errors
    ///
    /// If there is no such job of theirs.
    pub async fn run_now(&self, by: &Actor, id: JobId) -> Result<Firing> {
        let by = by.clone();
        let made = self
            .db
            .write(move |tx| {
                let job = require(tx, id, Whose::Own(by.caller.user))?.job;
                let asked = Authority::new(&by.caller)?;
                let (cause, state) = (Cause::Asked, RunState::Queued);
                let new = NewFiring { asked: asked.clone(), ..NewFiring::new(job.id, cause, state, by.now) };
                let run = insert(tx, new, by.now)?;
                by.record(tx, "job.run_now", json!({"id": id, "name": job.name, "authority": asked, "run": run}))?;
                tx.first("SELECT * FROM firings WHERE id = ?1", [run.to_string()], read_run)
            })
            .await?;
        self.ring();
        made.ok_or_else(|| Error::internal("a run that was made is missing"))
    }
}

impl NewFiring {
    /// A run that nobody asked for, with everything else left out.
    pub(super) fn new(job: JobId, cause: Cause, state: RunState, due_at: Time) -> Self {
        Self { job, cause, state, due_at, error: None, input: None, asked: Authority::default() }
    }
}

/// Makes the runs of a job that are due, and says when it is due next.
fn make(tx: &Tx, stored: &Stored, now: Time) -> Result<()> {
    let Stored { job, .. } = stored;
    let Some(first) = job.next_at else { return Ok(()) };
    let trigger = match stored.trigger() {
        Ok(trigger) => trigger,
        // Another job's moments are none of its business.
        Err(error) => return pause_because(tx, job.id, error.message(), now),
    };
    let due = due(&trigger, first, now, job.catch_up);
    let is_open = tx.exists(
        "SELECT 1 FROM firings WHERE job = ?1 AND state IN ('queued', 'running', 'waiting')",
        [job.id.to_string()],
    )?;
    let run = |due_at, state, error| NewFiring { error, ..NewFiring::new(job.id, Cause::Time, state, due_at) };
    if due.missed > 0 {
        let told = match due.missed {
            1 => "1 run was missed and is not made up for, as the job has it.".to_owned(),
            number if due.more => {
                format!("More than {number} runs were missed and are not made up for, as the job has it.")
            }
            number => format!("{number} runs were missed and are not made up for, as the job has it."),
        };
        insert(tx, run(first, RunState::Cancelled, Some(told)), now)?;
    }
    for due_at in due.run {
        let skipped = is_open.then(|| "It was skipped: the run before has not ended yet.".to_owned());
        let state = if is_open { RunState::Cancelled } else { RunState::Queued };
        insert(tx, run(due_at, state, skipped), now)?;
    }
    let sql = "UPDATE jobs SET next_at = ?3 WHERE id = ?1 AND next_at = ?2";
    tx.run(sql, (job.id.to_string(), first.millis(), due.next.map(Time::millis)))?;
    prune(tx, job.id)
}

/// Writes a run; one that was made for that moment before stays as it is.
pub(super) fn insert(tx: &Tx, new: NewFiring, now: Time) -> Result<FiringId> {
    let NewFiring { job, cause, state, due_at, error, input, asked } = new;
    let id = FiringId::new();
    let log = match &error {
        Some(text) => vec![LogLine { at: now, text: text.clone() }],
        None => Vec::new(),
    };
    let sql = "INSERT INTO firings (id, job, cause, state, due_at, ready_at, attempt, ended_at, error, input, log,
                                    asked)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING";
    tx.run(
        sql,
        params![
            id.to_string(),
            job.to_string(),
            cause.as_str(),
            state.as_str(),
            due_at.millis(),
            now.millis(),
            state.is_over().then_some(now.millis()),
            error,
            input,
            rows::text(&log)?,
            rows::authority(&asked)?,
        ],
    )?;
    Ok(id)
}

/// Claims the runs whose turn it is: of each job one, the first.
fn claim(tx: &Tx, node: NodeId, now: Time) -> Result<Vec<Claimed>> {
    let sql = "SELECT * FROM firings q WHERE q.state = 'queued' AND q.ready_at <= ?1 AND NOT EXISTS (
                 SELECT 1 FROM firings o WHERE o.job = q.job AND o.state IN ('running', 'waiting'))
               ORDER BY q.due_at, q.id LIMIT ?2";
    let queued = tx.all(sql, (now.millis(), AT_ONCE), read_claimed)?;
    let mut jobs = HashSet::new();
    let mut claimed = Vec::new();
    for queued in queued {
        if !jobs.insert(queued.run.job) {
            continue;
        }
        let sql = "UPDATE firings SET state = 'running', node = ?2, run = run + 1, started_at = ?3
                   WHERE id = ?1 AND state = 'queued'";
        if tx.run(sql, (queued.run.id.to_string(), node.to_string(), now.millis()))? == 0 {
            continue;
        }
        let run = Firing { state: RunState::Running, started_at: Some(now), retry_at: None, ..queued.run };
        let id = run.id;
        match with_job(tx, Unclaimed { run, claim: queued.claim + 1, ..queued }) {
            Ok(run) => claimed.push(run),
            Err(error) if error.kind() == Kind::Invalid => fail(tx, id, error.message(), now)?,
            Err(error) => return Err(error),
        }
    }
    Ok(claimed)
}

/// Ends a run whose job cannot be done any more as it is written.
fn fail(tx: &Tx, id: FiringId, why: &str, now: Time) -> Result<()> {
    let sql = "UPDATE firings SET state = 'failed', node = NULL, error = ?2, ended_at = ?3 WHERE id = ?1";
    tx.run(sql, (id.to_string(), why, now.millis())).map(drop)
}

/// Removes the oldest runs that have ended.
fn prune(tx: &Tx, job: JobId) -> Result<()> {
    let sql = "DELETE FROM firings WHERE job = ?1 AND state NOT IN ('queued', 'running', 'waiting') AND id NOT IN (
                 SELECT id FROM firings WHERE job = ?1 ORDER BY id DESC LIMIT ?2)";
    tx.run(sql, (job.to_string(), KEPT)).map(drop)
}
