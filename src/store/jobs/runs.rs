//! The states of runs: ended, to be tried again, waiting for a person, or left by a process that is gone.

use super::{
    Jobs, Whose,
    due::{Claimed, read_claimed, with_job},
    require,
    rows::{self, read_run},
};
use crate::{
    nodes::{ABANDONED, NodeId},
    origin,
    sql::{Tx, params},
};
use satchel_model::{
    agent::AgentId,
    call::{CallId, TicketId},
    conversation::ConversationId,
    error::Result,
    job::{Firing, FiringId, JobId, LogLine},
    origin::Origin,
    run::{RunId, RunState},
    time::Time,
};

/// Most lines of a run's log.
const LINES: usize = 200;

/// The end of a run.
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

/// The thing that a run is about to begin with.
#[derive(Debug, Clone, Copy)]
pub enum Begun {
    /// A call.
    Call(CallId),
    /// A turn of an agent.
    Task(ConversationId, RunId),
    /// Something that is done again where it is cut.
    Other,
}

/// The state that a run goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Nothing: it stands so.
    Stands(RunState),
    /// It is tried again then; as another try, or as the same one, where it never began.
    Again(Time, u32),
    /// It waits for a person's answer.
    Waits(TicketId),
}

impl Jobs {
    /// Notes what became of a run that was claimed. Returns `false` where another has claimed it since.
    pub async fn settle(&self, run: &Claimed, next: Next, ended: Ended, now: Time) -> Result<bool> {
        let (id, claim) = (run.run.id, run.claim);
        let settled = self.db.write_after_effect(move |tx| settle(tx, (id, Some(claim)), next, ended, now)).await;
        self.ring();
        settled
    }

    /// Notes what became of a run that waited for a person's answer.
    pub async fn settle_waiting(&self, id: FiringId, next: Next, ended: Ended, now: Time) -> Result<bool> {
        let settled = self.db.write_after_effect(move |tx| settle(tx, (id, None), next, ended, now)).await;
        self.ring();
        settled
    }

    /// Notes what a run is about to begin with: a start that finds it cut knows.
    pub async fn note_begun(&self, run: &Claimed, begun: Begun, line: LogLine) -> Result<()> {
        let (id, claim) = (run.run.id, run.claim);
        self.db
            .write(move |tx| {
                let (call, conversation, turn) = match begun {
                    Begun::Call(call) => (Some(call.to_string()), None, None),
                    Begun::Task(conversation, turn) => (None, Some(conversation.to_string()), Some(turn.to_string())),
                    Begun::Other => (None, None, None),
                };
                let log = log(tx, id, line)?;
                let sql =
                    "UPDATE firings SET call_id = coalesce(?3, call_id), conversation = coalesce(?4, conversation),
                             turn = coalesce(?5, turn), log = ?6 WHERE id = ?1 AND state = 'running' AND run = ?2";
                tx.run(sql, params![id.to_string(), claim, call, conversation, turn, log]).map(drop)
            })
            .await
    }

    /// The runs of a job, the newest first.
    pub async fn runs(&self, id: JobId, whose: Whose) -> Result<Vec<Firing>> {
        self.db
            .read(move |tx| {
                require(tx, id, whose)?;
                // An agent's task waits where its turn does.
                let sql = "SELECT f.*, t.state AS turn_state FROM firings f LEFT JOIN turns t ON t.id = f.turn
                           WHERE f.job = ?1 ORDER BY f.id DESC";
                tx.all(sql, [id.to_string()], |row| {
                    let run = read_run(row)?;
                    let waits =
                        run.state == RunState::Running && row.get::<Option<&str>>("turn_state")? == Some("waiting");
                    Ok(Firing { state: if waits { RunState::Waiting } else { run.state }, ..run })
                })
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
                let run = tx.first(sql, [ticket.to_string()], read_claimed)?;
                run.map(|run| with_job(tx, run)).transpose()
            })
            .await
    }

