//! The states of turns: which they are in, and which somebody wants them to be in.

use super::Turns;
use crate::sql::params;
use satchel_model::{
    conversation::{TurnId, TurnState},
    error::{Error, Result},
    provider::failure::ProviderFailure,
    time::Time,
};

impl Turns {
    /// Moves a turn to another state; `error` where it failed, `event` the last of its stream.
    pub async fn set_state(&self, turn: TurnId, state: TurnState, error: Option<Error>, at: (Time, u64)) -> Result<()> {
        let failure = error.as_ref().and_then(ProviderFailure::from_error);
        let failure = failure.map(|failure| serde_json::to_string(&failure)).transpose().map_err(Error::internal)?;
        let error = error.map(|error| error.message().to_owned());
        let finished = !matches!(state, TurnState::Running | TurnState::Waiting);
        self.db
            .write(move |tx| {
                tx.run(
                    "UPDATE turns SET state = ?2, error = ?3, finished_at = ?4,
                         last_event = CASE WHEN ?5 > last_event THEN ?5 ELSE last_event END, failure = ?6
                     WHERE id = ?1",
                    params![
                        turn.to_string(),
                        state.as_str(),
                        error,
                        finished.then_some(at.0.millis()),
                        at.1.cast_signed(),
                        failure,
                    ],
                )?;
                tx.run(
                    "UPDATE conversations SET updated_at = ?2 WHERE id = (SELECT conversation FROM turns WHERE id = ?1)",
                    (turn.to_string(), at.0.millis()),
                )?;
                Ok(())
            })
            .await
    }

    /// Takes a waiting turn up again. False where somebody else did, or it does not wait.
    pub async fn take_up(&self, turn: TurnId) -> Result<bool> {
        let sql = "UPDATE turns SET state = 'running', stop_asked = FALSE WHERE id = ?1 AND state = 'waiting'";
        self.db.write(move |tx| Ok(tx.run(sql, [turn.to_string()])? == 1)).await
    }

    /// Keeps that a turn is to end, for whoever is at it or takes it up next.
    pub async fn ask_to_stop(&self, turn: TurnId) -> Result<()> {
        let sql = "UPDATE turns SET stop_asked = TRUE WHERE id = ?1 AND state = 'running'";
        self.db.write(move |tx| tx.run(sql, [turn.to_string()]).map(drop)).await
    }
}
