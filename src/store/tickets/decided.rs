//! Questions that are decided: kept for their person, the newest first.

use super::{Tickets, Verdict, rows::Stored};
use crate::sql::{Bind, Row, like};
use satchel_model::{
    call::{
        TicketId, TicketState,
        decided::{DecidedTicket, Outcome, RuleMade},
    },
    error::{Error, Result},
    time::Time,
    user::UserId,
};

/// The decided questions that are wanted; an empty field asks for all.
#[derive(Debug, Clone, Default)]
pub struct DecidedFilter {
    /// With this end.
    pub outcome: Option<Outcome>,
    /// Of a tool whose name holds this.
    pub tool: Option<String>,
    /// Asked before this one.
    pub before: Option<TicketId>,
}

impl Tickets {
    /// Questions of a person that are decided, or lapsed, as of `now`.
    pub async fn decided(
        &self,
        user: UserId,
        filter: DecidedFilter,
        (now, limit): (Time, u32),
    ) -> Result<Vec<DecidedTicket>> {
        self.db
            .read(move |tx| {
                let (condition, bound) = clause(user, now, &filter);
                let sql = format!(
                    "SELECT t.id, t.person, t.topic, t.tool, t.asked_as, '{{}}' AS arguments, t.digest, t.call, t.risk,
                       t.reason, t.state, t.created_at, t.expires_at, t.decided_at,
                       CASE WHEN octet_length(t.result) <= {READ} THEN t.result END AS result, {FAILED} AS failed,
                       (SELECT c.id FROM conversations c WHERE c.id = t.topic AND c.person = t.person) AS conversation,
                       (SELECT min(r.id) FROM rules r WHERE r.ticket = t.id AND r.person = t.person) AS rule,
                       (SELECT min(r.decision) FROM rules r WHERE r.ticket = t.id AND r.person = t.person) AS rule_decision
                     FROM tickets t WHERE {condition} ORDER BY t.id DESC LIMIT {limit}"
                );
                tx.all(&sql, bound, decided)
            })
            .await
    }
}

/// Bytes of a result of which is told who allowed it; a longer one is not read for that.
const READ: usize = 64 << 10;
/// Holds for a ticket `t` whose call was allowed and failed.
const FAILED: &str = "(t.state = 'done' AND substr(t.result, 1, 9) = '{\"failed\"')";

fn clause(user: UserId, now: Time, filter: &DecidedFilter) -> (String, Vec<Box<dyn Bind>>) {
    let mut conditions = vec!["t.person = ?1".to_owned()];
    let mut bound: Vec<Box<dyn Bind>> = vec![Box::new(user.to_string()), Box::new(now.millis())];
    let lapsed = "t.state = 'pending' AND t.expires_at <= ?2";
    conditions.push(match filter.outcome {
        None => format!("(t.state IN ('running', 'done', 'denied') OR {lapsed})"),
        Some(Outcome::Allowed) => format!("?2 > 0 AND t.state IN ('running', 'done') AND NOT {FAILED}"),
        Some(Outcome::Failed) => format!("?2 > 0 AND {FAILED}"),
        Some(Outcome::Refused) => "?2 > 0 AND t.state = 'denied'".to_owned(),
        Some(Outcome::Expired) => lapsed.to_owned(),
    });
    if let Some(tool) = &filter.tool {
        bound.push(Box::new(like(tool)));
        conditions.push(format!("lower(t.tool) LIKE lower(?{}) ESCAPE '\\'", bound.len()));
    }
    if let Some(before) = filter.before {
        bound.push(Box::new(before.to_string()));
        conditions.push(format!("t.id < ?{}", bound.len()));
    }
    (conditions.join(" AND "), bound)
}

fn decided(row: &Row<'_>) -> Result<DecidedTicket> {
    let conversation: Option<String> = row.get("conversation")?;
    let (rule, decision): (Option<String>, Option<String>) = (row.get("rule")?, row.get("rule_decision")?);
    let (at, has_failed) = (row.optional_time("decided_at")?, row.get("failed")?);
    let Stored { ticket, verdict, running, .. } = Stored::read(row)?;
    let (note, approved) = match verdict {
        Some(Verdict::Ran { approved, .. }) => (None, Some(approved)),
        Some(Verdict::Failed { message, approved, .. }) => (Some(message), Some(approved)),
        Some(Verdict::Refused { reason }) => (reason, None),
        Some(Verdict::Changed { .. }) | None => (None, running),
    };
    let outcome = match ticket.state {
        _ if has_failed => Outcome::Failed,
        TicketState::Denied => Outcome::Refused,
        TicketState::Pending | TicketState::Expired => Outcome::Expired,
        TicketState::Running | TicketState::Done | TicketState::Changed => Outcome::Allowed,
    };
    let decision = decision.map(|word| serde_json::from_value(word.into()).map_err(Error::internal)).transpose()?;
    Ok(DecidedTicket {
        id: ticket.id,
        topic: conversation.map(|id| id.parse()).transpose()?,
        job: ticket.job,
        tool: ticket.tool,
        risk: ticket.risk,
        question: ticket.question,
        reason: ticket.reason,
        outcome,
        note,
        approved_by: approved.as_ref().and_then(|approved| approved.approved_by.clone()),
        edited: approved.map_or(0, |approved| approved.edited.len()),
        rule: rule.zip(decision).map(|(id, decision)| RuleMade { id, decision }),
        created_at: ticket.created_at,
        decided_at: if outcome == Outcome::Expired { Some(ticket.expires_at) } else { at },
    })
}
