//! Tickets: questions to people, decided once.

mod approvals;
mod decided;
mod repeated;
mod rows;

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use self::rows::{Stored, ask, find, latest, open_bytes, settle};
pub use self::{approvals::ConversationApproval, decided::DecidedFilter, repeated::Repeated};
use super::{consents::ScriptText, db::Db, nodes::ABANDONED, sql::Tx};
use satchel_model::{
    agent::ActingAgent,
    call::{Approved, Call, CallId, Ticket, TicketId, TicketState},
    caller::{Caller, Door, Permissions},
    conversation::ConversationId,
    definition::Definition,
    error::{Error, Kind, Result},
    id::Id,
    job::JobName,
    json::canonical,
    origin::Origin,
    output::Output,
    policy::Situation,
    time::Time,
    user::{ApiKey, UserId},
};

/// The time a person has to decide.
pub const LIFETIME: Duration = Duration::from_secs(300);
/// The time for which the question of a job waits, which its owner need not see at once.
pub const JOB_LIFETIME: Duration = Duration::from_secs(366 * 86_400);
/// Most undecided tickets a conversation may hold.
pub const PENDING: i64 = 10;
/// Most bytes of arguments that a person's undecided tickets may hold together.
pub const PENDING_BYTES: i64 = 16 << 20;

/// What the call was, beyond what the person is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// The asker's name.
    pub username: String,
    /// What the asker might do then; running takes the meet of this and what the approver may do now.
    pub permissions: Permissions,
    /// The way the call came in.
    pub door: Door,
    /// The call that asked; what is approved runs under its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The key it was asked with, if with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Id<ApiKey>>,
    /// Whether what belongs to the person was open to it.
    #[serde(default = "yes")]
    pub personal: bool,
    /// The agent that asked, if one did: what is approved runs within its bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Arc<ActingAgent>>,
    /// The digest of what the call would have done then. Tickets of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// Scripts of others that the question names: a yes to it agrees to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<ScriptText>,
    /// The job whose run asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobName>,
    /// Content from outside that whoever built the call had read, beside what its conversation has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The circumstances that decide which policy layers apply.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub situation: Situation,
}

/// Questions from before keys were told apart were asked by those that opened everything.
fn yes() -> bool {
    true
}

fn is_usual(situation: &Situation) -> bool {
    *situation == Situation::default()
}

impl Asker {
    /// The asker of this call, which would do this and run these scripts.
    pub fn from_call(call: &Call, definition: Definition, scripts: Vec<ScriptText>) -> Self {
        let Caller { username, permissions, door, credential, personal, agent, .. } = call.caller.clone();
        let key = credential.key();
        let words = call.tool_words.as_ref().map(|words| words.origin.clone());
        let (job, origin, situation) = (call.job.clone(), call.origin.clone().or(words), call.situation.clone());
        let (call, definition) = (Some(call.id), Some(definition));
        Self { username, permissions, door, call, key, personal, agent, definition, scripts, job, origin, situation }
    }

    /// Whether both ask in the same way, be it in two calls.
    fn asks_like(&self, other: &Self) -> bool {
        Self { call: None, ..self.clone() } == Self { call: None, ..other.clone() }
    }
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
        /// Who approved it, and what ran.
        #[serde(flatten)]
        approved: Approved,
        /// The handle of the whole of a long result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        handle: Option<String>,
    },
    /// It ran and failed, or could not be run any more.
    Failed {
        /// What went wrong.
        kind: Kind,
        /// In words.
        message: String,
        /// What a program reads of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        /// Whether the tool was run and failed, as against a call that was never let through.
        #[serde(default)]
        tools_own: bool,
        /// Where its words came from, if from outside.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outside: Option<String>,
        /// When that was read, where it was before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outside_at: Option<Time>,
        /// Who approved it, and what was tried.
        #[serde(flatten)]
        approved: Approved,
        /// Wall time.
        #[serde(default)]
        duration_ms: u64,
    },
    /// The person refused.
    Refused {
        /// Why, in their words.
        reason: Option<String>,
    },
    /// Changed before it was decided: nothing ran.
    Changed {
        /// The question in its place.
        instead: TicketId,
    },
}

