//! Tickets: questions to people, decided once (R7).

use std::{str::FromStr, time::Duration};

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::db::Db;
use crate::model::{
    call::{Ticket, TicketId, TicketState},
    caller::{Caller, Door, Permissions},
    conversation::ConversationId,
    error::{Error, Kind, Result},
    json::canonical,
    output::Output,
    spec::Risk,
    time::Time,
    user::UserId,
};

/// How long a person has to decide.
pub const LIFETIME: Duration = Duration::from_secs(300);
/// Most undecided tickets a conversation may hold.
pub const PENDING: i64 = 10;

/// What the call was, beyond what the person is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// The asker's name.
    pub username: String,
    /// What the asker might do then; running takes the meet of this and what the approver may do now.
    pub permissions: Permissions,
    /// The way the call came in.
    pub door: Door,
}

/// What came of an approved call, kept for whoever called.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It ran.
    Ran {
        /// What it gave back.
        output: Output,
        /// Wall time.
        duration_ms: u64,
        /// The arguments it ran with, where the person had changed them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        executed: Option<Value>,
    },
    /// It ran and failed, or could not be run any more.
    Failed {
        /// What went wrong.
        kind: Kind,
        /// In words.
        message: String,
        /// Whether the tool was run and failed, as against a call that was never let through.
        #[serde(default)]
        tools_own: bool,
        /// Where its words came from, if from outside.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outside: Option<String>,
        /// The arguments it was tried with, where the person had changed them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        executed: Option<Value>,
    },
    /// The person refused.
    Refused {
        /// Why, in his words.
        reason: Option<String>,
    },
}

/// The tickets of one database. Cheap to clone.
#[derive(Clone)]
pub struct Tickets {
    db: Db,
}

