//! The rows of tickets: a question is written, found again, and closed with its verdict.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Asker, LIFETIME, PENDING, PENDING_BYTES, Verdict, digest};
use crate::sql::{Row, Tx, params};
use satchel_model::{
    call::{Approved, Ticket, TicketId, TicketState},
    caller::Door,
    conversation::ConversationId,
    error::{Error, Kind, Result},
    question::Question,
    spec::Risk,
    time::Time,
    user::UserId,
    warning::warnings,
};

/// The column `call`: who asked, and what the person is asked. Rows of earlier versions have no question, no scope and no `always`.
#[derive(Serialize, Deserialize)]
struct Asked {
    #[serde(flatten)]
    asker: Asker,
    #[serde(default)]
    question: Option<Question>,
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    always: bool,
}

/// A ticket as it is stored.
pub(super) struct Stored {
    pub(super) ticket: Ticket,
    pub(super) asker: Asker,
    pub(super) digest: Vec<u8>,
    pub(super) verdict: Option<Verdict>,
    /// What a person approved, while it is being run.
    pub(super) running: Option<Approved>,
}

impl Stored {
    pub(super) fn read(row: &Row<'_>) -> Result<Self> {
        let text = |name: &str| row.get::<String>(name);
        let word = |name: &str| Ok::<_, Error>(serde_json::Value::String(text(name)?));
        let topic: Option<String> = row.get("topic")?;
        let Asked { asker, question, scope, always } = serde_json::from_str(&text("call")?).map_err(Error::internal)?;
        let asked_as = text("asked_as")?;
        let question = question.unwrap_or_else(|| Question::run(&asked_as));
        let arguments = serde_json::from_str(&text("arguments")?).map_err(Error::internal)?;
        let ticket = Ticket {
            id: TicketId::from_str(&text("id")?)?,
            user: UserId::from_str(&text("person")?)?,
            topic: topic.as_deref().map(ConversationId::from_str).transpose()?,
            job: asker.job.clone(),
            tool: text("tool")?,
            asked_as,
            warnings: warnings(&arguments),
            arguments,
            risk: serde_json::from_value::<Risk>(word("risk")?).map_err(Error::internal)?,
            question: question.text,
            subject: question.subject,
            reason: text("reason")?,
            scope,
            always,
            state: serde_json::from_value(word("state")?).map_err(Error::internal)?,
            created_at: row.time("created_at")?,
            expires_at: row.time("expires_at")?,
        };
        let result: Option<String> = row.get("result")?;
        let result = result.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?;
        let (verdict, running) = match (ticket.state, result) {
            // While it runs, what stands there is what a crash would leave: no verdict, but what was approved.
            (TicketState::Running, Some(Verdict::Failed { approved, .. })) => (None, Some(approved)),
            (TicketState::Running, _) => (None, None),
            (_, verdict) => (verdict, None),
        };
        Ok(Self { ticket, asker, digest: row.get("digest")?, verdict, running })
    }
}

