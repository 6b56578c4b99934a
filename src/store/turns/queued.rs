//! Messages that wait for their turn. Whoever takes one deletes its row in the transaction that writes its message: it is
//! never lost and never sent twice.

use super::{Claim, NewTurn, OpenTurn, Question, Turns, begin, rows, rows::WHO, state};
use crate::{
    conversations, messages,
    nodes::NodeId,
    sql::{Row, Tx, params},
};
use satchel_model::{
    caller::Caller,
    conversation::{Attachment, ConversationId, Message, MessageId, Moment, QueuedMessage, Role, TurnState},
    error::{Error, Kind, Result},
    llm::ProviderId,
    time::Time,
    user::UserId,
};

/// Most messages that wait in a conversation.
const MOST: i64 = 20;
/// Most bytes of them together.
const MOST_BYTES: i64 = 16 << 20;

/// A message to be queued.
#[derive(Debug, Clone)]
pub struct NewQueued {
    /// The sender.
    pub caller: Caller,
    /// The conversation.
    pub conversation: ConversationId,
    /// The text.
    pub text: String,
    /// Files with it, read.
    pub attachments: Vec<Attachment>,
    /// The provider they chose, if they did.
    pub provider: Option<ProviderId>,
    /// The moment at which it is taken.
    pub moment: Moment,
    /// The time.
    pub now: Time,
}

/// A change of a queued message; nothing where none.
#[derive(Debug, Clone, Default)]
pub struct QueuedChange {
    /// Another text.
    pub text: Option<String>,
    /// Another moment.
    pub moment: Option<Moment>,
}

/// A queued message that may begin a turn.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// The message.
    pub id: MessageId,
    /// The text.
    pub text: String,
    /// The provider its sender chose, if they did.
    pub provider: Option<ProviderId>,
    /// The sender, with what they may do now.
    pub caller: Caller,
}

/// A message that waits, and the turn that is to begin with it.
#[derive(Debug, Clone)]
pub struct NextTurn {
    /// The message.
    pub message: MessageId,
    /// The turn.
    pub new: NewTurn,
    /// The title of the conversation where it has none yet.
    pub title: String,
}

/// A turn that was begun, and the title that its conversation got by it.
pub type BegunTurn = (OpenTurn, Option<String>);

const COLUMNS: &str = "q.id, q.text, q.attachments, q.provider, q.moment, q.created_at";

