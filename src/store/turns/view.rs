//! Conversations as their readers see them: whole, in pages, or only their end.

use super::{Turns, rows};
use crate::{
    attachments, conversations, former,
    messages::{self, Span},
    sql::Tx,
};
use satchel_model::{
    call::TicketId,
    conversation::{Conversation, ConversationId, ConversationView, Message, MessageId, Turn, TurnId},
    error::{Error, Result},
    user::UserId,
};

/// Bytes of a page, about. It has a message at least, however large that is.
const PAGE: i64 = 4 << 20;
/// A last turn of no more bytes than this stands in one page.
const LAST_TURN: i64 = 12 << 20;
/// Bytes a message is counted with beside its texts.
const BESIDE: i64 = 512;

/// Selects the data of attachments, or their names only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentData {
    /// It is read.
    Read,
    /// It is left out.
    LeftOut,
}

/// The last message of a page. It tells whether what follows is still what followed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageMark {
    seq: i64,
    message: MessageId,
    turn: TurnId,
}

/// Messages of a conversation that follow each other, as one moment has them.
#[derive(Debug)]
pub struct ViewPage {
    /// The conversation.
    pub conversation: Conversation,
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// The last turn. With the last page, it is of the moment of the messages there.
    pub turn: Option<Turn>,
    /// The end of this page; `None` if it is the last one.
    pub next: Option<PageMark>,
}

/// The end of a page, and its weight.
struct Extent {
    upto: i64,
    bytes: i64,
    is_last: bool,
}

impl Turns {
    /// A conversation as one moment has it: its messages, and the last turn with the number of the last event that
    /// stands in them.
    pub async fn view(&self, user: UserId, conversation: ConversationId) -> Result<ConversationView> {
        self.db
            .read(move |tx| {
                let moment = tx.moment()?;
                let found = conversations::get(&moment, user, conversation)?;
                let placed = read(&moment, conversation, Span::ALL, AttachmentData::Read)?;
                let messages = placed.into_iter().map(|placed| placed.message).collect();
                let turn = moment.first(rows::LATEST, [conversation.to_string()], rows::turn)?;
                Ok(ConversationView { conversation: found, messages, turn })
            })
            .await
    }

    /// The page of a conversation after a mark, or the first one. Messages of earlier turns do not change, and the last
    /// turn stands in one page, unless it is very large.
    ///
    /// # Errors
    ///
    /// If this person has no such conversation, or the message of the mark gave way to another since.
    pub async fn page(
        &self,
        user: UserId,
        conversation: ConversationId,
        after: Option<PageMark>,
        data: AttachmentData,
    ) -> Result<ViewPage> {
        self.db
            .read(move |tx| {
                let moment = tx.moment()?;
                let found = conversations::get(&moment, user, conversation)?;
                let extent = extent(&moment, conversation, after, data)?;
                let span = Span { after: after.map_or(0, |mark| mark.seq), upto: extent.upto };
                let placed = read(&moment, conversation, span, data)?;
                let end = placed.last().map(|one| PageMark {
                    seq: one.seq,
                    message: one.message.id,
                    turn: one.message.turn_id,
                });
                let turn = moment.first(rows::LATEST, [conversation.to_string()], rows::turn)?;
                Ok(ViewPage {
                    conversation: found,
                    messages: placed.into_iter().map(|placed| placed.message).collect(),
                    turn,
                    next: end.filter(|_| !extent.is_last),
                })
            })
            .await
    }

    /// Bytes of such a page as it is stored, about.
    ///
    /// # Errors
    ///
    /// As [`Self::page`] has them.
    pub async fn page_weight(
        &self,
        user: UserId,
        conversation: ConversationId,
        after: Option<PageMark>,
        data: AttachmentData,
    ) -> Result<usize> {
        self.db
            .read(move |tx| {
                let moment = tx.moment()?;
                conversations::get(&moment, user, conversation)?;
                usize::try_from(extent(&moment, conversation, after, data)?.bytes).map_err(Error::internal)
            })
            .await
    }

    /// Bytes of a conversation's messages and calls, as they are stored.
    pub async fn weight(&self, user: UserId, conversation: ConversationId) -> Result<usize> {
        self.db
            .read(move |tx| {
                let moment = tx.moment()?;
                conversations::get(&moment, user, conversation)?;
                messages::weight(&moment, conversation)
            })
            .await
    }

