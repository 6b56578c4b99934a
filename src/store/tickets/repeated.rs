//! Questions of MCP clients, which find them again by making the identical call.

use std::time::Duration;

use super::{Stored, Tickets};
use crate::sql::Tx;
use satchel_model::{
    call::{TicketId, TicketState},
    caller::Door,
    error::Result,
    id::Id,
    time::Time,
    user::{ApiKey, UserId},
};

/// The time for which the result of a decided question waits for the identical call.
const WAITS: Duration = Duration::from_secs(3_600);

/// A call that may have been made before.
#[derive(Debug, Clone)]
pub struct Repeated {
    /// Its caller.
    pub user: UserId,
    /// Their key; `None` for the machine's own command line.
    pub key: Option<Id<ApiKey>>,
    /// Its [`digest`](super::digest).
    pub digest: Vec<u8>,
}

impl Tickets {
    /// The question of an identical call of an MCP client with the same key: one that is open, or one that was decided and
    /// whose result nobody has taken. That is taken with this.
    pub async fn asked_before(&self, call: Repeated, now: Time) -> Result<Option<TicketId>> {
        let wanted = call.clone();
        let Some(found) = self.db.read(move |tx| find(tx, &wanted, now)).await? else { return Ok(None) };
        if matches!(found.state, TicketState::Pending | TicketState::Running) {
            return Ok(Some(found.id));
        }
        Ok(self.take_result(found.id, now).await?.then_some(found.id))
    }

    /// Takes the result of a decided question. Returns whether nobody had before.
    pub async fn take_result(&self, id: TicketId, now: Time) -> Result<bool> {
        let sql = "UPDATE tickets SET collected_at = ?2 WHERE id = ?1 AND collected_at IS NULL";
        self.db.write(move |tx| Ok(tx.run(sql, (id.to_string(), now.millis()))? == 1)).await
    }

    /// Returns whether the result of a question was taken.
    pub async fn is_taken(&self, id: TicketId) -> Result<bool> {
        let sql = "SELECT 1 FROM tickets WHERE id = ?1 AND collected_at IS NOT NULL";
        self.db.read(move |tx| tx.exists(sql, [id.to_string()])).await
    }
}

fn find(tx: &Tx, call: &Repeated, now: Time) -> Result<Option<satchel_model::call::Ticket>> {
    let sql = "SELECT * FROM tickets WHERE person = ?1 AND digest = ?2 AND collected_at IS NULL AND topic IS NULL
               ORDER BY id DESC LIMIT 20";
    let found = tx.all(sql, (call.user.to_string(), call.digest.clone()), Stored::read)?;
    let is_same = |one: &Stored| one.asker.door == Door::Mcp && one.asker.key == call.key;
    let is_open = |one: &Stored| match one.ticket.state {
        TicketState::Pending => one.ticket.expires_at > now,
        TicketState::Running => true,
        TicketState::Done | TicketState::Denied => one.ticket.expires_at.after(WAITS) > now,
        TicketState::Expired | TicketState::Changed => false,
    };
    Ok(found.into_iter().find(|one| is_same(one) && is_open(one)).map(|one| one.ticket))
}
