//! Step 4: must a person be asked first? (R5, R7)

use super::registry::{Found, Registry};
use crate::{
    app::App,
    model::{
        call::{Call, Done, Outcome, Ticket, TicketId, TicketState},
        error::{Error, Kind, Result},
        spec::Risk,
    },
    store::{
        egress,
        tickets::{Claim, LIFETIME, Verdict, digest},
    },
};
use serde_json::{Value, json};

/// Most characters an error shows of arguments that were changed.
const MAX_SHOWN: usize = 1_000;

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
pub async fn check(app: &App, weighed: &Weighed<'_>) -> Result<Confirmation> {
    if let Some(id) = weighed.call.ticket {
        return collect(app, weighed, id).await.map(Confirmation::Settled);
    }
    match reason(app, weighed).await? {
        None => Ok(Confirmation::Proceed),
        Some(reason) => {
            let ticket = app.tickets.ask(question(app, weighed, reason), &weighed.call.caller).await?;
            Ok(Confirmation::Settled(Outcome::Confirm(Box::new(ticket))))
        }
    }
}

/// Why a person must be asked, if so. Fails where nothing could come of it.
pub async fn reason(app: &App, weighed: &Weighed<'_>) -> Result<Option<String>> {
    let reason = cause(app, weighed).await?;
    if reason.is_some() {
        weighed.found.tool.demand(weighed.arguments, &weighed.call.caller, weighed.registry)?;
    }
    Ok(reason)
}

async fn cause(app: &App, weighed: &Weighed<'_>) -> Result<Option<String>> {
    let Weighed { call, found, registry, arguments, risk, tainted } = weighed;
    if let Some(reason) = found.tool.asks_because(arguments, &app.settings.get(), registry) {
        return Ok(Some(reason));
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

fn question(app: &App, weighed: &Weighed<'_>, reason: String) -> Ticket {
    let now = app.clock.now();
    Ticket {
        id: TicketId::new(),
        user: weighed.call.caller.user,
        topic: weighed.call.topic,
        tool: weighed.found.tool.spec().id(),
        asked_as: weighed.found.name().to_owned(),
        arguments: weighed.arguments.clone(),
        risk: weighed.risk,
        reason,
        state: TicketState::Pending,
        created_at: now,
        expires_at: now.after(LIFETIME),
    }
}

async fn collect(app: &App, weighed: &Weighed<'_>, id: TicketId) -> Result<Outcome> {
    let call = weighed.call;
    let tool = weighed.found.tool.spec().id();
    let digest = digest(&tool, weighed.arguments);
    let claim = Claim { id, user: call.caller.user, topic: call.topic, digest };
    let (ticket, verdict) = app.tickets.collect(claim, app.clock.now()).await?;
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
        Verdict::Ran { mut output, duration_ms, executed } => {
            if let Some(alias) = found.alias() {
                output.data = alias.project(output.data);
            }
            let done = Done { call: call.id, tool: ticket.tool.clone(), output, duration_ms, executed };
            Ok(Outcome::Done(Box::new(done)))
        }
        Verdict::Failed { kind, mut message, tools_own, outside, executed } => {
            let details = executed.map(|executed| {
                let shown: String = executed.to_string().chars().take(MAX_SHOWN).collect();
                message = format!("{message} The person had changed the arguments to {shown}");
                json!({"executed_arguments": executed})
            });
            let error = Error::new(kind, message);
            let error = if tools_own { error.of_tool() } else { error };
            let error = outside.into_iter().fold(error, Error::from_outside);
            Err(details.into_iter().fold(error, Error::with_details))
        }
        Verdict::Refused { reason } => {
            let why = reason.map_or_else(String::new, |r| format!(" Their reason: {r}"));
            Err(Error::new(Kind::Denied, format!("The person refused this call. Nothing was run.{why}")))
        }
    }
}