pub(super) fn ask(tx: &Tx, ticket: Ticket, asker: &Asker) -> Result<Ticket> {
    if asker.door == Door::Cli
        && let Some(same) = still_open(tx, &ticket, asker)?
    {
        return Ok(same);
    }
    let topic = ticket.topic.map(|id| id.to_string());
    // Those of jobs, of which each has one, outlive the others: they are not counted with them.
    let (from, to) = (ticket.created_at.millis(), ticket.created_at.after(LIFETIME).millis());
    let open: i64 = tx.one(
        "SELECT count(*) FROM tickets WHERE person = ?1 AND topic IS NOT DISTINCT FROM ?2 AND state = 'pending'
           AND expires_at > ?3 AND expires_at <= ?4",
        (ticket.user.to_string(), &topic, from, to),
    )?;
    if open >= PENDING && ticket.job.is_none() {
        return Err(Error::new(
            Kind::Exhausted,
            format!("{PENDING} questions already wait for an answer here. Decide some in the inbox first."),
        ));
    }
    let arguments = ticket.arguments.to_string();
    let bytes = i64::try_from(arguments.len()).map_err(Error::internal)?;
    if open_bytes(tx, ticket.user, ticket.created_at)?.saturating_add(bytes) > PENDING_BYTES {
        return Err(Error::new(
            Kind::Exhausted,
            "Too many large questions already wait for an answer. Decide some in the inbox first, or ask with less.",
        ));
    }
    let question = Question { text: ticket.question.clone(), subject: ticket.subject.clone() };
    let asked =
        Asked { asker: asker.clone(), question: Some(question), scope: ticket.scope.clone(), always: ticket.always };
    tx.run(
        "INSERT INTO tickets (id, person, topic, tool, asked_as, arguments, digest, call, risk, reason, state, created_at,
                              expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'pending', ?11, ?12)", params![
        ticket.id.to_string(),
        ticket.user.to_string(),
        topic,
        ticket.tool,
        ticket.asked_as,
        arguments,
        digest(&ticket.tool, &ticket.arguments),
        serde_json::to_string(&asked).map_err(Error::internal)?,
        ticket.risk.as_str(),
        ticket.reason,
        ticket.created_at.millis(),
        ticket.expires_at.millis(),
    ])?;
    Ok(ticket)
}

/// Bytes of the arguments of a person's open questions: looks at none of them.
pub(super) fn open_bytes(tx: &Tx, user: UserId, now: Time) -> Result<i64> {
    let sql = "SELECT coalesce(sum(octet_length(arguments)), 0) FROM tickets
               WHERE person = ?1 AND state = 'pending' AND expires_at > ?2";
    tx.one(sql, (user.to_string(), now.millis()))
}

/// The open question that is this one, asked before by the same.
fn still_open(tx: &Tx, ticket: &Ticket, asker: &Asker) -> Result<Option<Ticket>> {
    let sql = "SELECT * FROM tickets WHERE person = ?1 AND topic IS NOT DISTINCT FROM ?2 AND digest = ?3
               AND state = 'pending' AND expires_at > ?4";
    let topic = ticket.topic.map(|id| id.to_string());
    let digest = digest(&ticket.tool, &ticket.arguments);
    tx.find(sql, (ticket.user.to_string(), topic, digest, ticket.created_at.millis()), |row| {
        let Stored { ticket: open, asker: before, .. } = Stored::read(row)?;
        let is_same = (&open.asked_as, open.risk) == (&ticket.asked_as, ticket.risk) && before.asks_like(asker);
        Ok(is_same.then_some(open))
    })
}

pub(super) fn settle(tx: &Tx, id: TicketId, state: TicketState, verdict: &Verdict) -> Result<()> {
    let state = match state {
        TicketState::Denied => "denied",
        TicketState::Changed => "changed",
        _ => "done",
    };
    let text = serde_json::to_string(verdict).map_err(Error::internal)?;
    tx.run("UPDATE tickets SET state = ?2, result = ?3 WHERE id = ?1", (id.to_string(), state, text))?;
    Ok(())
}

pub(super) fn find(tx: &Tx, id: TicketId, user: UserId, now: Time) -> Result<Stored> {
    let sql = "SELECT * FROM tickets WHERE id = ?1 AND person = ?2";
    let stored = tx.first(sql, (id.to_string(), user.to_string()), Stored::read)?;
    let mut stored = stored.ok_or_else(|| Error::not_found(format!("There is no ticket '{id}'.")))?;
    if stored.ticket.state == TicketState::Pending && stored.ticket.expires_at <= now {
        stored.ticket.state = TicketState::Expired;
    }
    Ok(stored)
}

/// A ticket, or the last one that was asked in its place.
pub(super) fn latest(tx: &Tx, id: TicketId, user: UserId, now: Time) -> Result<Stored> {
    let mut stored = find(tx, id, user, now)?;
    // Each stands in the place of an earlier one, so this ends.
    while let Some(Verdict::Changed { instead }) = &stored.verdict {
        stored = find(tx, *instead, user, now)?;
    }
    Ok(stored)
}