    /// The last message of a turn, with the names of its attachments.
    pub async fn last_message(&self, conversation: ConversationId, turn: TurnId) -> Result<Option<Message>> {
        let sql = "SELECT seq FROM messages WHERE conversation = ?1 AND turn = ?2 ORDER BY seq DESC LIMIT 1";
        self.found_by(sql, conversation, turn.to_string()).await.map(|mut found| found.pop())
    }

    /// The messages of a conversation with a call that waits, or waited, for this ticket.
    pub async fn waited(&self, conversation: ConversationId, ticket: TicketId) -> Result<Vec<Message>> {
        let sql = "SELECT DISTINCT m.seq FROM steps s JOIN messages m ON m.id = s.message
                   WHERE m.conversation = ?1 AND s.ticket = ?2 ORDER BY m.seq";
        self.found_by(sql, conversation, ticket.to_string()).await
    }

    /// The messages of a conversation whose numbers a query finds.
    async fn found_by(&self, sql: &'static str, conversation: ConversationId, value: String) -> Result<Vec<Message>> {
        self.db
            .read(move |tx| {
                let moment = tx.moment()?;
                let mut found = Vec::new();
                for seq in moment.all(sql, (conversation.to_string(), value), |row| row.get::<i64>("seq"))? {
                    let span = Span { after: seq - 1, upto: seq };
                    found.extend(messages::list(&moment, conversation, span)?.into_iter().map(|placed| placed.message));
                }
                Ok(found)
            })
            .await
    }
}

/// These messages as a reader sees them, with the number of former answers of each.
fn read(tx: &Tx, conversation: ConversationId, span: Span, data: AttachmentData) -> Result<Vec<messages::Placed>> {
    let mut placed = messages::list(tx, conversation, span)?;
    if data == AttachmentData::Read {
        attachments::fill(tx, &mut placed, usize::MAX)?;
    }
    let former = former::counts(tx, conversation)?;
    for messages::Placed { message, .. } in &mut placed {
        message.former = former.get(&message.id).copied().unwrap_or(0);
    }
    Ok(placed)
}

/// Finds the end of a page. A last turn is not cut, unless it is very large.
fn extent(tx: &Tx, conversation: ConversationId, after: Option<PageMark>, data: AttachmentData) -> Result<Extent> {
    if let Some(mark) = after {
        ensure_stands(tx, conversation, mark)?;
    }
    let attached = if data == AttachmentData::Read { messages::ATTACHED } else { "0" };
    let weight = format!("{BESIDE} + {} + {attached}", messages::TEXTS);
    let last = "SELECT id FROM turns WHERE conversation = ?1 ORDER BY id DESC LIMIT 1";
    let last: Option<String> = tx.first(last, [conversation.to_string()], |row| row.get("id"))?;
    let sql = format!(
        "SELECT CAST(coalesce(sum({weight}), 0) AS BIGINT) FROM messages m WHERE m.conversation = ?1 AND m.turn = ?2"
    );
    let whole: i64 = tx.one(&sql, (conversation.to_string(), last.as_deref().unwrap_or_default().to_owned()))?;
    let is_whole = |turn: &str| whole <= LAST_TURN && last.as_deref() == Some(turn);
    let sql = format!(
        "SELECT m.seq, m.turn, {weight} AS bytes FROM messages m
         WHERE m.conversation = ?1 AND m.seq > ?2 ORDER BY m.seq"
    );
    let (mut upto, mut bytes) = (0, 0);
    let cut = tx.find(&sql, (conversation.to_string(), after.map_or(0, |mark| mark.seq)), |row| {
        let turn: String = row.get("turn")?;
        let (seq, weight) = if is_whole(&turn) { (i64::MAX, whole) } else { (row.get("seq")?, row.get("bytes")?) };
        if bytes > 0 && bytes + weight > PAGE {
            return Ok(Some(Extent { upto, bytes, is_last: false }));
        }
        (upto, bytes) = (seq, bytes + weight);
        Ok((seq == i64::MAX).then_some(Extent { upto, bytes, is_last: true }))
    })?;
    Ok(cut.unwrap_or(Extent { upto: i64::MAX, bytes, is_last: true }))
}

/// Checks that the message of a mark is what it was.
fn ensure_stands(tx: &Tx, conversation: ConversationId, mark: PageMark) -> Result<()> {
    let sql = "SELECT 1 FROM messages WHERE conversation = ?1 AND seq = ?2 AND id = ?3 AND turn = ?4";
    let place = (conversation.to_string(), mark.seq, mark.message.to_string(), mark.turn.to_string());
    match tx.exists(sql, place)? {
        true => Ok(()),
        false => Err(Error::conflict("An answer gave way to another while the conversation was read. Read it again.")),
    }
}
