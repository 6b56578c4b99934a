//! The rows of jobs and of their runs.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::owner::Owner;
use crate::{origin, sql::Row};
use satchel_model::{
    error::{Error, Result},
    job::{Authority, Do, Firing, Job, LastRun, Trigger, When, when::Webhook},
    run::RunState,
};

/// The columns of a job, with its last run.
pub(super) const COLUMNS: &str = "jobs.*, \
     (SELECT f.state FROM firings f WHERE f.job = jobs.id ORDER BY f.id DESC LIMIT 1) AS last_state, \
     (SELECT f.due_at FROM firings f WHERE f.job = jobs.id ORDER BY f.id DESC LIMIT 1) AS last_due_at, \
     (SELECT f.error FROM firings f WHERE f.job = jobs.id ORDER BY f.id DESC LIMIT 1) AS last_error";

/// A job as it is stored.
pub(super) struct Stored {
    pub(super) job: Job,
    pub(super) hook: Option<String>,
    pub(super) owner: Owner,
}

impl Stored {
    /// The moments at which it runs.
    pub(super) fn trigger(&self) -> Result<Trigger> {
        Trigger::read(&self.job.when, self.job.created_at)
    }
}

pub(super) fn read(row: &Row<'_>) -> Result<Stored> {
    let hook: Option<String> = row.get("hook")?;
    let when: When = row.json("moments")?;
    let created_at = row.time("created_at")?;
    // One that this version does not take is shown with the reason, and is paused once it is due.
    let when_words = match Trigger::read(&when, created_at) {
        Ok(trigger) => trigger.words(&when),
        Err(error) => error.message().to_owned(),
    };
    let webhook = hook.as_ref().map(|hook| Webhook { path: Some(format!("/hooks/{hook}")) });
    let last_run = match row.get::<Option<String>>("last_state")? {
        Some(state) => {
            Some(LastRun { state: parse(state)?, due_at: row.time("last_due_at")?, error: row.get("last_error")? })
        }
        None => None,
    };
    let (user, username): (_, String) = (row.parsed("person")?, row.get("owner_name")?);
    let authority: Authority = row.optional_json("authority")?.unwrap_or_default();
    let job = Job {
        id: row.parsed("id")?,
        owner: user,
        owner_name: username.clone(),
        name: row.get("name")?,
        when: When { webhook, ..when },
        when_words,
        deed: row.json::<Do>("deed")?,
        catch_up: parse(row.get("catch_up")?)?,
        retries: u32::try_from(row.get::<i64>("retries")?).map_err(Error::internal)?,
        notify: row.json("notify")?,
        enabled: row.get("enabled")?,
        paused_because: row.get("paused_because")?,
        next_at: row.optional_time("next_at")?,
        last_run,
        created_at,
        updated_at: row.time("updated_at")?,
        origin: origin::read(row)?,
        authority: authority.clone(),
    };
    Ok(Stored { job, hook, owner: Owner { user, username, authority } })
}

pub(super) fn read_run(row: &Row<'_>) -> Result<Firing> {
    let id = |name: &str| row.get::<Option<String>>(name);
    let state: RunState = parse(row.get("state")?)?;
    let attempt = u32::try_from(row.get::<i64>("attempt")?).map_err(Error::internal)?;
    let ready_at = row.time("ready_at")?;
    Ok(Firing {
        id: row.parsed("id")?,
        job: row.parsed("job")?,
        cause: parse(row.get("cause")?)?,
        state,
        due_at: row.time("due_at")?,
        attempt,
        retry_at: (state == RunState::Queued && attempt > 1).then_some(ready_at),
        started_at: row.optional_time("started_at")?,
        ended_at: row.optional_time("ended_at")?,
        error: row.get("error")?,
        output: row.get("output")?,
        ticket: id("ticket")?.as_deref().map(str::parse).transpose()?,
        call: id("call_id")?.as_deref().map(str::parse).transpose()?,
        run: id("turn")?.as_deref().map(str::parse).transpose()?,
        conversation: id("conversation")?.as_deref().map(str::parse).transpose()?,
        log: row.json("log")?,
        origin: origin::read(row)?,
    })
}

/// An authority as it is stored; nothing where it is a person's own.
pub(super) fn authority(authority: &Authority) -> Result<Option<String>> {
    (!authority.is_whole()).then(|| text(authority)).transpose()
}

/// A value as JSON text.
pub(super) fn text(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(Error::internal)
}

/// A word of a value that is written as one.
pub(super) fn word(value: impl Serialize) -> Result<String> {
    match serde_json::to_value(value).map_err(Error::internal)? {
        Value::String(word) => Ok(word),
        other => Err(Error::internal(format!("{other} is no word"))),
    }
}

fn parse<T: DeserializeOwned>(word: String) -> Result<T> {
    serde_json::from_value(Value::String(word)).map_err(Error::internal)
}