/// A ticket as a repeated call finds it.
#[derive(Debug, Clone)]
pub struct Collected {
    /// The ticket; where it was changed, the one in its place.
    pub ticket: Ticket,
    /// The asker of the call.
    pub asker: Asker,
    /// The verdict, where it has been decided.
    pub verdict: Option<Verdict>,
}

/// The tickets of one database. Cheap to clone.
#[derive(Clone)]
pub struct Tickets {
    db: Db,
}

impl Tickets {
    /// The tickets of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Asks. A command that is given again before it was decided is the same question still. Fails where the conversation
    /// already has [`PENDING`] questions open, or the person's hold [`PENDING_BYTES`] with it.
    pub async fn ask(&self, ticket: Ticket, asker: Asker) -> Result<Ticket> {
        self.db.write(move |tx| ask(tx, ticket, &asker)).await
    }

    /// Asks another question in the place of one that is not decided yet, and closes that one: what it asked about has been
    /// changed.
    pub async fn ask_instead(&self, old: TicketId, ticket: Ticket, asker: Asker) -> Result<Ticket> {
        self.db
            .write(move |tx| {
                undecided(&find(tx, old, ticket.user, ticket.created_at)?.ticket)?;
                // Before it is counted with those that are open.
                settle(tx, old, TicketState::Changed, &Verdict::Changed { instead: ticket.id })?;
                let asked = ask(tx, ticket, &asker)?;
                settle(tx, old, TicketState::Changed, &Verdict::Changed { instead: asked.id })?;
                Ok(asked)
            })
            .await
    }

    /// One ticket of this user, expired if its time has passed.
    pub async fn get(&self, id: TicketId, user: UserId, now: Time) -> Result<Ticket> {
        Ok(self.get_with_asker(id, user, now).await?.0)
    }

    /// The same, with who asked.
    pub async fn get_with_asker(&self, id: TicketId, user: UserId, now: Time) -> Result<(Ticket, Asker)> {
        let stored = self.db.read(move |tx| find(tx, id, user, now)).await?;
        Ok((stored.ticket, stored.asker))
    }

    /// The same, with what was approved, while that is being run.
    pub async fn get_with_approval(&self, id: TicketId, user: UserId, now: Time) -> Result<(Ticket, Option<Approved>)> {
        let stored = self.db.read(move |tx| find(tx, id, user, now)).await?;
        Ok((stored.ticket, stored.running))
    }

    /// Bytes of one ticket of this user, about.
    pub async fn bytes(&self, id: TicketId, user: UserId) -> Result<usize> {
        let sql = "SELECT octet_length(arguments) AS bytes FROM tickets WHERE id = ?1 AND person = ?2";
        let bytes = move |tx: &Tx| {
            let found: Option<i64> = tx.first(sql, (id.to_string(), user.to_string()), |row| row.get("bytes"))?;
            usize::try_from(found.unwrap_or(0)).map_err(Error::internal)
        };
        self.db.read(bytes).await
    }

    /// Bytes of this user's undecided tickets, about.
    pub async fn pending_bytes(&self, user: UserId, now: Time) -> Result<usize> {
        let bytes = move |tx: &Tx| usize::try_from(open_bytes(tx, user, now)?).map_err(Error::internal);
        self.db.read(bytes).await
    }

    /// This user's undecided tickets, oldest first.
    pub async fn pending(&self, user: UserId, now: Time) -> Result<Vec<Ticket>> {
        self.db
            .read(move |tx| {
                let sql =
                    "SELECT * FROM tickets WHERE person = ?1 AND state = 'pending' AND expires_at > ?2 ORDER BY id";
                tx.all(sql, (user.to_string(), now.millis()), |row| Ok(Stored::read(row)?.ticket))
            })
            .await
    }

    /// The ticket behind a repeated call: the same tool and arguments, or an error.
    pub async fn collect(&self, claim: Claim, now: Time) -> Result<Collected> {
        self.db
            .read(move |tx| {
                let stored = latest(tx, claim.id, claim.user, now)?;
                if stored.digest != claim.digest || stored.ticket.topic != claim.topic {
                    return Err(Error::invalid(
                        "This ticket is for another call. Repeat the call it was given for, unchanged.",
                    ));
                }
                let Stored { ticket, asker, verdict, .. } = stored;
                Ok(Collected { ticket, asker, verdict })
            })
            .await
    }