impl Tickets {
    /// The tickets of this database.
    pub fn of(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Asks. A command that is given again before it was decided is the same question still. Fails where the conversation
    /// already has [`PENDING`] questions open.
    pub async fn ask(&self, ticket: Ticket, caller: &Caller) -> Result<Ticket> {
        let asker =
            Asker { username: caller.username.clone(), permissions: caller.permissions.clone(), door: caller.door };
        self.db.write(move |c| ask(c, ticket, &asker)).await
    }

    /// One ticket of this user, expired if its time has passed.
    pub async fn get(&self, id: TicketId, user: UserId, now: Time) -> Result<Ticket> {
        self.db.read(move |c| Ok(find(c, id, user, now)?.ticket)).await
    }

    /// This user's undecided tickets, oldest first.
    pub async fn pending(&self, user: UserId, now: Time) -> Result<Vec<Ticket>> {
        self.db
            .read(move |c| {
                let mut statement = c.prepare_cached(
                    "SELECT * FROM tickets WHERE user = ?1 AND state = 'pending' AND expires_at > ?2 ORDER BY id",
                )?;
                let mut rows = statement.query((user.to_string(), now.millis()))?;
                let mut tickets = Vec::new();
                while let Some(row) = rows.next()? {
                    tickets.push(Stored::read(row)?.ticket);
                }
                Ok(tickets)
            })
            .await
    }

    /// The ticket behind a repeated call: the same tool and arguments, or an error.
    pub async fn collect(&self, claim: Claim, now: Time) -> Result<(Ticket, Option<Verdict>)> {
        self.db
            .read(move |c| {
                let stored = find(c, claim.id, claim.user, now)?;
                if stored.digest != claim.digest || stored.ticket.topic != claim.topic {
                    return Err(Error::invalid(
                        "This ticket is for another call. Repeat the call it was given for, unchanged.",
                    ));
                }
                Ok((stored.ticket, stored.verdict))
            })
            .await
    }

    /// What came of a ticket, where it has been decided.
    pub async fn verdict(&self, id: TicketId, user: UserId, now: Time) -> Result<Option<Verdict>> {
        self.db.read(move |c| Ok(find(c, id, user, now)?.verdict)).await
    }

    /// Takes a pending ticket for running; only the first to ask gets it.
    pub async fn take(&self, id: TicketId, user: UserId, now: Time) -> Result<(Ticket, Asker)> {
        self.db
            .write(move |c| {
                let stored = find(c, id, user, now)?;
                undecided(&stored.ticket)?;
                c.execute("UPDATE tickets SET state = 'running' WHERE id = ?1", [id.to_string()])?;
                Ok((stored.ticket, stored.asker))
            })
            .await
    }

    /// Refuses a pending ticket.
    pub async fn refuse(&self, id: TicketId, user: UserId, reason: Option<String>, now: Time) -> Result<Ticket> {
        self.db
            .write(move |c| {
                undecided(&find(c, id, user, now)?.ticket)?;
                settle(c, id, TicketState::Denied, &Verdict::Refused { reason })?;
                Ok(find(c, id, user, now)?.ticket)
            })
            .await
    }

    /// Keeps the result of a ticket that was taken.
    pub async fn finish(&self, id: TicketId, verdict: Verdict) -> Result<()> {
        self.db.write(move |c| settle(c, id, TicketState::Done, &verdict)).await
    }

    /// Closes tickets that were running when the process ended. Returns how many.
    pub async fn close_interrupted(&self) -> Result<usize> {
        let verdict = Verdict::Failed {
            kind: Kind::Internal,
            message:
                "The server stopped while this ran: it may or may not have taken effect. Check before repeating it."
                    .into(),
            tools_own: true,
            outside: None,
            executed: None,
        };
        self.db
            .write(move |c| {
                let text = serde_json::to_string(&verdict).map_err(Error::internal)?;
                Ok(c.execute("UPDATE tickets SET state = 'done', result = ?1 WHERE state = 'running'", [text])?)
            })
            .await
    }

    /// Remembers that this conversation's calls of a high-write tool need not ask again.
    pub async fn approve_for(&self, topic: ConversationId, tool: String) -> Result<()> {
        self.db
            .write(move |c| {
                c.execute("INSERT OR IGNORE INTO approvals (topic, tool) VALUES (?1, ?2)", (topic.to_string(), tool))?;
                Ok(())
            })
            .await
    }

    /// Whether the person approved this tool for the whole conversation.
    pub async fn approved_for(&self, topic: ConversationId, tool: String) -> Result<bool> {
        self.db
            .read(move |c| {
                let mut statement = c.prepare_cached("SELECT 1 FROM approvals WHERE topic = ?1 AND tool = ?2")?;
                Ok(statement.exists((topic.to_string(), tool))?)
            })
            .await
    }
}

/// What a repeated call shows to get its result.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The ticket it names.
    pub id: TicketId,
    /// The caller.
    pub user: UserId,
    /// The conversation of the call.
    pub topic: Option<ConversationId>,
    /// Its [`digest`].
    pub digest: Vec<u8>,
}

/// What a ticket is bound to: tool and canonical arguments, as SHA-256.
pub fn digest(tool: &str, arguments: &Value) -> Vec<u8> {
    let mut digest = Sha256::new();
    digest.update(tool.as_bytes());
    digest.update([0]);
    digest.update(canonical(arguments).to_string().as_bytes());
    digest.finalize().to_vec()
}

fn ask(c: &Connection, ticket: Ticket, asker: &Asker) -> Result<Ticket> {
    if asker.door == Door::Cli
        && let Some(same) = still_open(c, &ticket, asker)?
    {
        return Ok(same);
    }
    let topic = ticket.topic.map(|id| id.to_string());
    let open: i64 = c.query_row(
        "SELECT count(*) FROM tickets WHERE user = ?1 AND topic IS ?2 AND state = 'pending' AND expires_at > ?3",
        (ticket.user.to_string(), &topic, ticket.created_at.millis()),
        |row| row.get(0),
    )?;
    if open >= PENDING {
        return Err(Error::new(
            Kind::Exhausted,
            format!("{PENDING} questions already wait for an answer here. Decide some in the inbox first."),
        ));
    }
    c.prepare_cached(
        "INSERT INTO tickets (id, user, topic, tool, asked_as, arguments, digest, call, risk, reason, state, created_at,
                              expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'pending', ?11, ?12)",
    )?
    .execute(params![
        ticket.id.to_string(),
        ticket.user.to_string(),
        topic,
        ticket.tool,
        ticket.asked_as,
        ticket.arguments.to_string(),
        digest(&ticket.tool, &ticket.arguments),
        serde_json::to_string(asker).map_err(Error::internal)?,
        ticket.risk.as_str(),
        ticket.reason,
        ticket.created_at.millis(),
        ticket.expires_at.millis(),
    ])?;
    Ok(ticket)
}

