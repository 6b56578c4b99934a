//! Programs of models that wait for a person, and what the calls in them have answered.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    db::Db,
    origin,
    sql::{Row, Tx, params},
};
use satchel_model::{
    call::{CallId, TicketId},
    conversation::ConversationId,
    error::{Error, Result},
    origin::Origin,
    time::Time,
    user::UserId,
};

/// Milliseconds for which a program that waits, or has ended, is kept.
const KEPT: i64 = 366 * 86_400_000;

/// The columns of a program as it is stored.
const FIELDS: &str = "p.id, p.person, p.topic, p.asker, p.digest, p.at, p.origin, p.outcome, p.state, p.node";

/// A program that waits.
#[derive(Debug, Clone)]
pub struct Parked {
    /// The call that ran it first.
    pub id: CallId,
    /// The person whose it is.
    pub person: UserId,
    /// The conversation it belongs to.
    pub topic: Option<ConversationId>,
    /// The credential of an MCP client, which makes its call again unchanged and names no question. `None` elsewhere.
    pub asker: Option<String>,
    /// The digest of its text.
    pub digest: String,
    /// The moment that it is told.
    pub at: Time,
    /// The origin of what its calls have read.
    pub origin: Option<Origin>,
}

/// A call in a program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramCall {
    /// The digest of the tool and its arguments.
    pub digest: String,
    /// The question that it waits for.
    pub ticket: Option<TicketId>,
    /// Its answer. `None` of one that waits, or was begun and of which no more is known.
    pub answer: Option<Answered>,
}

/// The answer of a call to its program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// Its data.
    Value(Value),
    /// Its error, in words.
    Failed(String),
}

/// A program as whoever goes on with it finds it.
pub enum Found {
    /// It waited, and is this node's now.
    Waiting(Parked, Vec<ProgramCall>),
    /// It has ended with this.
    Ended(Value),
}

/// The programs of one database. Cheap to clone.
#[derive(Clone)]
pub struct Programs {
    db: Db,
}

impl Programs {
    /// The programs of this database.
    pub fn new(db: &Db) -> Self {
        Self { db: db.clone() }
    }

    /// Keeps a program that waits from now on, with the calls it has made.
    pub async fn park(&self, parked: Parked, calls: Vec<ProgramCall>) -> Result<()> {
        let write = move |tx: &Tx| {
            let before = parked.at.millis().saturating_sub(KEPT);
            tx.run("DELETE FROM programs WHERE person = ?1 AND at < ?2", (parked.person.to_string(), before))?;
            let sql = "INSERT INTO programs (id, person, topic, asker, digest, state, at, origin)
                       VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', ?6, ?7)
                       ON CONFLICT (id) DO UPDATE SET state = 'waiting', node = NULL, origin = excluded.origin";
            let (topic, origin) = (parked.topic.map(|id| id.to_string()), origin::text(&parked.origin));
            let at = parked.at.millis();
            let id = parked.id.to_string();
            tx.run(sql, params![&id, parked.person.to_string(), topic, &parked.asker, &parked.digest, at, origin])?;
            (0..).zip(&calls).try_for_each(|(number, call)| put(tx, &id, number, call))
        };
        self.db.write_after_effect(write).await
    }

    /// Keeps what is known of one call of a program that goes on.
    pub async fn put(&self, program: CallId, number: i64, call: ProgramCall) -> Result<()> {
        self.db.write_after_effect(move |tx| put(tx, &program.to_string(), number, &call)).await
    }

    /// The program of this person, with this digest and in this conversation, that waits for a ticket: from now on this node is
    /// at it. `None` where no such program does.
    ///
    /// # Errors
    ///
    /// If somebody is at it.
    pub async fn take(&self, ticket: TicketId, like: &Parked) -> Result<Option<Found>> {
        let (like, node) = (like.clone(), self.db.node().to_string());
        let write = move |tx: &Tx| {
            let sql = format!(
                "SELECT {FIELDS} FROM programs p JOIN program_calls c ON c.program = p.id
                 WHERE c.ticket = ?1 AND p.person = ?2"
            );
            let found = tx.first(&sql, (ticket.to_string(), like.person.to_string()), stored)?;
            found.filter(|found| found.is_like(&like)).map(|found| found.taken(tx, &node)).transpose()
        };
        self.db.write(write).await
    }

