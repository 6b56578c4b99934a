//! Turns: begun, recorded step by step, parked, ended. What is written here is what a restart goes on from.

mod open;
mod programs;
mod queued;
mod rows;
mod state;
mod view;

use std::sync::Arc;

use self::rows::{LATEST, turn};
pub use self::{
    programs::{Handed, Opening},
    queued::{BegunTurn, NewQueued, NextTurn, QueuedChange, Waiting},
    rows::UNDER_WAY,
    state::Progress,
    view::{AttachmentData, PageMark, ViewPage},
};
pub(super) use self::{
    rows::{GONE, insert},
    state::{charge, claim_left, hold_in},
};
use super::{
    attachments, conversations,
    db::Db,
    former,
    messages::{self, LastQuestion, Placed, Span},
    nodes::NodeId,
    sql::Tx,
    usage,
};
use satchel_model::{
    agent::AgentAt,
    caller::Caller,
    conversation::{
        Attachment, ContextBill, ConversationId, FormerAnswer, FormerPlace, Message, MessageId, Role, Step, Turn,
        TurnId, TurnState,
    },
    error::{Error, Result},
    job::JobName,
    llm::{ProviderId, Usage, estimate_tokens, options::Brief},
    policy::Situation,
    price::Spent,
    run::{Purpose, RunKind},
    time::Time,
    user::UserId,
};

/// A turn to be begun.
#[derive(Debug, Clone)]
pub struct NewTurn {
    /// Where.
    pub conversation: ConversationId,
    /// The asker.
    pub caller: Caller,
    /// The provider they chose, if they did.
    pub provider: Option<ProviderId>,
    /// The agent that answers, as it stands now; version 0 is a draft that is tried.
    pub agent: AgentAt,
    /// The reason for it.
    pub purpose: Purpose,
    /// When.
    pub now: Time,
}

/// What a person says.
#[derive(Debug, Clone)]
pub struct Question {
    /// The text.
    pub text: String,
    /// Files with it.
    pub attachments: Vec<Attachment>,
    /// A title for a conversation that has none yet.
    pub title: String,
}

/// A node's right to write of a turn: until somebody else takes the turn up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The turn.
    pub turn: TurnId,
    /// The number of this claim among those of the turn.
    pub run: i64,
}

/// A turn that a node has to see to its end.
#[derive(Debug, Clone)]
pub struct OpenTurn {
    /// The turn.
    pub id: TurnId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Running or waiting.
    pub state: TurnState,
    /// The person who began it, with what they may still do: by their role, and by the key they began it with.
    pub caller: Caller,
    /// The provider they chose, if they did.
    pub provider: Option<ProviderId>,
    /// The agent that answers, as it stood when the turn began.
    pub agent: Arc<AgentAt>,
    /// Tokens taken so far.
    pub tokens: u64,
    /// Model calls made.
    pub model_calls: u32,
    /// The number of the last recorded event.
    pub last_event: u64,
    /// Whether it is to end.
    pub stop_asked: bool,
    /// The job whose run it is, if it is one.
    pub job: Option<JobName>,
    /// The run that began it.
    pub parent: Option<TurnId>,
    /// The circumstances of the session it is in, if it is in one.
    pub session: Option<Arc<Situation>>,
    /// The conversation that is told what comes of it.
    pub tells: Option<ConversationId>,
    /// The kind of request it is for.
    pub kind: RunKind,
    /// The wishes of the program that asks, if one does.
    pub brief: Option<Arc<Brief>>,
    /// The number of times it was claimed.
    pub run: i64,
}

impl OpenTurn {
    /// The right to write of it, of whoever took it up last.
    pub fn claim(&self) -> Claim {
        Claim { turn: self.id, run: self.run }
    }

    /// The number of sessions above its answers: 0 in a conversation that a person holds.
    pub fn depth(&self) -> u8 {
        self.session.as_ref().map_or(0, |session| session.depth)
    }
}

/// What was said earlier, shortened, and the number of the last message it covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The text; empty where nothing was shortened.
    pub text: String,
    /// Messages up to this number are in it.
    pub upto: i64,
}

/// The turns of one database. Cheap to clone.
#[derive(Clone)]
pub struct Turns {
    db: Db,
}

impl Turns {
    /// The turns of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Makes sure that one more turn of a person may begin.
    ///
    /// # Errors
    /// If as many run as may at once.
    pub async fn require_few(&self, user: UserId, leaving: Option<TurnId>) -> Result<()> {
        self.db.read(move |tx| rows::require_few(tx, user, leaving)).await
    }

