//! Messages that are sent while an answer is under way: they wait for its end, or go into its next step.

use std::{future::Future, pin::Pin, time::Duration};

use serde_json::json;

use super::{
    chat::{Agent, NewMessage, check, ensure_held},
    log::Subscription,
    prompt,
    turn::Run,
};
use satchel_model::{
    caller::Caller,
    conversation::{ConversationId, MessageId, Moment, QueuedMessage},
    error::{Error, Kind, Result},
    run::{Purpose, RunKind},
    user::UserId,
};
use satchel_store::turns::{NewQueued, NextTurn, QueuedChange, UNDER_WAY, Waiting};

/// The interval at which messages are sent that could not be when their moment came: their person had too much under way,
/// or no model could answer.
const AGAIN: Duration = Duration::from_secs(30);
/// Times that sending and queueing are tried in turn, where an answer ends or begins between the two.
const ROUNDS: usize = 3;

/// A message that was sent.
pub enum Sent {
    /// Its turn has begun; these are the events.
    Begun(Subscription),
    /// It waits for its moment.
    Queued(QueuedMessage),
}

impl Agent {
    /// As [`Agent::send`]; where an answer is under way, or waits for a decision, the message waits for its moment.
    ///
    /// # Errors
    ///
    /// As [`Agent::begin`] has them, but for an answer that is under way; and if too many wait already.
    pub async fn send_or_queue(
        &self,
        caller: &Caller,
        id: ConversationId,
        mut message: NewMessage,
        moment: Moment,
    ) -> Result<Sent> {
        check(&message)?;
        if message.draft.is_some() {
            return Err(Error::invalid("An agent that is tried as it is written takes one message at a time."));
        }
        for _ in 0..ROUNDS {
            if self.shared.turns.open_in(id).await?.is_none() {
                match self.send(caller, id, message.clone()).await {
                    // Another message was quicker.
                    Err(error) if error.kind() == Kind::Conflict && self.shared.turns.open_in(id).await?.is_some() => {}
                    sent => return sent.map(Sent::Begun),
                }
            }
            // With what was read of its documents: they are not read again.
            if let Some(queued) = self.queue(caller, id, &mut message, moment).await? {
                self.tell_queue(caller.user, id).await;
                return Ok(Sent::Queued(queued));
            }
        }
        Err(Error::conflict(UNDER_WAY))
    }

    async fn queue(
        &self,
        caller: &Caller,
        id: ConversationId,
        message: &mut NewMessage,
        moment: Moment,
    ) -> Result<Option<QueuedMessage>> {
        let shared = &self.shared;
        ensure_held(&shared.conversations.get(caller.user, id).await?)?;
        let bytes = message.attachments.iter().map(|one| one.data.len()).sum::<usize>() + message.content.len();
        self.ensure_room(caller.user, bytes as u64).await?;
        let attached = shared.read_attached(caller, message.attachments.clone(), message.provider).await?;
        if attached.is_cut() {
            shared.offer_reader(id).await?;
        }
        if let Some(origin) = attached.origin() {
            shared.conversations.taint(id, origin).await?;
        }
        message.attachments = shared.store_attached(caller, attached).await?;
        let new = NewQueued {
            caller: caller.clone(),
            conversation: id,
            text: message.content.clone(),
            attachments: message.attachments.clone(),
            provider: message.provider,
            moment,
            now: shared.app.clock.now(),
        };
        shared.turns.queue(new).await
    }

    /// The messages that wait in a conversation, in the order in which they are taken.
    ///
    /// # Errors
    ///
    /// If this person has no such conversation.
    pub async fn queued(&self, user: UserId, id: ConversationId) -> Result<Vec<QueuedMessage>> {
        self.shared.turns.queued(user, id).await
    }

    /// Changes a message that waits. Whoever gives it another text is its sender from then on.
    ///
    /// # Errors
    ///
    /// If it does not wait any more, or its text would be empty.
    pub async fn change_queued(
        &self,
        caller: &Caller,
        place: (ConversationId, MessageId),
        change: QueuedChange,
    ) -> Result<QueuedMessage> {
        if let Some(content) = change.text.clone() {
            check(&NewMessage { content, ..NewMessage::default() })?;
        }
        let changed = self.shared.turns.change_queued(caller, place, change).await?;
        self.tell_queue(caller.user, place.0).await;
        Ok(changed)
    }

    /// Withdraws a message that waits.
    ///
    /// # Errors
    ///
    /// If it does not wait any more.
    pub async fn withdraw_queued(&self, user: UserId, place: (ConversationId, MessageId)) -> Result<()> {
        self.shared.turns.withdraw(user, place).await?;
        self.tell_queue(user, place.0).await;
        Ok(())
    }

