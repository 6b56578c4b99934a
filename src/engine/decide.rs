//! A person's decision on a ticket: approving runs it, once, with exactly the arguments he saw or changed.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    invoker::{Approval, Invoker},
    record::redact,
};
use crate::{
    model::{
        audit::{AuditOutcome, Event, EventType},
        call::{Call, CallId, Decision, Outcome, Ticket, TicketId},
        caller::{Caller, Credential},
        error::{Error, Result},
        json::canonical,
        spec::Risk,
        time::Time,
    },
    store::tickets::{Asker, Verdict},
};

/// What a person says to a ticket.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Yes or no.
    pub decision: Decision,
    /// Why not; the model reads it.
    pub reason: Option<String>,
    /// Arguments in place of those asked for.
    pub params: Option<Value>,
    /// Do not ask again for this tool in this conversation. Never for destructive ones.
    pub for_conversation: bool,
}

impl Invoker {
    /// Decides a ticket. Only the person it is addressed to can, and no program for him.
    pub async fn decide(&self, id: TicketId, answer: Answer, person: &Caller) -> Result<(Ticket, Verdict)> {
        if matches!(person.credential, Credential::Key(_)) {
            return Err(Error::denied("A person decides this, signed in at the console: an API key cannot."));
        }
        let (this, person) = (self.clone(), person.clone());
        // In a task of its own: what is approved is run and settled, whether the person's page is still open or not.
        let deciding = async move {
            match answer.decision {
                Decision::Approve => this.approve(id, answer, &person).await,
                Decision::Deny => this.deny(id, answer.reason, &person).await,
            }
        };
        self.app.tracker.spawn_on(deciding, &self.app.runtime).await.map_err(Error::internal)?
    }

    /// Refuses, and writes down who did and why: the row of the question only says that it was asked.
    async fn deny(&self, id: TicketId, reason: Option<String>, person: &Caller) -> Result<(Ticket, Verdict)> {
        let now = self.app.clock.now();
        let ticket = self.app.tickets.refuse(id, person.user, reason.clone(), now).await?;
        let private = self.registry().find(&ticket.tool).map_or(&[][..], |found| found.tool.private_arguments());
        self.app.audit.append(refused(&ticket, reason.as_deref(), person, now, private)).await?;
        Ok((ticket, Verdict::Refused { reason }))
    }

    async fn approve(&self, id: TicketId, answer: Answer, person: &Caller) -> Result<(Ticket, Verdict)> {
        let now = self.app.clock.now();
        let executed = match answer.params {
            // Before the ticket is used up: what cannot run can be put right.
            Some(given) => self.changed(&self.app.tickets.get(id, person.user, now).await?, given)?,
            None => None,
        };
        let (ticket, asker) = self.app.tickets.take(id, person.user, now).await?;
        if answer.for_conversation
            && ticket.risk < Risk::Destructive
            && let Some(topic) = ticket.topic
        {
            self.app.tickets.approve_for(topic, ticket.tool.clone()).await?;
        }
        let verdict = self.run_approved(&ticket, asker, executed, person).await;
        self.app.tickets.finish(id, verdict.clone()).await?;
        let ticket = self.app.tickets.get(id, person.user, now).await?;
        Ok((ticket, verdict))
    }

    /// What the person put in place of the arguments asked for; none where it comes to the same.
    fn changed(&self, ticket: &Ticket, given: Value) -> Result<Option<Value>> {
        let given = match self.registry().find(&ticket.tool) {
            Ok(found) => found.own_arguments(given)?,
            // Running it says that the tool is gone.
            Err(_) => given,
        };
        Ok((canonical(&given) != canonical(&ticket.arguments)).then_some(given))
    }

    /// Runs a ticket's call, with the arguments the person put in place of its own where he has.
    async fn run_approved(&self, ticket: &Ticket, asker: Asker, executed: Option<Value>, person: &Caller) -> Verdict {
        let caller = Caller {
            user: ticket.user,
            username: asker.username,
            permissions: asker.permissions.intersect(&person.permissions),
            door: asker.door,
            credential: person.credential,
        };
        let call = Call {
            id: CallId::new(),
            topic: ticket.topic,
            ..Call::new(caller, ticket.tool.clone(), executed.clone().unwrap_or_else(|| ticket.arguments.clone()))
        };
        let approval = Approval { by: person.username.clone(), up_to: None };
        match self.invoke_approved(call, approval, CancellationToken::new()).await {
            Ok(Outcome::Done(done)) => Verdict::Ran { output: done.output, duration_ms: done.duration_ms, executed },
            Ok(Outcome::Confirm(_)) => failed(&Error::internal("an approved call asked again"), executed),
            Err(error) => failed(&error, executed),
        }
    }
}

fn refused(ticket: &Ticket, reason: Option<&str>, person: &Caller, now: Time, private: &[&str]) -> Event {
    Event {
        time: now,
        event_type: EventType::ToolInvocation,
        user_id: Some(person.user),
        user: person.username.clone(),
        topic: ticket.topic,
        tool: Some(ticket.tool.clone()),
        door: person.door,
        action: format!("refused by {}", person.username),
        arguments: redact(&ticket.arguments, private),
        risk: Some(ticket.risk),
        outcome: AuditOutcome::Refused,
        error: reason.map(str::to_owned),
        duration_ms: None,
        call_id: None,
    }
}

fn failed(error: &Error, executed: Option<Value>) -> Verdict {
    Verdict::Failed {
        kind: error.kind(),
        message: error.message().to_owned(),
        tools_own: error.is_tools_own(),
        outside: error.outside().map(str::to_owned),
        executed,
    }
}
