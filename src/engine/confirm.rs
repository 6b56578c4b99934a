//! Step 4: must a person be asked first? (R5, R7)

pub(super) mod again;
mod collect;
mod reach;
mod within;

use super::{
    consent::{self, PendingConsent},
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

use reach::NewPlaces;
pub(super) use within::ensure_covered;

/// Longest scope: one that says more is read by nobody.
const MAX_SCOPE: usize = 300;

/// The name under which an error's details give the risk of a call that could not ask.
const UNASKED: &str = "unasked_risk";

/// The reason to ask, whatever its risk, about a call that would carry content from outside to other people's agents.
const FOR_EVERYBODY: &str = "It changes what others' agents read, and content from outside is in this conversation.";

/// What this step decides.
pub enum Confirmation {
    /// Run it.
    Proceed,
    /// This is what comes of the call: a question, or the result of one that was answered.
    Settled(Outcome),
}

/// A call whose arguments are valid and whose risk is known.
pub struct AssessedCall<'a> {
    /// The call as the door built it.
    pub call: &'a Call,
    /// The tool it means.
    pub found: &'a Found,
    /// The tools there are.
    pub registry: &'a Registry,
    /// The tool's own arguments.
    pub arguments: &'a Value,
    /// The risk of exactly this call.
    pub risk: Risk,
    /// Whether content from outside is in its conversation.
    pub tainted: bool,
    /// Scripts it would run that its caller has not agreed to yet.
    pub(super) pending: Vec<PendingConsent>,
}

/// A question to a person, and why it is asked.
pub struct Inquiry {
    /// The rule that asks, in words.
    pub reason: String,
    /// The question.
    pub question: Question,
    /// Words of what a yes for the whole conversation would cover, where there is such a yes.
    scope: Option<String>,
    /// The extent that the yes is bound to.
    extent: Extent,
}

/// A reason to ask a person.
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
pub(super) async fn check(invoker: &Invoker, assessed: &AssessedCall<'_>, record: &mut Record) -> Result<Confirmation> {
    if let Some(id) = assessed.call.ticket {
        return collect::collect(invoker, assessed, id, record).await.map(Confirmation::Settled);
    }
    match asked(invoker, assessed).await? {
        None => Ok(Confirmation::Proceed),
        Some(asked) if !assessed.call.attended => Err(cannot_ask(assessed, &asked.reason)),
        Some(asked) => {
            let scripts = consent::texts(&assessed.pending);
            let asker = Asker::from_call(assessed.call, asked.extent.definition.clone(), scripts);
            let ticket = invoker.app.stores.tickets.ask(ticket(&invoker.app, assessed, asked), asker).await?;
            Ok(Confirmation::Settled(Outcome::Confirm(Box::new(ticket))))
        }
    }
}

/// The risk of a call that was refused because nobody can be asked in its place, where that is why.
pub(crate) fn unasked_risk(error: &Error) -> Option<&str> {
    error.details()?.get(UNASKED)?.as_str()
}

/// Approved by itself it would run outside of what made it: nobody is asked.
fn cannot_ask(assessed: &AssessedCall<'_>, reason: &str) -> Error {
    let tool = assessed.found.name();
    let told = format!("{tool} asks a person before this, and here nobody can be asked: {reason} Nothing was done.");
    Error::denied(told).with_details(json!({UNASKED: assessed.risk.as_str()}))
}

/// The question to a person, if one must be asked. Fails where nothing could come of it.
pub async fn asked(invoker: &Invoker, assessed: &AssessedCall<'_>) -> Result<Option<Inquiry>> {
    if assessed.pending.is_empty() && !may_ask(&invoker.app, assessed) {
        return Ok(None);
    }
    let extent = assessed.extent(&invoker.app).await?;
    let Some(Cause { reason, scope }) = cause(&invoker.app, assessed, &extent).await? else { return Ok(None) };
    let question = rehearse::question(invoker, assessed.call, assessed.found, assessed.arguments).await?;
    Ok(Some(Inquiry { reason, question, scope, extent }))
}

/// Whether anything could ask about the call: of all others the extent need not be known.
fn may_ask(app: &App, assessed: &AssessedCall<'_>) -> bool {
    match assessed.risk {
        Risk::Read | Risk::LowWrite if assessed.tainted => true,
        Risk::HighWrite if assessed.tainted || !assessed.call.caller.permissions.is_all() => true,
        Risk::Destructive => true,
        _ => assessed.found.tool.calls_others() || assessed.asks_because(app).is_some(),
    }
}

