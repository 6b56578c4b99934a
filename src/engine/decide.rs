//! A person's decision on a ticket: approving runs it, once, with exactly the arguments he saw or changed.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::invoker::{Approval, Invoker};
use crate::{
    model::{
        call::{Call, CallId, Decision, Outcome, Ticket, TicketId},
        caller::{Caller, Credential},
        error::{Error, Result},
        spec::Risk,
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
        let now = self.app.clock.now();
        if answer.decision == Decision::Deny {
            let ticket = self.app.tickets.refuse(id, person.user, answer.reason.clone(), now).await?;
            return Ok((ticket, Verdict::Refused { reason: answer.reason }));
        }
        let (ticket, asker) = self.app.tickets.take(id, person.user, now).await?;
        if answer.for_conversation
            && ticket.risk < Risk::Destructive
            && let Some(topic) = ticket.topic
        {
            self.app.tickets.approve_for(topic, ticket.tool.clone()).await?;
        }
        let verdict = self.run_approved(&ticket, asker, answer.params, person).await;
        self.app.tickets.finish(id, verdict.clone()).await?;
        let ticket = self.app.tickets.get(id, person.user, now).await?;
        Ok((ticket, verdict))
    }

    async fn run_approved(&self, ticket: &Ticket, asker: Asker, params: Option<Value>, person: &Caller) -> Verdict {
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
            ..Call::new(caller, ticket.tool.clone(), params.unwrap_or_else(|| ticket.arguments.clone()))
        };
        let approval = Approval { by: person.username.clone(), up_to: None };
        match self.invoke_approved(call, approval, CancellationToken::new()).await {
            Ok(Outcome::Done(done)) => Verdict::Ran { output: done.output, duration_ms: done.duration_ms },
            Ok(Outcome::Confirm(_)) => failed(&Error::internal("an approved call asked again")),
            Err(error) => failed(&error),
        }
    }
}

fn failed(error: &Error) -> Verdict {
    Verdict::Failed { kind: error.kind(), message: error.message().to_owned() }
}
