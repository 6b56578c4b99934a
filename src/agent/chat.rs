//! The chat: what a door can ask of it. Each turn runs in a task of its own; streams come and go.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::{
    log::{Log, Subscription},
    turn::Run,
};
use satchel_app::App;
use satchel_engine::invoker::Invoker;
use satchel_model::{
    agent::{AgentAt, draft::AgentDraft},
    caller::Caller,
    conversation::{Attachment, Conversation, ConversationId, MessageId, TurnId, TurnState},
    egress::{Origin, Part},
    error::{Error, Kind, Result},
    figure,
    llm::ProviderId,
    run::Purpose,
    user::UserId,
};
use satchel_net::llm::{
    answer::Patience,
    chain::{self, Models},
};
use satchel_services::{agents, find::learner::Learner, model};
use satchel_share::Share;
use satchel_store::{
    agents::sessions,
    conversations::Conversations,
    providers::Providers,
    turns::{NewTurn, OpenTurn, Turns, UNDER_WAY},
};

/// Longest message, in characters.
pub(super) const LONGEST: usize = 200_000;
/// The time the events of an ended turn are kept for streams that come back.
const KEPT: Duration = Duration::from_secs(60);
/// Bytes of attachments on their way to models, in all and of one person.
const ATTACHED: (usize, usize) = (144 << 20, 48 << 20);
/// A message whose attachments have no more bytes than this is taken without adding up what the person has.
const FEW: u64 = 64 << 10;

/// The bounds of a chat.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The times a model may be silent.
    pub patience: Patience,
    /// Most bytes that the conversations of one person may have.
    pub stored: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { patience: Patience::default(), stored: 1 << 30 }
    }
}

/// The chat. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) app: Arc<App>,
    pub(super) invoker: Invoker,
    pub(super) learner: Learner,
    bounds: Bounds,
    pub(super) providers: Providers,
    pub(super) conversations: Conversations,
    pub(super) turns: Turns,
    pub(super) live: Mutex<HashMap<ConversationId, Live>>,
    /// Bytes of attachments that are on their way to models.
    pub(super) attached: Share,
}

/// A turn this process looks after.
#[derive(Clone)]
pub(super) struct Live {
    pub(super) log: Arc<Log>,
    pub(super) cancel: CancellationToken,
}

/// A message a person sends.
#[derive(Debug, Clone, Default)]
pub struct NewMessage {
    /// The text.
    pub content: String,
    /// Files with it.
    pub attachments: Vec<Attachment>,
    /// The provider to ask first.
    pub provider: Option<ProviderId>,
    /// An agent that is tried with it, as it is written now.
    pub draft: Option<AgentDraft>,
}

impl Shared {
    /// Returns the client that asks models for this person.
    pub(super) fn models(&self, user: Option<UserId>) -> Models {
        let http = self.app.net.gate.on_behalf(Origin::part(Part::Models, user));
        Models::new(http, self.bounds.patience, self.app.net.breakers.clone())
    }
}

