//! Stopping turns: asked in their rows, heeded by whoever is at them.

use std::time::Duration;

use futures_util::future::join_all;

use super::chat::Agent;
use satchel_model::{
    conversation::{ConversationId, TurnState},
    error::{Error, Kind, Result},
    user::UserId,
};
use satchel_store::agents::sessions::{self, Root};

/// The longest that stopping waits for the turn to say that it has ended.
const STOPPING: Duration = Duration::from_secs(5);
/// The interval at which the rows of turns that run here are looked at.
const EVERY: Duration = Duration::from_secs(1);

impl Agent {
    /// Stops the turn that is under way, if one is: the model's answer, running tools, waiting questions. What a person
    /// approved here and still runs is stopped as well, be it of an earlier turn, and so are the sessions that were begun here.
    pub async fn stop(&self, user: UserId, id: ConversationId) -> Result<()> {
        self.shared.conversations.get(user, id).await?;
        let stopped = self.stop_tree(Root::Conversation(id)).await;
        self.shared.invoker.stop_approved(id);
        stopped
    }

    /// Stops the runs of a tree: all are asked to end before the first is waited for, and nothing begins below them any more.
    ///
    /// # Errors
    ///
    /// If one of them has not ended in time. The others have been stopped all the same.
    pub(super) async fn stop_tree(&self, root: Root) -> Result<()> {
        let stopping = sessions::stop(&self.shared.app.db, root).await?;
        let each = stopping.into_iter().map(async |conversation| {
            let stopped = self.stop_turn(conversation).await;
            // After the turn: else it would go on with what came of the call.
            self.shared.invoker.stop_approved(conversation);
            stopped
        });
        join_all(each).await.into_iter().collect()
    }

    async fn stop_turn(&self, id: ConversationId) -> Result<()> {
        let Some(mut turn) = self.shared.turns.open_in(id).await? else { return Ok(()) };
        if turn.state == TurnState::Waiting {
            self.give_up_waiting(id).await?;
            // Somebody has decided its question at this very moment, and it runs.
            match self.shared.turns.open_in(id).await? {
                Some(again) if again.id == turn.id => turn = again,
                _ => return Ok(()),
            }
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
        self.repeat(EVERY, |agent| async move {
            if let Err(error) = agent.stop_asked().await {
                tracing::warn!(?error, "it could not be read which turns are to end");
            }
        });
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
