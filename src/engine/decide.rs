//! A person's decision on a ticket: approving runs it, once, with exactly the arguments they saw or changed.

use std::time::Instant;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    invoker::{Approval, Invoker},
    record::{names_only, redact},
    rehearse,
    run::Stops,
};
use crate::{
    model::{
        audit::{AuditOutcome, Event, EventType},
        call::{Approved, Call, Decision, Done, Edit, Outcome, Ticket, TicketId, TicketState},
        caller::{Caller, Credential},
        conversation::ConversationId,
        error::{Error, Result},
        json::canonical,
        question::Question,
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
    /// The question they make, where they make another one.
    pub question: Option<String>,
    /// Do not ask again for this tool in this conversation. Never for destructive ones.
    pub for_conversation: bool,
}

/// What a call would ask.
struct Asked {
    question: Question,
    risk: Risk,
}

/// Fails where something would be destroyed that the person did not say yes to: they saw the name of another thing, or
/// that nothing is destroyed. `answered` is the question they saw besides the ticket's.
fn ensure_answered(ticket: &Ticket, answered: Option<&str>, asked: &Asked) -> Result<()> {
    let seen = answered.or_else(|| (ticket.risk == Risk::Destructive).then_some(ticket.question.as_str()));
    let Asked { question: Question { text, subject }, risk } = asked;
    if *risk < Risk::Destructive || seen == Some(text.as_str()) {
        return Ok(());
    }
    let told =
        format!("These arguments ask something else: {text} Nothing was run. Decide again with this `question`.");
    Err(Error::conflict(told).with_details(json!({"question": text, "subject": subject, "risk": risk})))
}

impl Invoker {
    /// Decides a ticket. Only the person it is addressed to can, and no program for him. `unheard` fires when the person
    /// has gone: an approved call that only reads ends then.
    pub async fn decide(
        &self,
        id: TicketId,
        answer: Answer,
        person: &Caller,
        unheard: CancellationToken,
    ) -> Result<(Ticket, Verdict)> {
        if matches!(person.credential, Credential::Key(_)) {
            return Err(Error::denied("A person decides this, signed in at the console: an API key cannot."));
        }
        let (this, person) = (self.clone(), person.clone());
        // In a task of its own: what is approved is run and settled, whether the person's page is still open or not.
        let deciding = async move {
            match answer.decision {
                Decision::Approve => this.approve(id, answer, &person, unheard).await,
                Decision::Deny => this.deny(id, answer.reason, &person).await,
            }
        };
        self.app.tracker.spawn_on(deciding, &self.app.runtime).await.map_err(Error::internal)?
    }

    /// Stops the approved calls of a conversation that are under way.
    pub fn stop_approved(&self, topic: ConversationId) {
        self.approved.stop(topic);
    }

    /// Refuses, and writes down who did and why: the row of the question only says that it was asked.
    async fn deny(&self, id: TicketId, reason: Option<String>, person: &Caller) -> Result<(Ticket, Verdict)> {
        let now = self.app.clock.now();
        let (ticket, asker) = self.app.tickets.refuse(id, person.user, reason.clone(), now).await?;
        let arguments = match self.registry().find(&ticket.tool) {
            Ok(found) => redact(&ticket.arguments, found.tool.private_arguments()),
            Err(_) => names_only(&ticket.arguments),
        };
        let row = Event { arguments, ..refused(&ticket, reason.as_deref(), person) };
        self.app.audit.append(Event { time: now, call_id: asker.call, ..row }).await?;
        Ok((ticket, Verdict::Refused { reason }))
    }

    async fn approve(
        &self,
        id: TicketId,
        answer: Answer,
        person: &Caller,
        unheard: CancellationToken,
    ) -> Result<(Ticket, Verdict)> {
        let now = self.app.clock.now();
        let (ticket, asker) = self.app.tickets.get_with_asker(id, person.user, now).await?;
        let asker = self.narrowed(asker).await?;
        let approved = match answer.params {
            // Before the ticket is used up: what cannot run can be put right.
            Some(given) => {
                let changed = self.changed(&ticket, given)?;
                if let Some(asked) = self.asked_of(&ticket, asker.clone(), &changed, person).await? {
                    ensure_answered(&ticket, answer.question.as_deref(), &asked)?;
                }
                changed
            }
            None => Approved::default(),
        };
        let approved = Approved { approved_by: Some(person.username.clone()), ..approved };
        let under_way = self.approved.enter(&ticket);
        let (ticket, _) = self.app.tickets.take(id, person.user, approved.clone(), now).await?;
        if answer.for_conversation
            && ticket.risk < Risk::Destructive
            && let Some(topic) = ticket.topic
            && let Err(error) = self.app.tickets.approve_for(topic, ticket.tool.clone()).await
        {
            // The ticket is taken, and its call is run all the same: the next one asks again.
            tracing::warn!(?error, "an approval for a whole conversation could not be kept");
        }
        let stops = Stops { asked: under_way.stop.clone(), unheard };
        let verdict = self.run_approved(&ticket, asker, ApprovedRun { approved, stops }, person).await;
        self.app.tickets.finish(id, verdict.clone()).await?;
        Ok((Ticket { state: TicketState::Done, ..ticket }, verdict))
    }

    /// Who asked, with what their key is granted now. Fails where it was revoked.
    async fn narrowed(&self, asker: Asker) -> Result<Asker> {
        let Some(id) = asker.key else { return Ok(asker) };
        let key = self.app.people.key(id).await?.ok_or_else(|| {
            Error::conflict("The key that asked this was revoked since. Nothing was run: refuse it, and ask anew.")
        })?;
        let permissions = asker.permissions.intersect(&key.permissions);
        Ok(Asker { permissions, personal: asker.personal && key.personal, ..asker })
    }

    /// The person's arguments in place of those asked for; empty where it comes to the same.
    fn changed(&self, ticket: &Ticket, given: Value) -> Result<Approved> {
        let given = match self.registry().find(&ticket.tool) {
            Ok(found) => found.own_arguments(given)?,
            // Running it says that the tool is gone.
            Err(_) => given,
        };
        if canonical(&given) == canonical(&ticket.arguments) {
            return Ok(Approved::default());
        }
        let edited = Edit::between(&ticket.arguments, &given);
        Ok(Approved { executed: Some(given), edited, ..Approved::default() })
    }

    /// What a ticket asks with the arguments that a person put in place of its own; `None` if it can no longer be taken.
    /// Fails where they could not run.
    async fn asked_of(
        &self,
        ticket: &Ticket,
        asker: Asker,
        approved: &Approved,
        person: &Caller,
    ) -> Result<Option<Asked>> {
        // A ticket that was decided meanwhile, and a tool that is gone, say so when it is taken and run.
        let (TicketState::Pending, Ok(found)) = (ticket.state, self.registry().find(&ticket.tool)) else {
            return Ok(None);
        };
        let Some(given) = &approved.executed else {
            let question = Question { text: ticket.question.clone(), subject: ticket.subject.clone() };
            return Ok(Some(Asked { question, risk: ticket.risk }));
        };
        let call = approved_call(ticket, asker, approved, person);
        let question = rehearse::question(self, &call, &found, given).await?;
        Ok(Some(Asked { question, risk: found.tool.risk_with(given, &self.registry())? }))
    }

    /// Runs a ticket's call under the id it was asked with, with the arguments the person put in place of its own.
    async fn run_approved(&self, ticket: &Ticket, asker: Asker, run: ApprovedRun, person: &Caller) -> Verdict {
        let ApprovedRun { approved, stops } = run;
        let call = approved_call(ticket, asker, &approved, person);
        let approved = Approved { call: Some(call.id), ..approved };
        if let Err(error) = self.agree(ticket, &call).await {
            return failed(&error, approved, Instant::now());
        }
        let approval = Approval { by: person.username.clone(), edited: approved.edited.clone(), up_to: None };
        let started = Instant::now();
        match self.start(call, Some(approval), stops).await.outcome {
            Ok(Outcome::Done(done)) => {
                let Done { output, duration_ms, handle, .. } = *done;
                Verdict::Ran { output, duration_ms, approved, handle }
            }
            Ok(Outcome::Confirm(_)) => failed(&Error::internal("an approved call asked again"), approved, started),
            Err(error) => failed(&error, approved, started),
        }
    }
}

/// What a person approved, and what ends its run early.
struct ApprovedRun {
    approved: Approved,
    stops: Stops,
}

/// The call a ticket stands for, with the rights its asker had then and its approver has now.
fn approved_call(ticket: &Ticket, asker: Asker, approved: &Approved, person: &Caller) -> Call {
    let caller = Caller {
        user: ticket.user,
        username: asker.username,
        permissions: asker.permissions.intersect(&person.permissions),
        door: asker.door,
        credential: person.credential,
        personal: asker.personal,
    };
    let params = approved.executed.clone().unwrap_or_else(|| ticket.arguments.clone());
    let id = asker.call.unwrap_or_default();
    Call { id, topic: ticket.topic, ..Call::new(caller, ticket.tool.clone(), params) }
}

/// The row of a refusal, without its moment, its arguments and the call it refuses.
fn refused(ticket: &Ticket, reason: Option<&str>, person: &Caller) -> Event {
    Event {
        time: Time::from_millis(0),
        event_type: EventType::ToolInvocation,
        user_id: Some(person.user),
        user: person.username.clone(),
        topic: ticket.topic,
        tool: Some(ticket.tool.clone()),
        door: person.door,
        action: "refuse".to_owned(),
        arguments: json!({}),
        risk: Some(ticket.risk),
        outcome: AuditOutcome::Refused,
        error: reason.map(str::to_owned),
        duration_ms: None,
        call_id: None,
        approved_by: None,
        edited: Vec::new(),
    }
}

fn failed(error: &Error, approved: Approved, started: Instant) -> Verdict {
    Verdict::Failed {
        kind: error.kind(),
        message: error.message().to_owned(),
        details: error.details().cloned(),
        tools_own: error.is_tools_own(),
        outside: error.outside().map(str::to_owned),
        approved,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}
