//! Step 4: must a person be asked first? (R5, R7)

use super::{
    invoker::Invoker,
    record::Record,
    registry::{Found, Registry},
    rehearse,
};
use crate::{
    app::App,
    model::{
        call::{Call, Done, Outcome, Ticket, TicketId, TicketState},
        error::{Error, Kind, Result},
        question::Question,
        spec::Risk,
    },
    store::{
        egress,
        tickets::{Asker, Claim, LIFETIME, Verdict, digest},
    },
};
use serde_json::{Value, json};

/// Under what an error's details name the risk of a call that could not ask.
const UNASKED: &str = "unasked_risk";

/// Why a call is asked about, whatever its risk, that would carry what came from outside to other people's agents.
const FOR_EVERYBODY: &str = "It changes what others' agents read, and content from outside is in this conversation.";

/// What this step decides.
pub enum Confirmation {
    /// Run it.
    Proceed,
    /// This is what comes of the call: a question, or the result of one that was answered.
    Settled(Outcome),
}

/// A call whose arguments are valid and whose risk is known.
pub struct Weighed<'a> {
    /// What the door built.
    pub call: &'a Call,
    /// The tool it means.
    pub found: &'a Found,
    /// The tools there are.
    pub registry: &'a Registry,
    /// The tool's own arguments.
    pub arguments: &'a Value,
    /// How risky exactly this call is.
    pub risk: Risk,
    /// Whether content from outside is in its conversation.
    pub tainted: bool,
}

/// Lets the call through, asks, or answers with what came of an earlier question.
pub(super) async fn check(invoker: &Invoker, weighed: &Weighed<'_>, record: &mut Record) -> Result<Confirmation> {
    let app: &App = &invoker.app;
    if let Some(id) = weighed.call.ticket {
        return collect(app, weighed, id, record).await.map(Confirmation::Settled);
    }
    match asked(invoker, weighed).await? {
        None => Ok(Confirmation::Proceed),
        Some((reason, _)) if !weighed.call.attended => Err(cannot_ask(weighed, &reason)),
        Some((reason, question)) => {
            let ticket =
                app.tickets.ask(ticket(app, weighed, reason, question), Asker::from_call(weighed.call)).await?;
            Ok(Confirmation::Settled(Outcome::Confirm(Box::new(ticket))))
        }
    }
}

/// The risk of a call that was refused because nobody can be asked in its place, where that is why.
pub(super) fn unasked_risk(error: &Error) -> Option<&str> {
    error.details()?.get(UNASKED)?.as_str()
}

/// Approved by itself it would run outside of what made it: nobody is asked.
fn cannot_ask(weighed: &Weighed<'_>, reason: &str) -> Error {
    let tool = weighed.found.name();
    let told = format!("{tool} asks a person before this, and here nobody can be asked: {reason} Nothing was done.");
    Error::denied(told).with_details(json!({UNASKED: weighed.risk.as_str()}))
}

/// Why a person must be asked, if so, and what. Fails where nothing could come of it.
pub async fn asked(invoker: &Invoker, weighed: &Weighed<'_>) -> Result<Option<(String, Question)>> {
    let Some(reason) = cause(&invoker.app, weighed).await? else { return Ok(None) };
    let question = rehearse::question(invoker, weighed.call, weighed.found, weighed.arguments).await?;
    Ok(Some((reason, question)))
}

async fn cause(app: &App, weighed: &Weighed<'_>) -> Result<Option<String>> {
    let Weighed { call, found, registry, arguments, risk, tainted } = weighed;
    if let Some(reason) = found.tool.asks_because(arguments, &app.settings.get(), registry) {
        return Ok(Some(reason));
    }
    if *tainted && found.tool.is_for_everybody() {
        return Ok(Some(FOR_EVERYBODY.to_owned()));
    }
    match risk {
        Risk::Read | Risk::LowWrite => new_host(app, weighed).await,
        Risk::Destructive => Ok(Some("It is destructive: that is always asked.".to_owned())),
        Risk::HighWrite if *tainted => {
            Ok(Some("It is high write, and content from outside is in this conversation.".to_owned()))
        }
        Risk::HighWrite if call.caller.permissions.is_all() => Ok(None),
        Risk::HighWrite => {
            let approved = match call.topic {
                Some(topic) => app.tickets.approved_for(topic, found.tool.spec().id()).await?,
                None => false,
            };
            Ok((!approved).then(|| "It is high write, and you do not hold the permission '*'.".to_owned()))
        }
    }
}