/// The open question that is this one, asked before by the same.
fn still_open(c: &Connection, ticket: &Ticket, asker: &Asker) -> Result<Option<Ticket>> {
    let mut statement = c.prepare_cached(
        "SELECT * FROM tickets WHERE user = ?1 AND topic IS ?2 AND digest = ?3 AND state = 'pending' AND expires_at > ?4",
    )?;
    let topic = ticket.topic.map(|id| id.to_string());
    let digest = digest(&ticket.tool, &ticket.arguments);
    let mut rows = statement.query((ticket.user.to_string(), topic, digest, ticket.created_at.millis()))?;
    while let Some(row) = rows.next()? {
        let Stored { ticket: open, asker: before, .. } = Stored::read(row)?;
        if (&open.asked_as, open.risk, &before) == (&ticket.asked_as, ticket.risk, asker) {
            return Ok(Some(open));
        }
    }
    Ok(None)
}

fn settle(c: &Connection, id: TicketId, state: TicketState, verdict: &Verdict) -> Result<()> {
    let state = if state == TicketState::Denied { "denied" } else { "done" };
    let text = serde_json::to_string(verdict).map_err(Error::internal)?;
    c.execute("UPDATE tickets SET state = ?2, result = ?3 WHERE id = ?1", (id.to_string(), state, text))?;
    Ok(())
}

fn undecided(ticket: &Ticket) -> Result<()> {
    let problem = match ticket.state {
        TicketState::Pending => return Ok(()),
        TicketState::Expired => "This question has expired: nothing was run. Ask again.",
        TicketState::Running => "This question was approved already and is being run.",
        TicketState::Done | TicketState::Denied => "This question was decided already.",
    };
    Err(Error::conflict(problem))
}

struct Stored {
    ticket: Ticket,
    asker: Asker,
    digest: Vec<u8>,
    verdict: Option<Verdict>,
}

fn find(c: &Connection, id: TicketId, user: UserId, now: Time) -> Result<Stored> {
    let mut statement = c.prepare_cached("SELECT * FROM tickets WHERE id = ?1 AND user = ?2")?;
    let stored = statement.query_row((id.to_string(), user.to_string()), |row| Ok(Stored::read(row))).optional()?;
    let mut stored = stored.ok_or_else(|| Error::not_found(format!("There is no ticket '{id}'.")))??;
    if stored.ticket.state == TicketState::Pending && stored.ticket.expires_at <= now {
        stored.ticket.state = TicketState::Expired;
    }
    Ok(stored)
}

impl Stored {
    fn read(row: &Row<'_>) -> Result<Self> {
        let text = |name: &str| row.get::<_, String>(name);
        let word = |name: &str| Ok::<_, Error>(serde_json::Value::String(text(name)?));
        let topic: Option<String> = row.get("topic")?;
        let ticket = Ticket {
            id: TicketId::from_str(&text("id")?)?,
            user: UserId::from_str(&text("user")?)?,
            topic: topic.as_deref().map(ConversationId::from_str).transpose()?,
            tool: text("tool")?,
            asked_as: text("asked_as")?,
            arguments: serde_json::from_str(&text("arguments")?).map_err(Error::internal)?,
            risk: serde_json::from_value::<Risk>(word("risk")?).map_err(Error::internal)?,
            reason: text("reason")?,
            state: serde_json::from_value(word("state")?).map_err(Error::internal)?,
            created_at: Time::from_millis(row.get("created_at")?),
            expires_at: Time::from_millis(row.get("expires_at")?),
        };
        let result: Option<String> = row.get("result")?;
        Ok(Self {
            ticket,
            asker: serde_json::from_str(&text("call")?).map_err(Error::internal)?,
            digest: row.get("digest")?,
            verdict: result.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?,
        })
    }
}
