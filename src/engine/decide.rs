//! A person's decision on a ticket: approving runs it, once, with exactly the arguments they saw or changed, and while it
//! does what it did when it was asked about.

mod now;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use backon::{ExponentialBuilder, Retryable};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    approval::{Approval, To},
    authorise, changed,
    invoker::Invoker,
    record::{names_only, redact},
    rehearse,
    run::Stops,
};
use satchel_model::{
    audit::{AuditOutcome, Event, EventType},
    call::{Approved, Call, Decision, Done, Edit, Outcome, Ticket, TicketId, TicketState, ToolWords},
    caller::{Caller, Credential},
    conversation::ConversationId,
    definition::Definition,
    error::{Error, Result},
    id::Id,
    json::canonical,
    question::Question,
    spec::Risk,
    time::Time,
    user::ApiKey,
};
use satchel_share::behalf;
use satchel_store::tickets::{Asker, ConversationApproval, Verdict};

/// Longest pause before the result of an approved call is written again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

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
    /// Do not ask again in this conversation about what the ticket's scope says. Refused where it has none.
    pub for_conversation: bool,
}

/// Fails where something would be destroyed that the person did not say yes to: they saw the name of another thing, or
/// that nothing is destroyed. `answered` is the question they saw besides the ticket's.
fn ensure_answered(ticket: &Ticket, answered: Option<&str>, question: &Question, risk: Risk) -> Result<()> {
    let seen = answered.or_else(|| (ticket.risk == Risk::Destructive).then_some(ticket.question.as_str()));
    let Question { text, subject } = question;
    if risk < Risk::Destructive || seen == Some(text.as_str()) {
        return Ok(());
    }
    let told =
        format!("These arguments ask something else: {text} Nothing was run. Decide again with this `question`.");
    Err(Error::conflict(told).with_details(json!({"question": text, "subject": subject, "risk": risk})))
}

impl Invoker {
    /// Decides a ticket. Only the person it is addressed to can; a program can for its own calls, where its owner has let
    /// its key. `unheard` fires when the person has gone: an approved call that only reads ends then. Where what it asks
    /// about has been changed, nothing is run, and the verdict names the question in its place.
    pub async fn decide(
        &self,
        id: TicketId,
        answer: Answer,
        person: &Caller,
        unheard: CancellationToken,
    ) -> Result<(Ticket, Verdict)> {
        let person = match person.credential {
            Credential::Key(key) => self.by_key(id, key, person).await?,
            Credential::Session | Credential::Local => person.clone(),
        };
        let (this, person_id) = (self.clone(), person.user);
        // In a task of its own: what is approved is run and settled, whether the person's page is still open or not.
        let deciding = async move {
            match answer.decision {
                Decision::Approve => this.approve(id, answer, &person, unheard).await,
                Decision::Deny => this.deny(id, answer.reason, &person).await,
            }
        };
        let deciding = behalf::run_as(Some(person_id), deciding);
        self.app.lifecycle.tracker.spawn_on(deciding, &self.app.lifecycle.runtime).await.map_err(Error::internal)?
    }

    /// The person on whose behalf a program answers the questions of its own calls, named with the key. Fails where its
    /// owner has not given it their say, or another program asked.
    async fn by_key(&self, id: TicketId, key: Id<ApiKey>, caller: &Caller) -> Result<Caller> {
        let refused = || Error::denied("A person decides this, signed in at the console: an API key cannot.");
        let known = self.app.stores.people.key(key).await?.filter(|known| known.user == caller.user);
        let known = known.filter(|known| known.terms.approves).ok_or_else(refused)?;
        let (_, asker) = self.app.stores.tickets.get_with_asker(id, caller.user, self.app.clock.now()).await?;
        if asker.key != Some(key) {
            return Err(refused());
        }
        // Their person's rights as they are now: the question may have waited longer than they had them.
        let now = self.app.stores.people.permissions_of(caller.user).await?;
        let permissions = caller.permissions.intersect(&known.permissions).intersect(&now);
        Ok(Caller {
            permissions,
            username: format!("{}, by the key “{}”", caller.username, known.name),
            ..caller.clone()
        })
    }

    /// Stops the approved calls of a conversation that are under way.
    pub fn stop_approved(&self, topic: ConversationId) {
        self.approved.stop(topic);
    }