    /// The program that an MCP client has run before with this text and has not ended, where it makes its call again: from now on
    /// this node is at it.
    ///
    /// # Errors
    ///
    /// If somebody is at it.
    pub async fn take_repeated(&self, like: &Parked) -> Result<Option<Found>> {
        let (like, node) = (like.clone(), self.db.node().to_string());
        let write = move |tx: &Tx| {
            let sql = format!(
                "SELECT {FIELDS} FROM programs p WHERE p.person = ?1 AND p.asker = ?2 AND p.digest = ?3
                   AND p.topic IS NULL AND p.state <> 'done' ORDER BY p.at DESC, p.id DESC LIMIT 1"
            );
            let found = tx.first(&sql, (like.person.to_string(), &like.asker, &like.digest), stored)?;
            found.map(|found| found.taken(tx, &node)).transpose()
        };
        self.db.write(write).await
    }

    /// Leaves a program that this node was at as one that waits: whoever asks again goes on with it.
    pub async fn leave(&self, program: CallId) -> Result<()> {
        let node = self.db.node().to_string();
        let sql =
            "UPDATE programs SET state = 'waiting', node = NULL WHERE id = ?1 AND state = 'running' AND node = ?2";
        self.db.write_after_effect(move |tx| tx.run(sql, (program.to_string(), node)).map(drop)).await
    }

    /// Keeps what a program that had waited gave back.
    pub async fn end(&self, program: CallId, outcome: Value) -> Result<()> {
        let text = outcome.to_string();
        let write = move |tx: &Tx| {
            // The questions stay, by which it is found.
            tx.run("UPDATE program_calls SET answer = NULL WHERE program = ?1", [program.to_string()])?;
            let sql = "UPDATE programs SET state = 'done', node = NULL, outcome = ?2 WHERE id = ?1";
            tx.run(sql, (program.to_string(), text)).map(drop)
        };
        self.db.write_after_effect(write).await
    }
}

/// A program as it is stored.
struct Stored {
    parked: Parked,
    outcome: Option<Value>,
    is_running: bool,
    /// The start of the server that is at it.
    node: Option<String>,
}

impl Stored {
    fn is_like(&self, other: &Parked) -> bool {
        self.parked.digest == other.digest && self.parked.topic == other.topic
    }

    fn taken(self, tx: &Tx, node: &str) -> Result<Found> {
        if let Some(outcome) = self.outcome {
            return Ok(Found::Ended(outcome));
        }
        // One that a start which is gone was at is gone on with.
        if self.is_running && self.node.as_deref() == Some(node) {
            return Err(Error::conflict("This program goes on already. Wait for what comes of it."));
        }
        let id = self.parked.id.to_string();
        tx.run("UPDATE programs SET state = 'running', node = ?2 WHERE id = ?1", (&id, node))?;
        let sql = "SELECT digest, ticket, answer FROM program_calls WHERE program = ?1 ORDER BY number";
        Ok(Found::Waiting(self.parked, tx.all(sql, [&id], call)?))
    }
}

fn stored(row: &Row<'_>) -> Result<Stored> {
    Ok(Stored {
        parked: parked(row)?,
        outcome: row.optional_json("outcome")?,
        is_running: row.get::<String>("state")? == "running",
        node: row.get("node")?,
    })
}

fn put(tx: &Tx, program: &str, number: i64, call: &ProgramCall) -> Result<()> {
    let answer = call.answer.as_ref().map(serde_json::to_string).transpose().map_err(Error::internal)?;
    let sql = "INSERT INTO program_calls (program, number, digest, ticket, answer) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (program, number) DO UPDATE SET ticket = excluded.ticket, answer = excluded.answer";
    tx.run(sql, (program, number, &call.digest, call.ticket.map(|id| id.to_string()), answer)).map(drop)
}

fn parked(row: &Row<'_>) -> Result<Parked> {
    Ok(Parked {
        id: row.parsed("id")?,
        person: row.parsed("person")?,
        topic: row.get::<Option<String>>("topic")?.map(|id| id.parse()).transpose()?,
        asker: row.get("asker")?,
        digest: row.get("digest")?,
        at: row.time("at")?,
        origin: origin::read(row)?,
    })
}

fn call(row: &Row<'_>) -> Result<ProgramCall> {
    Ok(ProgramCall {
        digest: row.get("digest")?,
        ticket: row.get::<Option<String>>("ticket")?.map(|id| id.parse()).transpose()?,
        answer: row.optional_json("answer")?,
    })
}
