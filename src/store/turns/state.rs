//! The states of turns: which they are in, who owns them, and which somebody wants them to be in.

use super::{Claim, OpenTurn, Turns};
use crate::{
    agents,
    nodes::{ABANDONED, NodeId},
    sql::{Tx, params},
    usage::{self, Billed},
};
use satchel_model::{
    conversation::{ConversationId, MessageId, TurnId, TurnState},
    error::{Error, Kind, Result},
    llm::Usage,
    price::Spent,
    provider::failure::ProviderFailure,
    time::Time,
};

/// The progress of a turn, by its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Its state.
    pub state: TurnState,
    /// The number of the last event whose effect stands in the messages.
    pub last_event: u64,
    /// Grows with whatever is written of it.
    pub changes: i64,
    /// Its last message.
    pub message: Option<MessageId>,
}

impl Turns {
    /// Moves a turn to another state; `error` where it failed, `event` the last of its stream. In any state but running,
    /// nobody owns it.
    pub async fn set_state(&self, claim: Claim, state: TurnState, error: Option<Error>, at: (Time, u64)) -> Result<()> {
        self.db.write(move |tx| set_state(tx, claim, state, error.as_ref(), at)).await
    }

    /// Takes a waiting turn up again; `None` where somebody else did, or it does not wait.
    pub async fn take_up(&self, turn: OpenTurn) -> Result<Option<OpenTurn>> {
        let (claim, node) = (turn.claim(), self.db.node());
        // One that was told to stop while it waited ends at its next step.
        let sql = "UPDATE turns SET state = 'running', node = ?3, run = run + 1, changes = changes + 1
                   WHERE id = ?1 AND run = ?2 AND state = 'waiting' RETURNING stop_asked";
        let bound = (claim.turn.to_string(), claim.run, node.to_string());
        let taken = self.db.write(move |tx| tx.first(sql, bound, |row| row.get::<bool>("stop_asked"))).await?;
        Ok(taken.map(|stop_asked| OpenTurn { state: TurnState::Running, run: turn.run + 1, stop_asked, ..turn }))
    }

    /// Keeps that a turn is to end, for whoever is at it or takes it up next.
    pub async fn ask_to_stop(&self, turn: TurnId) -> Result<()> {
        let sql = "UPDATE turns SET stop_asked = TRUE WHERE id = ?1 AND state = 'running'";
        self.db.write(move |tx| tx.run(sql, [turn.to_string()]).map(drop)).await
    }

    /// The conversations in which this node is at a turn that is to end.
    pub async fn asked_to_stop(&self) -> Result<Vec<ConversationId>> {
        let node = self.db.node();
        let sql = "SELECT conversation FROM turns WHERE state = 'running' AND stop_asked AND node = ?1";
        self.db.read(move |tx| tx.all(sql, [node.to_string()], |row| row.parsed("conversation"))).await
    }

    /// The progress of a turn; `None` where it is gone.
    pub async fn progress(&self, turn: TurnId) -> Result<Option<Progress>> {
        let sql = "SELECT t.state, t.last_event, t.changes,
                     (SELECT m.id FROM messages m WHERE m.turn = t.id ORDER BY m.seq DESC LIMIT 1) AS message
                   FROM turns t WHERE t.id = ?1";
        self.db
            .read(move |tx| {
                tx.first(sql, [turn.to_string()], |row| {
                    let state: String = row.get("state")?;
                    let message: Option<String> = row.get("message")?;
                    Ok(Progress {
                        state: serde_json::from_value(state.into()).map_err(Error::internal)?,
                        last_event: row.get::<i64>("last_event")?.unsigned_abs(),
                        changes: row.get("changes")?,
                        message: message.map(|id| id.parse()).transpose()?,
                    })
                })
            })
            .await
    }
}

