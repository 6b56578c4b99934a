//! Turns that are under way, and what was given up with one.

use super::{
    OpenTurn, Turns,
    rows::{GONE, NOW, WHO, given_up, open_turn},
};
use crate::{skills, sql::Tx};
use satchel_model::{
    call::TicketId,
    caller::Caller,
    conversation::{ConversationId, TurnId},
    error::Result,
};

impl Turns {
    /// The turn of a conversation that is under way.
    pub async fn open_in(&self, conversation: ConversationId) -> Result<Option<OpenTurn>> {
        self.open_where("t.conversation = ?1", conversation.to_string()).await.map(|turns| turns.into_iter().next())
    }

    /// The turn that a ticket holds up.
    pub async fn waiting_for(&self, ticket: TicketId) -> Result<Option<OpenTurn>> {
        let condition = "t.id = (SELECT m.turn FROM messages m JOIN steps s ON s.message = m.id WHERE s.ticket = ?1)";
        self.open_where(condition, ticket.to_string()).await.map(|turns| turns.into_iter().next())
    }

    /// Every turn that is under way.
    pub async fn open(&self) -> Result<Vec<OpenTurn>> {
        self.open_where("?1 = ''", String::new()).await
    }

    /// The questions of calls that were given up while they ran and that no step was told the end of, each with whoever
    /// asked.
    pub async fn given_up(&self) -> Result<Vec<(TicketId, Caller)>> {
        let sql = format!(
            "SELECT s.ticket, t.caller, {NOW}
             FROM steps s JOIN messages m ON m.id = s.message JOIN turns t ON t.id = m.turn
               JOIN conversations c ON c.id = t.conversation {WHO}
             WHERE s.ticket IS NOT NULL AND s.state = 'uncertain' AND s.output IS NULL"
        );
        self.db.read(move |tx| tx.all(&sql, (), given_up)).await
    }

    /// A turn in whatever state, with what its asker may do now: as one that would go on.
    pub async fn as_begun(&self, turn: TurnId) -> Result<Option<OpenTurn>> {
        self.found_where("t.id = ?1", turn.to_string()).await.map(|turns| turns.into_iter().next())
    }

    async fn open_where(&self, condition: &'static str, value: String) -> Result<Vec<OpenTurn>> {
        self.found_where(&format!("t.state IN ('running', 'waiting') AND {condition}"), value).await
    }

    async fn found_where(&self, condition: &str, value: String) -> Result<Vec<OpenTurn>> {
        let sql = format!(
            "SELECT t.id, t.conversation, t.state, t.caller, t.provider, t.model_calls, t.last_event, t.stop_asked, t.run,
               t.parent, t.tells, t.job, (SELECT name FROM jobs WHERE jobs.id = t.job) AS job_name,
               t.input_tokens + t.output_tokens AS tokens, t.agent, t.agent_version, t.brief,
               coalesce(t.agent_draft, v.content, {GONE}) AS agent_content, {NOW}
             FROM turns t JOIN conversations c ON c.id = t.conversation {WHO}
             LEFT JOIN agent_versions v ON v.agent = t.agent AND v.version = t.agent_version
             WHERE {condition} ORDER BY t.id"
        );
        let read = move |tx: &Tx| {
            let turns = tx.all(&sql, [value], open_turn)?;
            turns.into_iter().map(|turn| skills::narrow(tx, turn)).collect()
        };
        self.db.read(read).await
    }
}