    /// Runs that this node is at.
    pub async fn claimed(&self, ids: Vec<FiringId>) -> Result<Vec<Claimed>> {
        let all = self.open_runs("SELECT * FROM firings WHERE state = 'running' ORDER BY id").await?;
        Ok(all.into_iter().filter(|one| ids.contains(&one.run.id)).collect())
    }

    async fn open_runs(&self, sql: &'static str) -> Result<Vec<Claimed>> {
        self.db.read(move |tx| tx.all(sql, (), read_claimed)?.into_iter().map(|run| with_job(tx, run)).collect()).await
    }

    /// Pauses a job by itself, and says why.
    pub async fn pause_because(&self, id: JobId, why: String, now: Time) -> Result<()> {
        self.db.write(move |tx| pause_because(tx, id, &why, now)).await
    }
}

/// Pauses a job by itself, and says why.
pub(super) fn pause_because(tx: &Tx, id: JobId, why: &str, now: Time) -> Result<()> {
    let sql = "UPDATE jobs SET enabled = FALSE, next_at = NULL, paused_because = ?2, updated_at = ?3 WHERE id = ?1";
    tx.run(sql, (id.to_string(), why, now.millis())).map(drop)
}

/// Pauses the jobs that an agent which goes does, or wrote down. Returns how many those are.
pub(crate) fn pause_of_agent(tx: &Tx, id: &AgentId, name: &str, now: Time) -> Result<usize> {
    let why = format!(
        "The agent {name}, which does it or wrote it, was deleted: look it over and save it, then let it go on."
    );
    let sql = "UPDATE jobs SET enabled = FALSE, next_at = NULL, paused_because = ?3, updated_at = ?4
               WHERE enabled = TRUE AND (deed LIKE ?1 OR authority LIKE ?2)";
    tx.run(sql, (format!("%\"agent\":\"{id}\"%"), format!("%\"{id}\"%"), why, now.millis()))
}

/// Claims for a node the runs that nodes which are gone were at.
pub(crate) fn claim_left(tx: &Tx, node: NodeId) -> Result<Vec<FiringId>> {
    let sql = format!("SELECT id FROM firings WHERE state = 'running' AND {ABANDONED}");
    let left: Vec<FiringId> = tx.all(&sql, (), |row| row.parsed("id"))?;
    let rows = left.iter().map(|id| (id.to_string(), node.to_string()));
    tx.many("UPDATE firings SET node = ?2, run = run + 1 WHERE id = ?1", rows)?;
    Ok(left)
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

fn settle(tx: &Tx, (id, claim): (FiringId, Option<i64>), next: Next, ended: Ended, now: Time) -> Result<bool> {
    let Ended { error, output, origin, told } = ended;
    let log = log(tx, id, LogLine { at: now, text: told })?;
    let (state, ready_at, attempt, ticket) = match next {
        Next::Stands(state) => (state, None, None, None),
        Next::Again(at, attempt) => (RunState::Queued, Some(at.millis()), Some(i64::from(attempt)), None),
        Next::Waits(ticket) => (RunState::Waiting, None, None, Some(ticket.to_string())),
    };
    let sql = "UPDATE firings SET state = ?3, ready_at = coalesce(?4, ready_at), attempt = coalesce(?5, attempt),
                 ticket = coalesce(?6, ticket), ended_at = ?7, error = ?8, output = ?9, origin = ?10, log = ?11,
                 node = NULL, input = CASE WHEN CAST(?7 AS BIGINT) IS NULL THEN input ELSE NULL END
               WHERE id = ?1 AND ((state = 'running' AND run = ?2) OR (state = 'waiting' AND ?2 = 0))";
    let changed = tx.run(
        sql,
        params![
            id.to_string(),
            claim.unwrap_or_default(),
            state.as_str(),
            ready_at,
            attempt,
            ticket,
            state.is_over().then_some(now.millis()),
            error,
            output,
            origin::text(&origin),
            log,
        ],
    )?;
    Ok(changed > 0)
}
