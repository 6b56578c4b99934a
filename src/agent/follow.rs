//! The events of a turn that somebody else is at, by its rows alone: at each change the conversation is to be read again.

use std::time::Duration;

use serde_json::json;

use super::log::Frame;
use satchel_model::conversation::{TurnId, TurnState};
use satchel_store::turns::Turns;

/// The interval at which the rows are looked at.
const EVERY: Duration = Duration::from_millis(300);

/// One reader of a turn's rows.
pub(super) struct Followed {
    turns: Turns,
    turn: TurnId,
    /// The number of changes that the reader knows of.
    seen: Option<i64>,
    is_over: bool,
}

impl Followed {
    pub(super) fn new(turns: &Turns, turn: TurnId) -> Self {
        Self { turns: turns.clone(), turn, seen: None, is_over: false }
    }

    /// The next event: `reset` where something has changed, `done` once nobody is at the turn. None after that, and where
    /// the turn is gone or cannot be read. Safe to drop and to call again.
    pub(super) async fn next(&mut self) -> Option<Frame> {
        while !self.is_over {
            let progress = self.turns.progress(self.turn).await.unwrap_or_else(|error| {
                tracing::warn!(?error, turn = %self.turn, "a turn could not be followed");
                None
            })?;
            // A reader that goes on with the events of whoever is at it goes on after what stands in the rows.
            let frame = |event, data| Frame { id: format!("{}-{}", self.turn, progress.last_event), event, data };
            if progress.state != TurnState::Running {
                let done = json!({"message_id": progress.message, "state": progress.state});
                let frame = frame("done", done.to_string());
                self.is_over = true;
                return Some(frame);
            }
            if self.seen != Some(progress.changes) {
                let frame = frame("reset", "{}".to_owned());
                self.seen = Some(progress.changes);
                return Some(frame);
            }
            tokio::time::sleep(EVERY).await;
        }
        None
    }
}
