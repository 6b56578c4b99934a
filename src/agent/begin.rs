//! Turns that are begun: by a person's message, by a job, by another run; and how they end.

use std::time::Duration;

use serde_json::json;

use super::{
    chat::{Agent, NewMessage, check, ensure_held},
    log::Subscription,
    prompt,
    turn::stopped,
};
use satchel_model::{
    caller::Caller,
    conversation::{ConversationId, TurnState},
    error::{Error, Result},
    run::{Purpose, Run, RunId},
    user::UserId,
};
use satchel_services::remembering::Remembering;
use satchel_share::behalf;
use satchel_store::{
    runs::{self, Sight},
    turns::{BegunTurn, Question},
};

/// The interval at which a run that waits for a person is looked at.
const EVERY: Duration = Duration::from_secs(1);

/// A run that was begun.
pub struct Begun {
    /// The run.
    pub id: RunId,
    /// Its events, from the beginning.
    pub events: Subscription,
    /// Its conversation.
    pub conversation: ConversationId,
    /// `true` if the conversation was made for it.
    pub is_first: bool,
    agent: Agent,
    caller: Caller,
}

/// The end of a run.
#[derive(Debug, Clone)]
pub struct Ended {
    /// The run as it is now.
    pub run: Run,
    /// The text of its answer, as far as it came.
    pub answer: Option<String>,
}

impl Agent {
    /// Begins a turn with a message and gives its events. What waited for a decision before is given up.
    pub async fn send(&self, caller: &Caller, id: ConversationId, message: NewMessage) -> Result<Subscription> {
        Ok(self.begin(caller, id, message, Purpose::default()).await?.events)
    }

    /// As [`Agent::send`], for any purpose. Nobody needs to read the events: the run goes on without them.
    ///
    /// # Errors
    ///
    /// If they have no such conversation, an answer is under way there, no model can answer, or there is no room. Nothing
    /// was begun.
    pub async fn begin(
        &self,
        caller: &Caller,
        id: ConversationId,
        message: NewMessage,
        purpose: Purpose,
    ) -> Result<Begun> {
        check(&message)?;
        let shared = &self.shared;
        let conversation = shared.conversations.get(caller.user, id).await?;
        ensure_held(&conversation)?;
        let agent = self.answering(caller, &conversation, (&message, purpose.kind)).await?;
        self.require_model(caller.user, &agent).await?;
        self.ensure_free(id).await?;
        shared.turns.require_few(caller.user, None).await?;
        let bytes = message.attachments.iter().map(|one| one.data.len()).sum::<usize>() + message.content.len();
        self.ensure_room(caller.user, bytes as u64).await?;
        // Before a question is given up or a file is stored: a message that is refused changes nothing.
        let attached = shared.read_attached(caller, message.attachments, message.provider).await?;
        self.give_up_waiting(id).await?;
        Remembering::new(&shared.app, caller.user).expect(&message.content);
        self.tell_left(caller.user, id).await;
        let title = prompt::title(&message.content);
        if attached.is_cut() {
            shared.offer_reader(id).await?;
        }
        let origin = attached.origin();
        let attachments = shared.store_attached(caller, attached).await?;
        self.note_programs(caller, id, &agent).await?;
        if let Some(origin) = origin {
            shared.conversations.taint(id, origin).await?;
        }
        let question = Question { text: message.content, attachments, title };
        let new = self.new_turn(caller, id, message.provider, (agent, purpose));
        let agent = self.clone();
        let begin = async move {
            let (turn, _, title) = agent.shared.turns.begin(new, question).await?;
            Ok((turn.id, agent.start((turn, title))))
        };
        let (run, events) = self.unbroken(caller.user, begin).await?;
        Ok(Begun::new(self, caller, (id, run), events))
    }

    /// Starts a turn that was begun, and gives its events.
    pub(super) fn start(&self, (turn, title): BegunTurn) -> Subscription {
        let run = self.run(turn, 0);
        if let Some(title) = title {
            run.log.emit("title", &json!({ "title": title }));
        }
        run.start()
    }

    /// Does something now and then, for as long as the process runs.
    pub(super) fn repeat<Doing>(&self, every: Duration, deed: impl Fn(Self) -> Doing + Send + 'static)
    where
        Doing: Future<Output = ()> + Send + 'static,
    {
        let agent = self.clone();
        let repeated = async move {
            let lifecycle = &agent.shared.app.lifecycle;
            loop {
                tokio::select! {
                    () = tokio::time::sleep(every) => {}
                    () = lifecycle.shutdown.cancelled() => return,
                }
                deed(agent.clone()).await;
            }
        };
        let lifecycle = &self.shared.app.lifecycle;
        lifecycle.tracker.spawn_on(repeated, &lifecycle.runtime);
    }

    /// Does what begins a run and starts it in a task of its own: whoever waits for that may go away in between, and nothing
    /// is left that is under way and that nobody is at.
    pub(super) async fn unbroken<T: Send + 'static>(
        &self,
        user: UserId,
        begin: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let lifecycle = &self.shared.app.lifecycle;
        let begin = behalf::run_as(Some(user), begin);
        lifecycle.tracker.spawn_on(begin, &lifecycle.runtime).await.map_err(Error::internal)?
    }
}

impl Begun {
    /// The same, in a conversation that was made for it, if so.
    pub(super) fn first(self, is_first: bool) -> Self {
        Self { is_first, ..self }
    }

    /// A run that somebody has begun.
    pub(super) fn new(
        agent: &Agent,
        caller: &Caller,
        (conversation, id): (ConversationId, RunId),
        events: Subscription,
    ) -> Self {
        Self { id, events, conversation, is_first: false, agent: agent.clone(), caller: caller.clone() }
    }

    /// Waits until the run is over, however long a person takes to decide what it asks.
    ///
    /// # Errors
    ///
    /// If the process ends first, or the conversation was deleted.
    pub async fn ended(self) -> Result<Ended> {
        let Self { id, events, conversation, agent, caller, .. } = self;
        agent.ended(&caller, (conversation, id), events).await
    }
}

impl Agent {
    /// Waits until a run is over, as [`Begun::ended`] does, whoever began it.
    pub(super) async fn ended(
        &self,
        caller: &Caller,
        (conversation, id): (ConversationId, RunId),
        mut events: Subscription,
    ) -> Result<Ended> {
        let lifecycle = &self.shared.app.lifecycle;
        loop {
            while events.next().await.is_some() {}
            let progress = self.shared.turns.progress(id).await?;
            let state = progress.ok_or_else(|| Error::not_found("The run was deleted."))?.state;
            if !matches!(state, TurnState::Running | TurnState::Waiting) {
                break;
            }
            tokio::select! {
                () = lifecycle.shutdown.cancelled() => return Err(stopped()),
                () = tokio::time::sleep(EVERY) => {}
            }
            events = self.events_of(conversation, id, None);
        }
        let run = runs::get(&self.shared.app.db, Sight::new(caller), id).await?;
        let last = self.shared.turns.last_message(conversation, id).await?;
        Ok(Ended { run, answer: last.map(|message| message.text).filter(|text| !text.is_empty()) })
    }
}