    /// Returns whether a conversation was begun by a job, whose task is its first message.
    pub async fn is_of_job(&self, conversation: ConversationId) -> Result<bool> {
        let sql = "SELECT 1 FROM turns WHERE conversation = ?1 AND kind = 'job'";
        self.db.read(move |tx| tx.exists(sql, [conversation.to_string()])).await
    }

    /// Begins a turn with a person's message. Fails where one is under way. Gives the turn, its message, and the title
    /// the conversation got by it.
    pub async fn begin(&self, new: NewTurn, question: Question) -> Result<(OpenTurn, MessageId, Option<String>)> {
        let node = self.db.node();
        self.db.write(move |tx| begin(tx, &new, node, (MessageId::new(), question))).await
    }

    /// Begins the last turn anew: the question stays, or gets another text, and what the model answered becomes a former
    /// answer to it.
    pub async fn begin_again(&self, new: NewTurn, text: Option<String>) -> Result<OpenTurn> {
        let node = self.db.node();
        self.db
            .write(move |tx| {
                conversations::get(tx, new.caller.user, new.conversation)?;
                let LastQuestion { id, seq } = messages::last_question(tx, new.conversation)?
                    .ok_or_else(|| Error::conflict("Nothing was asked here yet."))?;
                let turn = insert(tx, &new, node)?;
                let answer = messages::list(tx, new.conversation, Span::after(seq))?;
                former::keep(tx, id, &answer, text.as_deref())?;
                let place = (new.conversation.to_string(), seq);
                tx.run("DELETE FROM messages WHERE conversation = ?1 AND seq > ?2", place)?;
                tx.run("UPDATE messages SET turn = ?1 WHERE seq = ?2", (turn.id.to_string(), seq))?;
                // A summary that covers what was dropped would speak of it.
                tx.run(
                    "UPDATE conversations SET summary = NULL, summary_upto = NULL WHERE id = ?1 AND summary_upto >= ?2",
                    (new.conversation.to_string(), seq),
                )?;
                Ok(turn)
            })
            .await
    }

    /// Records what a model call gave: its message with the calls it wants, and its cost.
    ///
    /// # Errors
    ///
    /// As whatever the owner of a turn writes: [`Kind::Cancelled`](satchel_model::error::Kind::Cancelled) if it is not theirs
    /// any more.
    pub async fn record(&self, turn: &OpenTurn, message: Message, spent: Spent, event: u64) -> Result<()> {
        let (turn, claim) = (turn.clone(), turn.claim());
        self.db
            .write_after_effect(move |tx| {
                state::hold(tx, claim)?;
                state::spend(tx, &turn, message.created_at, &spent)?;
                tx.run(
                    "UPDATE turns SET model_calls = model_calls + 1, last_event = ?2 WHERE id = ?1",
                    (turn.id.to_string(), event.cast_signed()),
                )?;
                messages::insert(tx, turn.conversation, &message)
            })
            .await
    }

    /// Counts tokens that no message shows: a summary, an answer that was cut off.
    pub async fn spend(&self, turn: &OpenTurn, spent: Spent, now: Time) -> Result<()> {
        let turn = turn.clone();
        self.db.write_after_effect(move |tx| state::spend(tx, &turn, now, &spent)).await
    }

    /// Writes a step as it stands now: `place` is its message and its position there.
    pub async fn put_step(&self, claim: Claim, place: (MessageId, usize), step: Step) -> Result<()> {
        self.db
            .write_after_effect(move |tx| {
                state::hold(tx, claim)?;
                messages::put_step(tx, place.0, place.1, &step)
            })
            .await
    }

    /// Counts a call that has ended, and about how many tokens the model reads of it.
    pub async fn count_call(&self, user: UserId, step: &Step, now: Time) -> Result<()> {
        let tokens = step.model_text.as_deref().map_or(0, estimate_tokens);
        let (tool, failed) = (step.tool.clone(), step.success != Some(true));
        self.db.write_after_effect(move |tx| usage::add_call(tx, user, now, (&tool, failed, tokens))).await
    }

    /// Writes the end of a step that was given up as uncertain; nobody owns it. Nothing happens where that is known already.
    pub async fn settle_step(&self, place: (MessageId, usize), step: Step) -> Result<()> {
        let open =
            "SELECT 1 FROM steps WHERE message = ?1 AND position = ?2 AND state = 'uncertain' AND output IS NULL";
        let position = i64::try_from(place.1).map_err(Error::internal)?;
        self.db
            .write_after_effect(move |tx| match tx.exists(open, (place.0.to_string(), position))? {
                true => messages::put_step(tx, place.0, place.1, &step),
                false => Ok(()),
            })
            .await
    }

