//! Programs of models that wait for a person, and what the calls in them have answered.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    db::Db,
    origin,
    sql::{Row, Tx},
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

/// A program that waits.
#[derive(Debug, Clone)]
pub struct Parked {
    /// The call that ran it first.
    pub id: CallId,
    /// The person whose it is.
    pub person: UserId,
    /// The conversation it belongs to.
    pub topic: Option<ConversationId>,
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
            let sql = "INSERT INTO programs (id, person, topic, digest, state, at, origin)
                       VALUES (?1, ?2, ?3, ?4, 'waiting', ?5, ?6)
                       ON CONFLICT (id) DO UPDATE SET state = 'waiting', node = NULL, origin = excluded.origin";
            let (topic, origin) = (parked.topic.map(|id| id.to_string()), origin::text(&parked.origin));
            let at = parked.at.millis();
            let id = parked.id.to_string();
            tx.run(sql, (&id, parked.person.to_string(), topic, &parked.digest, at, origin))?;
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
        let Parked { person, topic, digest, .. } = like.clone();
        let node = self.db.node().to_string();
        let write = move |tx: &Tx| {
            let sql =
                "SELECT p.id, p.person, p.topic, p.digest, p.at, p.origin, p.outcome, p.state, p.node FROM programs p
                       JOIN program_calls c ON c.program = p.id WHERE c.ticket = ?1 AND p.person = ?2";
            let read = |row: &Row<'_>| {
                let (state, at_it): (String, Option<String>) = (row.get("state")?, row.get("node")?);
                Ok((parked(row)?, row.optional_json::<Value>("outcome")?, state, at_it))
            };
            let found = tx.first(sql, (ticket.to_string(), person.to_string()), read)?;
            let Some((parked, outcome, state, at_it)) = found else { return Ok(None) };
            if parked.digest != digest || parked.topic != topic {
                return Ok(None);
            }
            if let Some(outcome) = outcome {
                return Ok(Some(Found::Ended(outcome)));
            }
            // One that a start which is gone was at is gone on with.
            if state == "running" && at_it.as_deref() == Some(&node) {
                return Err(Error::conflict("This program goes on already. Wait for what comes of it."));
            }
            let id = parked.id.to_string();
            tx.run("UPDATE programs SET state = 'running', node = ?2 WHERE id = ?1", (&id, &node))?;
            let sql = "SELECT digest, ticket, answer FROM program_calls WHERE program = ?1 ORDER BY number";
            let calls = tx.all(sql, [&id], call)?;
            Ok(Some(Found::Waiting(parked, calls)))
        };
        self.db.write(write).await
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