    /// Sends a message that waits because the answer before it broke off or was stopped.
    ///
    /// # Errors
    ///
    /// As [`Agent::begin`] has them, and if it does not wait any more.
    pub async fn send_queued(&self, user: UserId, (id, message): (ConversationId, MessageId)) -> Result<()> {
        self.shared.conversations.get(user, id).await?;
        let gone = || Error::not_found("This message does not wait any more: it was sent, or withdrawn.");
        let waiting = self.shared.turns.first_queued(id, Some(message)).await?.ok_or_else(gone)?;
        self.ensure_free(id).await?;
        self.give_up_waiting(id).await?;
        match self.begin_queued(id, waiting).await? {
            true => Ok(()),
            false => Err(gone()),
        }
    }

    /// The turn of the next message that waits, to be begun. Where it cannot be, the message goes on waiting: it is tried
    /// again, and whoever sends it by hand is told what is wrong.
    pub(super) async fn next_queued(&self, id: ConversationId) -> Option<NextTurn> {
        let next = async {
            match self.shared.turns.first_queued(id, None).await? {
                Some(waiting) => self.next_turn(id, waiting).await.map(Some),
                None => Ok(None),
            }
        };
        next.await.unwrap_or_else(|error| {
            tracing::warn!(?error, conversation = %id, "a message that waits cannot be sent");
            None
        })
    }

    /// Begins the turn of the next message that waits, as [`Self::next_queued`] has it.
    pub(super) fn take_queued(&self, id: ConversationId) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            if let Err(error) = self.try_take(id).await {
                tracing::warn!(?error, conversation = %id, "a message that waited could not be sent");
            }
        })
    }

    async fn try_take(&self, id: ConversationId) -> Result<()> {
        while let Some(waiting) = self.shared.turns.first_queued(id, None).await? {
            if self.begin_queued(id, waiting).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sends now and then what [`Self::take_left`] does, for as long as the process runs.
    pub fn send_left(&self) {
        self.repeat(AGAIN, |agent| async move {
            if let Err(error) = agent.take_left().await {
                tracing::warn!(?error, "it could not be read which messages wait");
            }
        });
    }

    /// Sends the next of the messages that wait in each conversation whose last answer is there. What still cannot be sent
    /// goes on waiting.
    pub async fn take_left(&self) -> Result<()> {
        for conversation in self.shared.turns.left_queued().await? {
            if let Err(error) = self.try_take(conversation).await {
                tracing::debug!(?error, %conversation, "a message goes on waiting");
            }
        }
        Ok(())
    }

    /// Returns false if the message does not wait any more.
    async fn begin_queued(&self, id: ConversationId, waiting: Waiting) -> Result<bool> {
        let user = waiting.caller.user;
        let next = self.next_turn(id, waiting).await?;
        let agent = self.clone();
        let begin = async move {
            let begun = agent.shared.turns.begin_queued(next).await?;
            Ok(begun.map(|begun| agent.start(begun)).is_some())
        };
        self.unbroken(user, begin).await
    }

    async fn next_turn(&self, id: ConversationId, waiting: Waiting) -> Result<NextTurn> {
        let Waiting { id: message, text, provider, caller } = waiting;
        let conversation = self.shared.conversations.get(caller.user, id).await?;
        let title = prompt::title(&text);
        let new = NewMessage { content: text, ..NewMessage::default() };
        let agent = self.answering(&caller, &conversation, (&new, RunKind::Chat)).await?;
        self.require_model(caller.user, &agent).await?;
        self.note_programs(&caller, id, &agent).await?;
        let new = self.new_turn(&caller, id, provider, (agent, Purpose::default()));
        Ok(NextTurn { message, new, title })
    }

    /// Tells the streams of a turn which messages wait behind it.
    async fn tell_queue(&self, user: UserId, id: ConversationId) {
        let log = self.shared.live.lock().get(&id).map(|live| live.log.clone()).filter(|log| !log.is_closed());
        let Some(log) = log else { return };
        match self.queued(user, id).await {
            Ok(queued) => log.emit_instead("queue", &json!({ "queued": queued })),
            Err(error) => tracing::warn!(?error, "the messages that wait could not be told"),
        }
    }
}

impl Run {
    /// Takes in the messages that are for this turn. Returns whether there were any.
    pub(super) async fn steer(&self) -> Result<bool> {
        let said = self.shared().turns.steer(&self.turn, self.app().clock.now()).await?;
        for message in &said {
            self.log.emit("steered", &json!({ "message": message }));
        }
        if !said.is_empty() {
            self.agent.tell_queue(self.caller().user, self.conversation()).await;
        }
        Ok(!said.is_empty())
    }
}
