//! What became of runs: ended, to be tried again, waiting for a person, or left by a process that is gone.

use super::{
    Jobs, Whose,
    due::Claimed,
    require,
    rows::{self, read_run},
};
use crate::{
    origin,
    sql::{Row, Tx, params},
};
use satchel_model::{
    call::{CallId, TicketId},
    conversation::ConversationId,
    error::Result,
    job::{Firing, FiringId, FiringState, JobId, LogLine},
    origin::Origin,
    time::Time,
};

/// Most lines of a run's log.
const LINES: usize = 200;

/// What has become of a run.
#[derive(Debug, Clone, Default)]
pub struct Ended {
    /// The reason why it did not do its work.
    pub error: Option<String>,
    /// The result, cut.
    pub output: Option<String>,
    /// The origin of the result, if from outside.
    pub origin: Option<Origin>,
    /// A line of the log.
    pub told: String,
}

/// What comes next of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Nothing: it stands so.
    Stands(FiringState),
    /// It is tried again then; as another try, or as the same one, where it never began.
    Again(Time, u32),
    /// It waits for a person's answer.
    Waits(TicketId),
}

impl Jobs {
    /// Notes what became of a run that this process had claimed. Returns `false` where it was not its own any more.
    pub async fn settle(&self, id: FiringId, process: &str, next: Next, ended: Ended, now: Time) -> Result<bool> {
        let process = process.to_owned();
        let settled = self.db.write_after_effect(move |tx| settle(tx, id, Some(&process), next, ended, now)).await;
        self.ring();
        settled
    }

    /// Notes what became of a run that waited for a person's answer.
    pub async fn settle_waiting(&self, id: FiringId, next: Next, ended: Ended, now: Time) -> Result<bool> {
        let settled = self.db.write_after_effect(move |tx| settle(tx, id, None, next, ended, now)).await;
        self.ring();
        settled
    }

    /// Notes the call or the conversation that a run of this process is about to make: a start that finds it cut knows.
    pub async fn note_begun(
        &self,
        id: FiringId,
        call: Option<CallId>,
        conversation: Option<ConversationId>,
        line: LogLine,
    ) -> Result<()> {
        self.db
            .write(move |tx| {
                let (call, conversation) = (call.map(|id| id.to_string()), conversation.map(|id| id.to_string()));
                let log = log(tx, id, line)?;
                let sql =
                    "UPDATE firings SET call_id = coalesce(?2, call_id), conversation = coalesce(?3, conversation),
                             log = ?4 WHERE id = ?1 AND state = 'running'";
                tx.run(sql, (id.to_string(), call, conversation, log)).map(drop)
            })
            .await
    }

    /// The runs of a job, the newest first.
    pub async fn runs(&self, id: JobId, whose: Whose) -> Result<Vec<Firing>> {
        self.db
            .read(move |tx| {
                require(tx, id, whose)?;
                tx.all("SELECT * FROM firings WHERE job = ?1 ORDER BY id DESC", [id.to_string()], read_run)
            })
            .await
    }

    /// Runs that wait for a person's answer.
    pub async fn waiting(&self) -> Result<Vec<Claimed>> {
        self.open_runs("SELECT * FROM firings WHERE state = 'waiting' ORDER BY id").await
    }

    /// The run that waits for the answer to a question.
    pub async fn waiting_for(&self, ticket: TicketId) -> Result<Option<Claimed>> {
        self.db
            .read(move |tx| {
                let sql = "SELECT * FROM firings WHERE ticket = ?1 AND state = 'waiting'";
                let run = tx.first(sql, [ticket.to_string()], with_input)?;
                run.map(|run| claimed(tx, run)).transpose()
            })
            .await
    }

    /// Runs that were under way when the last process ended.
    pub async fn left_running(&self) -> Result<Vec<Claimed>> {
        self.open_runs("SELECT * FROM firings WHERE state = 'running' ORDER BY id").await
    }

    async fn open_runs(&self, sql: &'static str) -> Result<Vec<Claimed>> {
        self.db.read(move |tx| tx.all(sql, (), with_input)?.into_iter().map(|run| claimed(tx, run)).collect()).await
    }

    /// Takes over a run that a process which is gone had claimed.
    pub async fn take_over(&self, id: FiringId, process: &str) -> Result<()> {
        let process = process.to_owned();
        let sql = "UPDATE firings SET claimed_by = ?2 WHERE id = ?1 AND state = 'running'";
        self.db.write(move |tx| tx.run(sql, (id.to_string(), process)).map(drop)).await
    }

    /// Pauses a job by itself, and says why.
    pub async fn pause_because(&self, id: JobId, why: String, now: Time) -> Result<()> {
        let sql = "UPDATE jobs SET enabled = FALSE, next_at = NULL, paused_because = ?2, updated_at = ?3 WHERE id = ?1";
        self.db.write(move |tx| tx.run(sql, (id.to_string(), why, now.millis())).map(drop)).await
    }
}

type WithInput = (Firing, Option<String>);

fn with_input(row: &Row<'_>) -> Result<WithInput> {
    Ok((read_run(row)?, row.get("input")?))
}

fn claimed(tx: &Tx, (run, input): WithInput) -> Result<Claimed> {
    let stored = require(tx, run.job, Whose::All)?;
    let input = input.and_then(|text| serde_json::from_str(&text).ok());
    Ok(Claimed { deed: stored.job.deed.clone().check()?, run, job: stored.job, owner: stored.owner, input })
}

/// The log of a run with one more line.
fn log(tx: &Tx, id: FiringId, line: LogLine) -> Result<String> {
    let sql = "SELECT log FROM firings WHERE id = ?1";
    let mut log = tx.first(sql, [id.to_string()], |row| row.json::<Vec<LogLine>>("log"))?.unwrap_or_default();
    if log.len() < LINES {
        log.push(line);
    }
    rows::text(&log)
}

fn settle(tx: &Tx, id: FiringId, process: Option<&str>, next: Next, ended: Ended, now: Time) -> Result<bool> {
    let Ended { error, output, origin, told } = ended;
    let log = log(tx, id, LogLine { at: now, text: told })?;
    let (state, ready_at, attempt, ticket) = match next {
        Next::Stands(state) => (state, None, None, None),
        Next::Again(at, attempt) => (FiringState::Queued, Some(at.millis()), Some(i64::from(attempt)), None),
        Next::Waits(ticket) => (FiringState::Waiting, None, None, Some(ticket.to_string())),
    };
    let sql = "UPDATE firings SET state = ?3, ready_at = coalesce(?4, ready_at), attempt = coalesce(?5, attempt),
                 ticket = coalesce(?6, ticket), ended_at = ?7, error = ?8, output = ?9, origin = ?10, log = ?11,
                 claimed_by = NULL, input = CASE WHEN ?7 IS NULL THEN input ELSE NULL END
               WHERE id = ?1 AND ((state = 'running' AND claimed_by = ?2) OR (state = 'waiting' AND ?2 = ''))";
    let changed = tx.run(
        sql,
        params![
            id.to_string(),
            process.unwrap_or_default(),
            state.as_str(),
            ready_at,
            attempt,
            ticket,
            state.is_ended().then_some(now.millis()),
            error,
            output,
            origin::text(&origin),
            log,
        ],
    )?;
    Ok(changed > 0)
}