impl Turns {
    /// Queues a message behind the turn that is under way; `None` if none is.
    ///
    /// # Errors
    ///
    /// If the person has no such conversation, or too much waits there already.
    pub async fn queue(&self, new: NewQueued) -> Result<Option<QueuedMessage>> {
        let caller = rows::asker(&new.caller, None)?;
        let attachments = serde_json::to_string(&new.attachments).map_err(Error::internal)?;
        self.db
            .write(move |tx| {
                conversations::get(tx, new.caller.user, new.conversation)?;
                if !note_change(tx, new.conversation)? {
                    return Ok(None);
                }
                let (id, conversation) = (MessageId::new(), new.conversation.to_string());
                tx.run(
                    "INSERT INTO queued_messages (id, conversation, text, attachments, provider, moment, caller, created_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    params![
                        id.to_string(),
                        conversation,
                        new.text,
                        attachments,
                        new.provider.map(|id| id.to_string()),
                        new.moment.as_str(),
                        caller,
                        new.now.millis(),
                    ],
                )?;
                ensure_few(tx, &conversation)?;
                one(tx, new.conversation, id).map(Some)
            })
            .await
    }

    /// The messages that wait in a conversation of this person, in the order in which they are taken.
    ///
    /// # Errors
    ///
    /// If they have no such conversation.
    pub async fn queued(&self, user: UserId, conversation: ConversationId) -> Result<Vec<QueuedMessage>> {
        self.db
            .read(move |tx| {
                let moment = tx.moment()?;
                conversations::get(&moment, user, conversation)?;
                let sql = format!("SELECT {COLUMNS} FROM queued_messages q WHERE q.conversation = ?1 ORDER BY q.id");
                moment.all(&sql, [conversation.to_string()], queued)
            })
            .await
    }

    /// Changes a message that waits. Whoever gives it another text is its sender from then on.
    ///
    /// # Errors
    ///
    /// If it does not wait any more: it was sent, or withdrawn.
    pub async fn change_queued(
        &self,
        by: &Caller,
        (conversation, id): (ConversationId, MessageId),
        change: QueuedChange,
    ) -> Result<QueuedMessage> {
        let user = by.user;
        let sender = change.text.is_some().then(|| rows::asker(by, None)).transpose()?;
        self.db
            .write(move |tx| {
                conversations::get(tx, user, conversation)?;
                tx.run(
                    "UPDATE queued_messages SET text = coalesce(?3, text), moment = coalesce(?4, moment),
                       caller = coalesce(?5, caller)
                     WHERE id = ?1 AND conversation = ?2",
                    (id.to_string(), conversation.to_string(), change.text, change.moment.map(Moment::as_str), sender),
                )?;
                let changed = one(tx, conversation, id)?;
                note_change(tx, conversation)?;
                ensure_few(tx, &conversation.to_string())?;
                Ok(changed)
            })
            .await
    }

    /// Withdraws a message that waits.
    ///
    /// # Errors
    ///
    /// As [`Self::change_queued`] has them.
    pub async fn withdraw(&self, user: UserId, (conversation, id): (ConversationId, MessageId)) -> Result<()> {
        self.db
            .write(move |tx| {
                conversations::get(tx, user, conversation)?;
                one(tx, conversation, id)?;
                take(tx, conversation, id)?;
                note_change(tx, conversation).map(drop)
            })
            .await
    }

    /// The first message that waits in a conversation, or the one with this id.
    pub async fn first_queued(&self, conversation: ConversationId, id: Option<MessageId>) -> Result<Option<Waiting>> {
        let sql = format!(
            "SELECT t.id, t.text, t.provider, t.caller, {now}
             FROM (SELECT q.id, q.text, q.provider, q.caller, q.conversation, 'chat' AS kind,
                          CAST(NULL AS TEXT) AS job FROM queued_messages q) t
               JOIN conversations c ON c.id = t.conversation {WHO}
             WHERE t.conversation = ?1 AND (CAST(?2 AS TEXT) IS NULL OR t.id = ?2) ORDER BY t.id LIMIT 1",
            now = rows::NOW
        );
        let id = id.map(|id| id.to_string());
        self.db.read(move |tx| tx.first(&sql, (conversation.to_string(), id), waiting)).await
    }

    /// Begins a turn with a message that waited. `None` if it does not wait any more.
    ///
    /// # Errors
    ///
    /// As [`Self::begin`] has them.
    pub async fn begin_queued(&self, next: NextTurn) -> Result<Option<BegunTurn>> {
        let node = self.db.node();
        self.db.write(move |tx| begin_queued(tx, next, node)).await
    }

    /// Ends a turn that is answered and begins the next one with a message that waited, at once: nobody finds the
    /// conversation at rest in between. `None` if the message does not wait any more; the turn has ended all the same.
    ///
    /// # Errors
    ///
    /// As [`Self::set_state`] and [`Self::begin`] have them. Nothing has ended or begun then.
    pub async fn end_and_begin(&self, claim: Claim, at: (Time, u64), next: NextTurn) -> Result<Option<BegunTurn>> {
        let node = self.db.node();
        self.db
            .write(move |tx| {
                state::set_state(tx, claim, TurnState::Done, None, at)?;
                begin_queued(tx, next, node)
            })
            .await
    }

    /// Puts the messages that are for the turn under way behind what was said in it: those of whoever began it, with what
    /// they began it with. Gives them.
    ///
    /// # Errors
    ///
    /// As [`Self::record`] has them.
    pub async fn steer(&self, turn: &OpenTurn, now: Time) -> Result<Vec<Message>> {
        let (claim, conversation) = (turn.claim(), turn.conversation);
        if !self
            .db
            .read(move |tx| tx.exists(&steering("1"), (claim.turn.to_string(), conversation.to_string())))
            .await?
        {
            return Ok(Vec::new());
        }
        self.db.write(move |tx| steer(tx, claim, conversation, now)).await
    }

    /// Conversations in which a message waits and the last answer is there: whoever was to send it is gone.
    pub async fn left_queued(&self) -> Result<Vec<ConversationId>> {
        let sql = "SELECT DISTINCT q.conversation FROM queued_messages q JOIN conversations c ON c.id = q.conversation
                   WHERE c.person IS NOT NULL AND 'done' = (SELECT t.state FROM turns t WHERE t.conversation = q.conversation
                                 ORDER BY t.id DESC LIMIT 1)";
        self.db.read(move |tx| tx.all(sql, (), |row| row.parsed("conversation"))).await
    }
}