    /// Refuses, and writes down who did and why: the row of the question only says that it was asked.
    async fn deny(&self, id: TicketId, reason: Option<String>, person: &Caller) -> Result<(Ticket, Verdict)> {
        let now = self.app.clock.now();
        let (ticket, asker) = self.app.stores.tickets.refuse(id, person.user, reason.clone(), now).await?;
        let arguments = match self.registry().find(&ticket.tool) {
            Ok(found) => redact(&ticket.arguments, found.tool.private_arguments()),
            Err(_) => names_only(&ticket.arguments),
        };
        let row = decision_row(&ticket, person, "refuse", AuditOutcome::Refused);
        let row = Event { arguments, error: reason.clone(), ..row };
        self.app.stores.audit.append(Event { time: now, call_id: asker.call, ..row }).await?;
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
        let (ticket, asker) = self.app.stores.tickets.get_with_asker(id, person.user, now).await?;
        let asker = self.narrowed(asker).await?;
        if let Some(asked_anew) = self.ask_anew(&ticket, &asker, person).await? {
            return Ok(asked_anew);
        }
        // Before the ticket is used up: what cannot run can be put right.
        let terms = self.terms(&ticket, &asker, &answer, person).await?;
        let standing = standing(&ticket, &answer, &terms)?;
        let approved = Approved { approved_by: Some(person.username.clone()), ..terms.approved };
        let under_way = self.approved.enter(&ticket);
        let (ticket, _) = self.app.stores.tickets.take(id, person.user, approved.clone(), now).await?;
        if let Some(standing) = standing
            && let Err(error) = self.app.stores.tickets.approve_for(standing).await
        {
            // The ticket is taken, and its call is run all the same: the next one asks again.
            tracing::warn!(?error, "an approval for a whole conversation could not be kept");
        }
        let stops = Stops { asked: under_way.stop.clone(), unheard };
        let terms = Terms { approved, ..terms };
        let verdict = self.run_approved(&ticket, asker, ApprovedRun { terms, stops }, person).await;
        if let Err(error) = self.app.stores.tickets.finish(id, verdict.clone()).await {
            // The call has run, and its person is told what came of it.
            tracing::error!(?error, ticket = %id, "what came of an approved call could not be kept yet");
            self.finish_later(id, verdict.clone());
        }
        Ok((Ticket { state: TicketState::Done, ..ticket }, verdict))
    }

    /// Keeps what came of a ticket once the database takes it, for instance when a full disk has room again. Until then
    /// the ticket counts as running, and a start that finds it so says that its call may have taken effect.
    fn finish_later(&self, id: TicketId, verdict: Verdict) {
        let app = Arc::clone(&self.app);
        let pauses = ExponentialBuilder::default().with_max_delay(LONGEST_PAUSE).with_jitter().without_max_times();
        let keep = async move {
            let finish = || app.stores.tickets.finish(id, verdict.clone());
            tokio::select! {
                () = app.lifecycle.shutdown.cancelled() => {}
                _ = finish.retry(pauses) => {}
            }
        };
        self.app.lifecycle.tracker.spawn_on(keep, &self.app.lifecycle.runtime);
    }

    /// The terms of a person's yes. Fails where the call could not run, or would destroy what they did not see.
    async fn terms(&self, ticket: &Ticket, asker: &Asker, answer: &Answer, person: &Caller) -> Result<Terms> {
        let as_asked = |approved| Terms { approved, up_to: ticket.risk, definition: asker.definition.clone() };
        let Some(given) = answer.params.clone() else { return Ok(as_asked(Approved::default())) };
        let changed = self.changed(ticket, given)?;
        // A ticket that was decided meanwhile says so when it is taken.
        if ticket.state != TicketState::Pending {
            return Ok(as_asked(changed));
        }
        let answered = answer.question.as_deref();
        let Some(given) = &changed.executed else {
            let question = Question { text: ticket.question.clone(), subject: ticket.subject.clone() };
            ensure_answered(ticket, answered, &question, ticket.risk)?;
            return Ok(as_asked(changed));
        };
        let now = self.now(&ticket.tool, given, ticket.user).await?;
        let (call, settings) = (approved_call(ticket, asker.clone(), &changed, person), self.app.settings.get());
        authorise::check(&now.found.tool, &call.caller, &settings, &self.policy(&call.situation))?;
        now.found.tool.check_available(&settings)?;
        let question = rehearse::question(&self.pipeline(), &call, &now.found, &now.prepared).await?;
        ensure_answered(ticket, answered, &question, now.prepared.risk)?;
        Ok(Terms { approved: changed, up_to: now.prepared.risk, definition: Some(now.extent.definition) })
    }