    /// Keeps what the next request is made of.
    pub async fn set_context(&self, claim: Claim, bill: ContextBill) -> Result<()> {
        let text = serde_json::to_string(&bill).map_err(Error::internal)?;
        let sql = "UPDATE turns SET context = ?2 WHERE id = ?1 AND run = ?3";
        self.db.write(move |tx| tx.run(sql, (claim.turn.to_string(), text, claim.run)).map(drop)).await
    }

    /// A former answer of one of this person's questions; 1 is the oldest.
    ///
    /// # Errors
    ///
    /// If they have no such conversation, it has no such message, or that has no such former answer.
    pub async fn former(&self, user: UserId, place: FormerPlace) -> Result<FormerAnswer> {
        self.read_former(user, place, former::get).await
    }

    /// Bytes of a former answer, as it is stored.
    ///
    /// # Errors
    ///
    /// As [`Self::former`] has them.
    pub async fn former_weight(&self, user: UserId, place: FormerPlace) -> Result<usize> {
        self.read_former(user, place, former::weight).await
    }

    async fn read_former<T: Send + 'static>(
        &self,
        user: UserId,
        place: FormerPlace,
        read: fn(&Tx, FormerPlace) -> Result<T>,
    ) -> Result<T> {
        self.db
            .read(move |tx| {
                let moment = tx.moment()?;
                conversations::get(&moment, user, place.conversation)?;
                read(&moment, place)
            })
            .await
    }

    /// What a model is told of a conversation: what was shortened, and every message after it, with the names of
    /// its attachments.
    pub async fn history(&self, conversation: ConversationId) -> Result<(Summary, Vec<Placed>)> {
        self.db
            .read(move |tx| {
                let sql = "SELECT coalesce(summary, '') AS text, coalesce(summary_upto, 0) AS upto
                           FROM conversations WHERE id = ?1";
                let summary = tx.first(sql, [conversation.to_string()], |row| {
                    Ok(Summary { text: row.get("text")?, upto: row.get("upto")? })
                })?;
                let summary = summary.unwrap_or_default();
                let messages = messages::list(tx, conversation, Span::after(summary.upto))?;
                Ok((summary, messages))
            })
            .await
    }

    /// Messages with the data of their attachments, the newest first, as far as `most` bytes go.
    pub async fn with_attachments(&self, mut placed: Vec<Placed>, most: usize) -> Result<Vec<Placed>> {
        if placed.iter().all(|one| one.message.attachments.is_empty()) {
            return Ok(placed);
        }
        self.db
            .read(move |tx| {
                attachments::fill(tx, &mut placed, most)?;
                Ok(placed)
            })
            .await
    }

    /// Bytes of a conversation's attachments.
    pub async fn attached_bytes(&self, conversation: ConversationId) -> Result<usize> {
        let bytes = self.db.read(move |tx| attachments::weight(tx, conversation)).await?;
        usize::try_from(bytes).map_err(Error::internal)
    }

    /// Keeps a shortened past.
    pub async fn summarise(&self, claim: Claim, summary: Summary) -> Result<()> {
        let sql = "UPDATE conversations SET summary = ?2, summary_upto = ?3
                   WHERE id = (SELECT conversation FROM turns WHERE id = ?1)";
        self.db
            .write(move |tx| {
                state::hold(tx, claim)?;
                tx.run(sql, (claim.turn.to_string(), summary.text, summary.upto)).map(drop)
            })
            .await
    }

    /// The tokens of a turn; `None` where it is gone.
    pub async fn usage(&self, turn: TurnId) -> Result<Option<Usage>> {
        let sql = "SELECT input_tokens, output_tokens FROM turns WHERE id = ?1";
        self.db.read(move |tx| tx.first(sql, [turn.to_string()], rows::usage)).await
    }

    /// The last turn of a conversation.
    pub async fn latest(&self, conversation: ConversationId) -> Result<Option<Turn>> {
        self.db.read(move |tx| tx.first(LATEST, [conversation.to_string()], turn)).await
    }
}

/// Begins a turn with a person's message of this id.
pub(super) fn begin(
    tx: &Tx,
    new: &NewTurn,
    node: NodeId,
    (id, question): (MessageId, Question),
) -> Result<(OpenTurn, MessageId, Option<String>)> {
    let conversation = conversations::get(tx, new.caller.user, new.conversation)?;
    let turn = insert(tx, new, node)?;
    let message =
        Message { attachments: question.attachments, ..Message::new(id, turn.id, Role::User, question.text, new.now) };
    messages::insert(tx, new.conversation, &message)?;
    let title = conversation.title.is_empty().then_some(question.title);
    tx.run(
        "UPDATE conversations SET updated_at = ?2, title = coalesce(?3, title) WHERE id = ?1",
        (new.conversation.to_string(), new.now.millis(), &title),
    )?;
    Ok((turn, id, title))
}