/// Selects the messages for the turn `?1` of the conversation `?2`.
fn steering(columns: &str) -> String {
    format!(
        "SELECT {columns} FROM queued_messages q JOIN turns t ON t.id = ?1
         WHERE q.conversation = ?2 AND q.moment = 'now' AND q.caller ->> 'user' = t.caller ->> 'user'
           AND q.caller ->> 'key' IS NOT DISTINCT FROM t.caller ->> 'key' ORDER BY q.id"
    )
}

fn steer(tx: &Tx, claim: Claim, conversation: ConversationId, now: Time) -> Result<Vec<Message>> {
    state::hold(tx, claim)?;
    let waiting =
        tx.all(&steering("q.id"), (claim.turn.to_string(), conversation.to_string()), |row| row.parsed("id"))?;
    let mut said = Vec::new();
    for id in waiting {
        let Some(taken) = take(tx, conversation, id)? else { continue };
        let message =
            Message { attachments: taken.attachments, ..Message::new(id, claim.turn, Role::User, taken.text, now) };
        messages::insert(tx, conversation, &message)?;
        said.push(message);
    }
    Ok(said)
}

fn begin_queued(tx: &Tx, next: NextTurn, node: NodeId) -> Result<Option<BegunTurn>> {
    let NextTurn { message, new, title } = next;
    let Some(taken) = take(tx, new.conversation, message)? else { return Ok(None) };
    let question = Question { text: taken.text, attachments: taken.attachments, title };
    let (turn, _, title) = begin(tx, &new, node, (message, question))?;
    Ok(Some((turn, title)))
}

/// Takes a message out of the queue, with the data of its attachments.
fn take(tx: &Tx, conversation: ConversationId, id: MessageId) -> Result<Option<QueuedMessage>> {
    let place = (id.to_string(), conversation.to_string());
    let sql = format!("SELECT {COLUMNS} FROM queued_messages q WHERE q.id = ?1 AND q.conversation = ?2");
    let found = tx.first(&sql, &place, whole)?;
    tx.run("DELETE FROM queued_messages WHERE id = ?1 AND conversation = ?2", place)?;
    Ok(found)
}

fn one(tx: &Tx, conversation: ConversationId, id: MessageId) -> Result<QueuedMessage> {
    let sql = format!("SELECT {COLUMNS} FROM queued_messages q WHERE q.id = ?1 AND q.conversation = ?2");
    tx.first(&sql, (id.to_string(), conversation.to_string()), queued)?.ok_or_else(|| {
        Error::not_found("This message does not wait any more: it was sent, or withdrawn. Read the conversation again.")
    })
}

/// Tells whoever follows the turn under way by its rows that something has changed. Returns whether one is under way.
fn note_change(tx: &Tx, conversation: ConversationId) -> Result<bool> {
    let sql = "UPDATE turns SET changes = changes + 1 WHERE conversation = ?1 AND state IN ('running', 'waiting')";
    Ok(tx.run(sql, [conversation.to_string()])? > 0)
}

fn ensure_few(tx: &Tx, conversation: &str) -> Result<()> {
    let sql = "SELECT count(*) AS number, CAST(coalesce(sum(octet_length(text) + octet_length(attachments)), 0) AS BIGINT) AS bytes
               FROM queued_messages WHERE conversation = ?1";
    let (number, bytes) = tx
        .first(sql, [conversation], |row| Ok((row.get::<i64>("number")?, row.get::<i64>("bytes")?)))?
        .unwrap_or_default();
    if number <= MOST && bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(Error::new(
        Kind::Conflict,
        format!(
            "At most {MOST} messages with 12 MB of attachments wait in a conversation. Wait for an answer, or withdraw one."
        ),
    ))
}

fn waiting(row: &Row<'_>) -> Result<Waiting> {
    let provider: Option<String> = row.get("provider")?;
    Ok(Waiting {
        id: row.parsed("id")?,
        text: row.get("text")?,
        provider: provider.map(|id| id.parse()).transpose()?,
        caller: rows::caller(row)?.caller,
    })
}

/// A row without the data of its attachments.
fn queued(row: &Row<'_>) -> Result<QueuedMessage> {
    let mut found = whole(row)?;
    found.attachments.iter_mut().for_each(|one| one.data = "".into());
    Ok(found)
}

fn whole(row: &Row<'_>) -> Result<QueuedMessage> {
    Ok(QueuedMessage {
        id: row.parsed("id")?,
        text: row.get("text")?,
        attachments: row.json("attachments")?,
        when: Moment::parse(&row.get::<String>("moment")?)?,
        created_at: row.time("created_at")?,
    })
}