/// What came from outside may want to carry something out: to a host of its own choice, in an address.
async fn new_host(app: &App, weighed: &Weighed<'_>) -> Result<Option<String>> {
    let Weighed { call, found, registry, arguments, tainted, .. } = weighed;
    let (true, Some(topic)) = (*tainted, call.topic) else { return Ok(None) };
    let hosts = found.tool.hosts_of(arguments, registry);
    if hosts.is_empty() || app.tickets.approved_for(topic, found.tool.spec().id()).await? {
        return Ok(None);
    }
    app.egress.settle().await;
    for host in hosts {
        if !egress::has_reached(&app.db, topic, host.clone()).await? {
            return Ok(Some(format!(
                "It reaches '{host}', which this conversation has not yet, and content from outside is in it."
            )));
        }
    }
    Ok(None)
}

fn ticket(app: &App, weighed: &Weighed<'_>, reason: String, question: Question) -> Ticket {
    let now = app.clock.now();
    Ticket {
        id: TicketId::new(),
        user: weighed.call.caller.user,
        topic: weighed.call.topic,
        tool: weighed.found.tool.spec().id(),
        asked_as: weighed.found.name().to_owned(),
        arguments: weighed.arguments.clone(),
        risk: weighed.risk,
        question: question.text,
        subject: question.subject,
        reason,
        state: TicketState::Pending,
        created_at: now,
        expires_at: now.after(LIFETIME),
    }
}

async fn collect(app: &App, weighed: &Weighed<'_>, id: TicketId, record: &mut Record) -> Result<Outcome> {
    let call = weighed.call;
    let tool = weighed.found.tool.spec().id();
    let digest = digest(&tool, weighed.arguments);
    let claim = Claim { id, user: call.caller.user, topic: call.topic, digest };
    let (ticket, verdict) = app.tickets.collect(claim, app.clock.now()).await?;
    // Its run has a row, or its refusal; so has the question.
    if ticket.state != TicketState::Expired {
        record.collected();
    }
    match verdict {
        Some(verdict) => outcome(&ticket, weighed.found, call, verdict),
        None if ticket.state == TicketState::Expired => {
            Err(Error::conflict("This question expired before it was answered: nothing was run. Ask again."))
        }
        None => Ok(Outcome::Confirm(Box::new(ticket))),
    }
}

fn outcome(ticket: &Ticket, found: &Found, call: &Call, verdict: Verdict) -> Result<Outcome> {
    match verdict {
        Verdict::Ran { mut output, duration_ms, approved, handle } => {
            if let Some(alias) = found.alias() {
                output.data = alias.project(output.data);
            }
            let id = approved.call.unwrap_or(call.id);
            let done = Done { call: id, tool: ticket.tool.clone(), output, duration_ms, approved, handle };
            Ok(Outcome::Done(Box::new(done)))
        }
        Verdict::Failed { kind, message, tools_own, outside, details, approved, duration_ms } => {
            let error = Error::new(kind, message);
            let error = if tools_own { error.of_tool() } else { error };
            let error = outside.into_iter().fold(error, Error::from_outside);
            let error = details.into_iter().fold(error, Error::with_details);
            Err(error.after_approval(approved, duration_ms))
        }
        Verdict::Refused { reason } => {
            let why = reason.map_or_else(String::new, |r| format!(" Their reason: {r}"));
            Err(Error::new(Kind::Denied, format!("The person refused this call. Nothing was run.{why}")))
        }
    }
}