async fn cause(app: &App, assessed: &AssessedCall<'_>, extent: &Extent) -> Result<Option<Cause>> {
    Ok(match (consent::reason(&assessed.pending), rule(app, assessed, extent).await?) {
        // A yes to a script's text is kept by itself, and no conversation's yes stands for it.
        (Some(consent), Some(Cause { reason, .. })) => Some(Cause::once(format!("{consent} {reason}"))),
        (Some(consent), None) => Some(Cause::once(consent)),
        (None, cause) => cause,
    })
}

/// The rule that asks, if any does.
async fn rule(app: &App, assessed: &AssessedCall<'_>, extent: &Extent) -> Result<Option<Cause>> {
    let AssessedCall { call, risk, tainted, .. } = assessed;
    // A yes opens the places a call reaches, whatever it was asked for. No yes for the conversation waives this: a host it
    // has reached is not asked about again, and no other one is covered.
    let new = NewPlaces::new(app, assessed, extent, &[]).await?.message();
    let everybody = (*tainted && extent.for_everybody).then(|| FOR_EVERYBODY.to_owned());
    let always: Vec<String> = extent.reason().into_iter().chain(everybody).collect();
    let once = |rule: &str| {
        let told: Vec<&str> = [rule].into_iter().chain(new.as_deref()).collect();
        Ok(Some(Cause::once(told.join(" "))))
    };
    if !always.is_empty() {
        return once(&always.join(" "));
    }
    match risk {
        Risk::Read | Risk::LowWrite => Ok(new.map(Cause::once)),
        Risk::Destructive => once("It is destructive: that is always asked."),
        Risk::HighWrite if *tainted => once("It is high write, and content from outside is in this conversation."),
        Risk::HighWrite if call.caller.permissions.is_all() => Ok(None),
        Risk::HighWrite => {
            let scope =
                assessed.found.tool.scope_of(assessed.arguments).and_then(|within| scope(assessed, extent, &within));
            if let Some(approval) = scope.clone().and_then(|scope| assessed.for_conversation(scope, extent))
                && app.stores.tickets.approved_for(approval).await?
            {
                return Ok(None);
            }
            let reason = "It is high write, and you do not hold the permission '*'.".to_owned();
            Ok(Some(Cause { reason, scope }))
        }
    }
}

/// The words of what a yes for the whole conversation covers. `None` outside a conversation, and where the words would hide
/// something or be read by nobody.
fn scope(assessed: &AssessedCall<'_>, extent: &Extent, within: &str) -> Option<String> {
    assessed.call.topic?;
    let places: Vec<String> = extent.places().map(Destination::to_string).collect();
    let to = if places.is_empty() { String::new() } else { format!("to {}", places.join(", ")) };
    let parts = [assessed.found.tool.spec().name.as_str(), within, &to, "in this conversation"];
    let words = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    (words.chars().count() <= MAX_SCOPE && !words.contains(is_unseen)).then_some(words)
}

impl AssessedCall<'_> {
    /// The extent of the call.
    ///
    /// # Errors
    ///
    /// As [`Extent::read`].
    pub(super) async fn extent(&self, app: &App) -> Result<Extent> {
        Extent::read(app, &self.found.tool, self.arguments, self.registry).await
    }

    fn asks_because(&self, app: &App) -> Option<String> {
        self.found.tool.asks_because(self.arguments, &app.settings.get())
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

/// The calls within one that a yes covers, in words: how risky they may get nobody sees in the arguments.
fn within(assessed: &AssessedCall<'_>) -> String {
    match assessed.registry.used_by(&assessed.found.tool).is_empty() {
        true => String::new(),
        false => format!(" A yes covers what it calls, up to {}.", assessed.risk.as_str().replace('_', " ")),
    }
}

fn ticket(app: &App, assessed: &AssessedCall<'_>, asked: Inquiry) -> Ticket {
    let now = app.clock.now();
    let Inquiry { reason, question, scope, .. } = asked;
    Ticket {
        id: TicketId::new(),
        user: assessed.call.caller.user,
        topic: assessed.call.topic,
        tool: assessed.found.tool.spec().id(),
        asked_as: assessed.found.name().to_owned(),
        arguments: assessed.arguments.clone(),
        risk: assessed.risk,
        question: question.text,
        subject: question.subject,
        reason: visible(&format!("{reason}{}", within(assessed))).into_owned(),
        scope,
        warnings: warnings(assessed.arguments),
        state: TicketState::Pending,
        created_at: now,
        expires_at: now.after(LIFETIME),
    }
}
