//! Step 4: must a person be asked first? (R5, R7)

pub(super) mod again;
mod collect;
mod reach;

use super::{
    consent::{self, Unagreed},
    extent::Extent,
    invoker::Invoker,
    record::Record,
    registry::{Found, Registry},
    rehearse,
};
use crate::{
    app::App,
    model::{
        call::{Call, Outcome, Ticket, TicketId, TicketState},
        destination::Destination,
        error::{Error, Result},
        question::Question,
        spec::Risk,
        unseen::{is_unseen, visible},
        warning::warnings,
    },
    store::tickets::{Asker, ConversationApproval, LIFETIME},
};
use serde_json::{Value, json};

pub(super) use reach::ensure_known;

/// Longest scope: one that says more is read by nobody.
const MAX_SCOPE: usize = 300;

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
    /// Scripts it would run that its caller has not agreed to.
    pub(super) unagreed: Vec<Unagreed>,
}

/// What a person is asked, and why.
pub struct Asked {
    /// The rule that asks, in words.
    pub reason: String,
    /// The question.
    pub question: Question,
    /// What a yes for the whole conversation would cover, where there is such a yes.
    scope: Option<String>,
    /// What the yes is bound to.
    extent: Extent,
}

/// Why a person must be asked.
struct Cause {
    reason: String,
    scope: Option<String>,
}

impl Cause {
    /// A rule whose question has no yes for a whole conversation.
    fn once(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), scope: None }
    }
}

/// Lets the call through, asks, or answers with what came of an earlier question.
pub(super) async fn check(invoker: &Invoker, weighed: &Weighed<'_>, record: &mut Record) -> Result<Confirmation> {
    if let Some(id) = weighed.call.ticket {
        return collect::collect(invoker, weighed, id, record).await.map(Confirmation::Settled);
    }
    match asked(invoker, weighed).await? {
        None => Ok(Confirmation::Proceed),
        Some(asked) if !weighed.call.attended => Err(cannot_ask(weighed, &asked.reason)),
        Some(asked) => {
            let asker = Asker::from_call(weighed.call, asked.extent.definition.clone());
            let ticket = invoker.app.tickets.ask(ticket(&invoker.app, weighed, asked), asker).await?;
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
pub async fn asked(invoker: &Invoker, weighed: &Weighed<'_>) -> Result<Option<Asked>> {
    if weighed.unagreed.is_empty() && !may_ask(&invoker.app, weighed) {
        return Ok(None);
    }
    let extent = weighed.extent(&invoker.app).await;
    let Some(Cause { reason, scope }) = cause(&invoker.app, weighed, &extent).await? else { return Ok(None) };
    let question = rehearse::question(invoker, weighed.call, weighed.found, weighed.arguments).await?;
    Ok(Some(Asked { reason, question, scope, extent }))
}

/// Whether anything could ask about the call: what it comes to need not be known of all others.
fn may_ask(app: &App, weighed: &Weighed<'_>) -> bool {
    match weighed.risk {
        Risk::Read | Risk::LowWrite if weighed.tainted => true,
        Risk::HighWrite if weighed.tainted || !weighed.call.caller.permissions.is_all() => true,
        Risk::Destructive => true,
        _ => weighed.asks_because(app).is_some(),
    }
}

async fn cause(app: &App, weighed: &Weighed<'_>, extent: &Extent) -> Result<Option<Cause>> {
    Ok(match (consent::reason(&weighed.unagreed), rule(app, weighed, extent).await?) {
        // A yes to a script's text is kept by itself, and no conversation's yes stands for it.
        (Some(consent), Some(Cause { reason, .. })) => Some(Cause::once(format!("{consent} {reason}"))),
        (Some(consent), None) => Some(Cause::once(consent)),
        (None, cause) => cause,
    })
}

/// The rule that asks, if any does.
async fn rule(app: &App, weighed: &Weighed<'_>, extent: &Extent) -> Result<Option<Cause>> {
    let Weighed { call, risk, tainted, .. } = weighed;
    // A yes opens the places a call reaches, whatever it was asked for.
    let new = reach::unreached(app, weighed, &extent.destinations).await?;
    let once = |rule: &str| Ok(Some(Cause::once([rule, &reach::told(&new).unwrap_or_default()].join(" ").trim_end())));
    if let Some(reason) = weighed.asks_because(app) {
        return once(&reason);
    }
    if *tainted && weighed.found.tool.is_for_everybody() {
        return once(FOR_EVERYBODY);
    }
    match risk {
        Risk::Read | Risk::LowWrite => Ok(new_host(weighed, extent, &new)),
        Risk::Destructive => once("It is destructive: that is always asked."),
        Risk::HighWrite if *tainted => once("It is high write, and content from outside is in this conversation."),
        Risk::HighWrite if call.caller.permissions.is_all() => Ok(None),
        Risk::HighWrite => {
            let scope =
                weighed.found.tool.scope_of(weighed.arguments).and_then(|within| scope(weighed, extent, &within));
            if let Some(approval) = scope.clone().and_then(|scope| weighed.for_conversation(scope, extent))
                && app.tickets.approved_for(approval).await?
            {
                return Ok(None);
            }
            let reason = "It is high write, and you do not hold the permission '*'.".to_owned();
            Ok(Some(Cause { reason, scope }))
        }
    }
}

/// What came from outside may want to carry something out: to a host of its own choice, in an address. No yes for the
/// conversation waives this: a host it has reached is not asked about again, and no other one is covered.
fn new_host(weighed: &Weighed<'_>, extent: &Extent, new: &[Destination]) -> Option<Cause> {
    let reason = reach::told(new)?;
    let scope = if weighed.found.tool.sends_out() { scope(weighed, extent, "") } else { None };
    Some(Cause { reason, scope })
}

/// What a yes for the whole conversation covers, in words. `None` outside a conversation, and where the words would hide
/// something or be read by nobody.
fn scope(weighed: &Weighed<'_>, extent: &Extent, within: &str) -> Option<String> {
    weighed.call.topic?;
    let places: Vec<String> = extent.destinations.iter().map(Destination::to_string).collect();
    let to = if places.is_empty() { String::new() } else { format!("to {}", places.join(", ")) };
    let parts = [weighed.found.tool.spec().name.as_str(), within, &to, "in this conversation"];
    let words = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    (words.chars().count() <= MAX_SCOPE && !words.contains(is_unseen)).then_some(words)
}

impl Weighed<'_> {
    /// What the call comes to.
    pub(super) async fn extent(&self, app: &App) -> Extent {
        Extent::read(app, &self.found.tool, self.arguments, self.registry).await
    }

    fn asks_because(&self, app: &App) -> Option<String> {
        self.found.tool.asks_because(self.arguments, &app.settings.get(), self.registry)
    }

    /// A yes for the whole conversation to calls like this one.
    fn for_conversation(&self, scope: String, extent: &Extent) -> Option<ConversationApproval> {
        Some(ConversationApproval {
            conversation: self.call.topic?,
            tool: self.found.tool.spec().id(),
            scope,
            definition: extent.definition.clone(),
        })
    }
}

fn ticket(app: &App, weighed: &Weighed<'_>, asked: Asked) -> Ticket {
    let now = app.clock.now();
    let Asked { reason, question, scope, .. } = asked;
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
        reason: visible(&reason).into_owned(),
        scope,
        warnings: warnings(weighed.arguments),
        state: TicketState::Pending,
        created_at: now,
        expires_at: now.after(LIFETIME),
    }
}