    /// What came of a ticket, where it has been decided.
    pub async fn verdict(&self, id: TicketId, user: UserId, now: Time) -> Result<Option<Verdict>> {
        self.db.read(move |tx| Ok(find(tx, id, user, now)?.verdict)).await
    }

    /// Takes a pending ticket for running; only the first to ask gets it. What is about to run is written down: a crash
    /// leaves it as what may have taken effect.
    pub async fn take(&self, id: TicketId, user: UserId, approved: Approved, now: Time) -> Result<(Ticket, Asker)> {
        let node = self.db.node();
        self.db
            .write(move |tx| {
                let stored = find(tx, id, user, now)?;
                undecided(&stored.ticket)?;
                let approved = Approved { call: stored.asker.call, ..approved };
                let text = serde_json::to_string(&interrupted(approved)).map_err(Error::internal)?;
                let sql = "UPDATE tickets SET state = 'running', result = ?2, node = ?3, decided_at = ?4 WHERE id = ?1";
                tx.run(sql, (id.to_string(), text, node.to_string(), now.millis()))?;
                Ok((stored.ticket, stored.asker))
            })
            .await
    }

    /// Refuses a pending ticket, or the one in its place.
    pub async fn refuse(
        &self,
        id: TicketId,
        user: UserId,
        reason: Option<String>,
        now: Time,
    ) -> Result<(Ticket, Asker)> {
        self.db
            .write(move |tx| {
                let open = latest(tx, id, user, now)?.ticket;
                undecided(&open)?;
                let id = open.id;
                settle(tx, id, TicketState::Denied, &Verdict::Refused { reason })?;
                tx.run("UPDATE tickets SET decided_at = ?2 WHERE id = ?1", (id.to_string(), now.millis()))?;
                let Stored { ticket, asker, .. } = find(tx, id, user, now)?;
                Ok((ticket, asker))
            })
            .await
    }

    /// Keeps the result of a ticket that was taken. Nothing happens where this node was taken for gone, and another has said
    /// that what came of it is uncertain.
    pub async fn finish(&self, id: TicketId, verdict: Verdict) -> Result<()> {
        let (node, text) = (self.db.node(), serde_json::to_string(&verdict).map_err(Error::internal)?);
        let sql = "UPDATE tickets SET state = 'done', result = ?2 WHERE id = ?1 AND state = 'running' AND node = ?3";
        self.db.write_after_effect(move |tx| tx.run(sql, (id.to_string(), text, node.to_string())).map(drop)).await
    }
}

/// Closes tickets whose calls were left running. Returns how many.
pub(super) fn close_left(tx: &Tx) -> Result<usize> {
    // One that was taken by a version that wrote nothing down has no result yet.
    let text = serde_json::to_string(&interrupted(Approved::default())).map_err(Error::internal)?;
    let sql = format!(
        "UPDATE tickets SET state = 'done', result = coalesce(result, ?1) WHERE state = 'running' AND {ABANDONED}"
    );
    tx.run(&sql, [text])
}

/// The verdict on a ticket that was running when the process ended.
fn interrupted(approved: Approved) -> Verdict {
    let told = "The server stopped while this ran: it may or may not have taken effect. Check before repeating it.";
    Verdict::Failed {
        // As of a call that the end of the server has stopped.
        kind: Kind::Cancelled,
        message: told.to_owned(),
        details: None,
        tools_own: true,
        outside: None,
        outside_at: None,
        approved,
        duration_ms: 0,
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

fn undecided(ticket: &Ticket) -> Result<()> {
    let problem = match ticket.state {
        TicketState::Pending => return Ok(()),
        TicketState::Expired => "This question has expired: nothing was run. Ask again.",
        TicketState::Running => "This question was approved already and is being run.",
        TicketState::Done | TicketState::Denied => "This question was decided already.",
        TicketState::Changed => {
            "This has changed since you were asked: nothing was run. Decide the question in its place."
        }
    };
    Err(Error::conflict(problem))
}