pub(super) fn set_state(
    tx: &Tx,
    claim: Claim,
    state: TurnState,
    error: Option<&Error>,
    (now, event): (Time, u64),
) -> Result<()> {
    let failure = error.and_then(ProviderFailure::from_error);
    let failure = failure.map(|failure| serde_json::to_string(&failure)).transpose().map_err(Error::internal)?;
    let finished = !matches!(state, TurnState::Running | TurnState::Waiting);
    let turn = claim.turn.to_string();
    hold(tx, claim)?;
    tx.run(
        "UPDATE turns SET state = ?2, error = ?3, finished_at = ?4,
             last_event = CASE WHEN ?5 > last_event THEN ?5 ELSE last_event END, failure = ?6,
             node = CASE WHEN ?2 = 'running' THEN node END
         WHERE id = ?1",
        params![
            &turn,
            state.as_str(),
            error.map(|error| error.message().to_owned()),
            finished.then_some(now.millis()),
            event.cast_signed(),
            failure,
        ],
    )?;
    if finished {
        // Its calls are over: what they awaited is told to whoever goes on here.
        let sql = "UPDATE turns SET report = 'due', waiter = NULL WHERE parent = ?1 AND report = 'awaited'";
        tx.run(sql, [&turn])?;
    }
    tx.run(
        "UPDATE conversations SET updated_at = ?2 WHERE id = (SELECT conversation FROM turns WHERE id = ?1)",
        (&turn, now.millis()),
    )
    .map(drop)
}

/// Checks that a turn is still its owner's, and counts what they write now.
///
/// # Errors
///
/// [`Kind::Cancelled`] if somebody else has taken it up since, or it is gone.
pub(super) fn hold(tx: &Tx, claim: Claim) -> Result<()> {
    let sql = "UPDATE turns SET changes = changes + 1 WHERE id = ?1 AND run = ?2";
    match tx.run(sql, (claim.turn.to_string(), claim.run))? {
        0 => Err(Error::new(Kind::Cancelled, "This turn has another owner now.")),
        _ => Ok(()),
    }
}

/// As [`hold`]. Gives the conversation of the turn.
pub(crate) fn hold_in(tx: &Tx, claim: Claim) -> Result<ConversationId> {
    hold(tx, claim)?;
    let sql = "SELECT conversation FROM turns WHERE id = ?1";
    let found = tx.first(sql, [claim.turn.to_string()], |row| row.parsed("conversation"))?;
    found.ok_or_else(|| Error::new(Kind::Cancelled, "This turn is gone."))
}

/// Counts the tokens of a request that a turn made, and what they cost. That of a turn is known only where all of its
/// requests have a price in one currency.
pub(super) fn spend(tx: &Tx, turn: &OpenTurn, now: Time, spent: &Spent) -> Result<()> {
    let user = turn.caller.user;
    let billed = usage::add(tx, (user, turn.agent.id.as_str()), now, spent)?;
    agents::spend(tx, &turn.agent, user, (now, spent.usage))?;
    charge(tx, turn.id, spent.usage, billed)
}

/// Adds to the tokens of a turn, and to what they cost.
pub(crate) fn charge(tx: &Tx, turn: TurnId, usage: Usage, billed: Option<Billed>) -> Result<()> {
    let (cost, currency) = billed.map_or((None, None), |billed| (Some(billed.cost), Some(billed.currency)));
    tx.run(
        "UPDATE turns SET input_tokens = input_tokens + ?2, output_tokens = output_tokens + ?3,
           unpriced = unpriced OR CAST(?5 AS TEXT) IS NULL OR (currency IS NOT NULL AND currency <> ?5),
           cost = coalesce(cost, 0) + coalesce(CAST(?4 AS BIGINT), 0), currency = coalesce(currency, ?5)
         WHERE id = ?1",
        params![turn.to_string(), usage.input_tokens.cast_signed(), usage.output_tokens.cast_signed(), cost, currency,],
    )
    .map(drop)
}

/// Claims the turns that were left running. Returns them.
pub(crate) fn claim_left(tx: &Tx, node: NodeId) -> Result<Vec<TurnId>> {
    let sql = format!("UPDATE turns SET node = ?1, run = run + 1 WHERE state = 'running' AND {ABANDONED} RETURNING id");
    tx.all(&sql, [node.to_string()], |row| row.parsed("id"))
}