impl Agent {
    /// A chat over these services.
    pub fn new(app: Arc<App>, invoker: Invoker, learner: Learner, bounds: Bounds) -> Result<Self> {
        let shared = Shared {
            bounds,
            providers: Providers::new(&app.db, &app.stores.vault, app.config.model.as_ref())?,
            conversations: Conversations::new(&app.db),
            turns: Turns::new(&app.db),
            live: Mutex::default(),
            attached: Share::new(ATTACHED.0, ATTACHED.1),
            app,
            invoker,
            learner,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Returns the client that asks models for this person; with `None`, for the platform itself.
    pub fn models(&self, user: Option<UserId>) -> Models {
        self.shared.models(user)
    }

    /// Returns the models that may be asked.
    pub fn providers(&self) -> &Providers {
        &self.shared.providers
    }

    /// Returns the register of whose conversations are whose.
    pub fn conversations(&self) -> &Conversations {
        &self.shared.conversations
    }

    /// Asks the last question of a conversation again, in other words where some are given, and gives the events.
    pub async fn regenerate(
        &self,
        caller: &Caller,
        id: ConversationId,
        (provider, text): (Option<ProviderId>, Option<String>),
    ) -> Result<Subscription> {
        if let Some(content) = text.clone() {
            check(&NewMessage { content, ..NewMessage::default() })?;
        }
        let conversation = self.shared.conversations.get(caller.user, id).await?;
        ensure_held(&conversation)?;
        let agent = self.answering_again(caller, &conversation, text.as_deref()).await?;
        self.require_model(caller.user, &agent).await?;
        // The answer that stands is kept beside the new one.
        self.ensure_room(caller.user, FEW + 1 + text.as_ref().map_or(0, |text| text.len() as u64)).await?;
        self.shared.turns.require_few(caller.user, None).await?;
        self.give_up_waiting(id).await?;
        self.note_programs(caller, id, &agent).await?;
        let new = self.new_turn(caller, id, provider, (agent, Purpose::default()));
        let agent = self.clone();
        let begin = async move { Ok(agent.run(agent.shared.turns.begin_again(new, text).await?, 0).start()) };
        self.unbroken(caller.user, begin).await
    }

    /// A new conversation with everything up to and including one message.
    ///
    /// # Errors
    /// Where the person's conversations, or all that is on the disk, would take more than they may.
    pub async fn branch(&self, user: UserId, id: ConversationId, upto: MessageId) -> Result<Conversation> {
        // What is attached is not copied.
        let turns = &self.shared.turns;
        let bytes = turns.weight(user, id).await?.saturating_sub(turns.attached_bytes(id).await?);
        self.ensure_room(user, FEW.max(bytes as u64) + 1).await?;
        self.shared.conversations.branch(user, id, upto, self.shared.app.clock.now()).await
    }

    /// Fails where so many bytes more in this person's conversations are too many.
    pub(super) async fn ensure_room(&self, user: UserId, bytes: u64) -> Result<()> {
        self.shared.app.ensure_room(bytes)?;
        if bytes <= FEW {
            return Ok(());
        }
        let most = self.shared.bounds.stored;
        let held = self.shared.conversations.bytes_of(user).await?;
        if held.saturating_add(bytes) <= most {
            return Ok(());
        }
        let message = format!(
            "The conversations of one person may have {}, and yours have {}: nothing was kept. Delete some with large \
             attachments, then try again.",
            figure::bytes(most),
            figure::bytes(held)
        );
        Err(Error::new(Kind::DiskFull, message))
    }

    /// Taints a conversation in which programs have spoken, for a person who goes on with it, and one in which an agent is
    /// to answer whose text is from outside for them.
    pub(super) async fn note_programs(&self, caller: &Caller, id: ConversationId, agent: &AgentAt) -> Result<()> {
        let programs = self.shared.conversations.programs(caller.user, vec![id]).await?;
        let spoken = programs.into_iter().find(|origin| origin.is_outside_for(caller));
        match spoken.or_else(|| agent.origin.clone()) {
            Some(origin) => self.shared.conversations.taint(id, origin).await,
            None => Ok(()),
        }
    }

    /// Deletes a conversation and the sessions that were begun in it; a turn in it is stopped first.
    pub async fn delete(&self, user: UserId, id: ConversationId) -> Result<()> {
        self.stop(user, id).await?;
        for session in sessions::children(&self.shared.app.db, id).await? {
            Box::pin(self.delete(user, session)).await?;
        }
        self.shared.conversations.delete(user, id).await?;
        self.shared.live.lock().remove(&id);
        // One that was begun between the two.
        for session in sessions::children(&self.shared.app.db, id).await? {
            Box::pin(self.delete(user, session)).await?;
        }
        Ok(())
    }

    pub(super) fn new_turn(
        &self,
        caller: &Caller,
        conversation: ConversationId,
        provider: Option<ProviderId>,
        (agent, purpose): (AgentAt, Purpose),
    ) -> NewTurn {
        NewTurn { conversation, caller: caller.clone(), provider, agent, purpose, now: self.shared.app.clock.now() }
    }

    /// Checks that an answer can come, before anything is written.
    ///
    /// # Errors
    ///
    /// If none can.
    pub(super) async fn require_model(&self, user: UserId, agent: &AgentAt) -> Result<()> {
        if agents::chain(&self.shared.providers, agent, None).await?.is_empty() {
            return Err(chain::no_model());
        }
        model::require_budget(&self.shared.app, user).await
    }

    /// Checks that no answer is being written. One that waits for a decision does not stand in the way: it is given up.
    ///
    /// # Errors
    ///
    /// If one is being written.
    pub(super) async fn ensure_free(&self, id: ConversationId) -> Result<()> {
        match self.shared.turns.open_in(id).await? {
            Some(turn) if turn.state != TurnState::Waiting => Err(Error::conflict(UNDER_WAY)),
            _ => Ok(()),
        }
    }

    /// The handle of a turn that this process looks after.
    pub(super) fn live(&self, id: ConversationId, turn: TurnId) -> Option<Live> {
        self.shared.live.lock().get(&id).filter(|live| live.log.turn() == turn).cloned()
    }

    /// Lets the handle of a turn go.
    pub(super) fn forget(&self, id: ConversationId, log: &Arc<Log>) {
        let mut live = self.shared.live.lock();
        if live.get(&id).is_some_and(|known| Arc::ptr_eq(&known.log, log)) {
            live.remove(&id);
        }
    }

    /// A run of a turn, under a log that the streams of its conversation find. The log of the same turn goes on.
    pub(super) fn run(&self, turn: OpenTurn, last_event: u64) -> Run {
        let mut live = self.shared.live.lock();
        let log = match live.get(&turn.conversation) {
            Some(known) if known.log.turn() == turn.id => Arc::clone(&known.log),
            _ => Log::new(turn.id, last_event),
        };
        let cancel = CancellationToken::new();
        live.insert(turn.conversation, Live { log: Arc::clone(&log), cancel: cancel.clone() });
        drop(live);
        let begun = self.shared.app.clock.now();
        Run { agent: self.clone(), turn, log, begun, foreign: None, cancel }
    }

    /// Lets the log of an ended turn go, later.
    pub(super) fn forget_later(&self, id: ConversationId, log: Arc<Log>) {
        let agent = self.clone();
        let forget = async move {
            tokio::select! {
                () = tokio::time::sleep(KEPT) => {}
                () = agent.shared.app.lifecycle.shutdown.cancelled() => {}
            }
            agent.forget(id, &log);
        };
        self.shared.app.lifecycle.tracker.spawn_on(forget, &self.shared.app.lifecycle.runtime);
    }
}

/// Checks that a person holds a conversation: a session is led by whoever began it.
pub(super) fn ensure_held(conversation: &Conversation) -> Result<()> {
    if conversation.depth == 0 {
        return Ok(());
    }
    Err(Error::conflict(
        "An agent leads this session: write in the conversation it was begun in, or branch it to go on by yourself.",
    ))
}

pub(super) fn check(message: &NewMessage) -> Result<()> {
    if message.content.trim().is_empty() && message.attachments.is_empty() {
        return Err(Error::invalid("The message is empty."));
    }
    if message.content.chars().count() > LONGEST {
        return Err(Error::invalid(format!(
            "A message has at most {} characters. Attach longer texts as files.",
            figure::grouped(LONGEST as u64)
        )));
    }
    Attachment::check_all(&message.attachments)
}
