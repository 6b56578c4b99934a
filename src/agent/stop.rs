//! Stopping turns: asked in their rows, heeded by whoever is at them.

use std::time::Duration;

use super::chat::Agent;
use satchel_model::{
    conversation::{ConversationId, TurnState},
    error::{Error, Kind, Result},
    run::RunId,
    user::UserId,
};
use satchel_store::{agents::sessions, runs};

/// The longest that stopping waits for the turn to say that it has ended.
const STOPPING: Duration = Duration::from_secs(5);
/// The interval at which the rows of turns that run here are looked at.
const EVERY: Duration = Duration::from_secs(1);

impl Agent {
    /// Stops the turn that is under way, if one is: the model's answer, running tools, waiting questions. What a person
    /// approved here and still runs is stopped as well, be it of an earlier turn, and so is all that the turn has begun.
    pub async fn stop(&self, user: UserId, id: ConversationId) -> Result<()> {
        self.shared.conversations.get(user, id).await?;
        let open = self.shared.turns.open_in(id).await?;
        if let Some(turn) = &open {
            sessions::hush(&self.shared.app.db, turn.id).await?;
        }
        let stopped = self.stop_turn(id).await;
        // After the turn: else it would go on with what came of the call.
        self.shared.invoker.stop_approved(id);
        if let Some(turn) = open {
            self.stop_below(turn.id).await?;
        }
        stopped
    }

    /// Stops the runs that a run has begun, and those that they have.
    pub(super) async fn stop_below(&self, run: RunId) -> Result<()> {
        let db = &self.shared.app.db;
        // Whatever it has begun since is not told of, either.
        sessions::hush(db, run).await?;
        for conversation in runs::under_way_below(db, run).await? {
            self.stop_turn(conversation).await?;
            self.shared.invoker.stop_approved(conversation);
        }
        Ok(())
    }

    async fn stop_turn(&self, id: ConversationId) -> Result<()> {
        let Some(turn) = self.shared.turns.open_in(id).await? else { return Ok(()) };
        if turn.state == TurnState::Waiting {
            return self.give_up_waiting(id).await;
        }
        self.shared.turns.ask_to_stop(turn.id).await?;
        let mut events = self.events_of(id, turn.id, None);
        if let Some(live) = self.live(id, turn.id) {
            live.cancel.cancel();
        }
        let ended = async { while events.next().await.is_some() {} };
        tokio::time::timeout(STOPPING, ended)
            .await
            .map_err(|_| Error::new(Kind::Timeout, "The turn was told to stop and has not ended yet."))
    }

    /// Stops the turns that run here once their rows say that they are to end, whoever has asked; for as long as the process
    /// runs.
    pub fn heed_stops(&self) {
        let agent = self.clone();
        let heed = async move {
            let lifecycle = &agent.shared.app.lifecycle;
            loop {
                tokio::select! {
                    () = tokio::time::sleep(EVERY) => {}
                    () = lifecycle.shutdown.cancelled() => return,
                }
                if let Err(error) = agent.stop_asked().await {
                    tracing::warn!(?error, "it could not be read which turns are to end");
                }
            }
        };
        self.shared.app.lifecycle.tracker.spawn_on(heed, &self.shared.app.lifecycle.runtime);
    }

    async fn stop_asked(&self) -> Result<()> {
        if self.shared.live.lock().values().all(|live| live.log.is_closed()) {
            return Ok(());
        }
        for id in self.shared.turns.asked_to_stop().await? {
            if let Some(live) = self.shared.live.lock().get(&id) {
                live.cancel.cancel();
            }
        }
        Ok(())
    }
}