    /// The asker, with what their key is granted now. Fails where it was revoked.
    async fn narrowed(&self, asker: Asker) -> Result<Asker> {
        let Some(id) = asker.key else { return Ok(asker) };
        let key = self.app.stores.people.key(id).await?.ok_or_else(|| {
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

    /// Runs a ticket's call under the id it was asked with, with the arguments the person put in place of its own.
    async fn run_approved(&self, ticket: &Ticket, asker: Asker, run: ApprovedRun, person: &Caller) -> Verdict {
        let ApprovedRun { terms: Terms { approved, up_to, definition }, stops } = run;
        let scripts = asker.scripts.clone();
        let call = approved_call(ticket, asker, &approved, person);
        let approved = Approved { call: Some(call.id), ..approved };
        let started = Instant::now();
        // Nobody knows what was asked about.
        let Some(definition) = definition else { return failed(&changed::refusal(), approved, started) };
        let (by, edited) = (person.username.clone(), approved.edited.clone());
        let approval = Approval { by, edited, up_to, to: To::This { definition, scripts } };
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

/// The terms of a person's yes.
struct Terms {
    approved: Approved,
    /// The highest risk it covers.
    up_to: Risk,
    /// The digest of what it does.
    definition: Option<Definition>,
}

/// What a person approved, and what ends its run early.
struct ApprovedRun {
    terms: Terms,
    stops: Stops,
}

/// The yes for a whole conversation that goes with an answer, if one does. Fails where the question has none, and where
/// it would cover other arguments than those the question was about.
fn standing(ticket: &Ticket, answer: &Answer, terms: &Terms) -> Result<Option<ConversationApproval>> {
    if !answer.for_conversation {
        return Ok(None);
    }
    if terms.approved.executed.is_some() {
        return Err(Error::invalid(
            "Changed arguments are approved once: leave 'for_conversation' out. Nothing was run.",
        ));
    }
    let (Some(conversation), Some(scope), Some(definition)) = (ticket.topic, &ticket.scope, &terms.definition) else {
        let told = "This question has no yes for the whole conversation: approve it without 'for_conversation'. Nothing was run.";
        return Err(Error::invalid(told));
    };
    let (tool, scope, definition) = (ticket.tool.clone(), scope.clone(), definition.clone());
    Ok(Some(ConversationApproval { conversation, tool, scope, definition }))
}

/// The call a ticket stands for, with the rights its asker had then and its approver has now. A program's call stays one.
fn approved_call(ticket: &Ticket, asker: Asker, approved: &Approved, person: &Caller) -> Call {
    let caller = Caller {
        user: ticket.user,
        username: asker.username,
        permissions: asker.permissions.intersect(&person.permissions),
        door: asker.door,
        credential: asker.key.map_or(person.credential, Credential::Key),
        personal: asker.personal,
        agent: asker.agent,
    };
    let params = approved.executed.clone().unwrap_or_else(|| ticket.arguments.clone());
    let id = asker.call.unwrap_or_default();
    let Asker { origin, situation, .. } = asker;
    let (topic, job) = (ticket.topic, ticket.job.clone());
    // In a conversation nothing else is with the question: what was read stands there.
    let words = topic.and(origin.clone()).map(|origin| ToolWords { origin, of_called: false });
    Call { id, topic, job, origin, tool_words: words, situation, ..Call::new(caller, ticket.tool.clone(), params) }
}

/// The row of a decision that runs nothing, without its moment, its reason, its arguments and the call it is about.
fn decision_row(ticket: &Ticket, person: &Caller, action: &str, outcome: AuditOutcome) -> Event {
    Event {
        user_id: Some(person.user),
        user: person.username.clone(),
        topic: ticket.topic,
        tool: Some(ticket.tool.clone()),
        risk: Some(ticket.risk),
        outcome,
        ..Event::new(Time::from_millis(0), EventType::ToolInvocation, person.door, action)
    }
}

fn failed(error: &Error, approved: Approved, started: Instant) -> Verdict {
    Verdict::Failed {
        kind: error.kind(),
        message: error.message().to_owned(),
        details: error.details().cloned(),
        tools_own: error.is_tools_own(),
        outside: error.outside().map(|(place, _)| place.to_owned()),
        outside_at: error.outside().and_then(|(_, at)| at),
        approved,
        duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}
