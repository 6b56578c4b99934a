//! The rules that ask a person about a call.

use super::{assessed::AssessedCall, reach::NewPlaces};
use crate::{consent, extent::Extent, prepared::PreparedCall};
use satchel_app::App;
use satchel_model::{
    destination::Destination,
    error::Result,
    rule::{Rule, canonical, conditions},
    spec::Risk,
    unseen::is_unseen,
};
use satchel_store::tickets::ConversationApproval;

/// Longest scope: one that says more is read by nobody.
const MAX_SCOPE: usize = 300;

/// A reason to ask a person.
pub(super) struct Cause {
    pub(super) reason: String,
    pub(super) scope: Option<String>,
    /// Whether a rule for arguments would spare such questions.
    pub(super) always: bool,
}

impl Cause {
    /// A rule whose question has no yes for a whole conversation.
    fn once(reason: impl Into<String>, always: bool) -> Self {
        Self { reason: reason.into(), scope: None, always }
    }
}

/// The say of the rules on a call.
pub(super) enum Ruling<'a> {
    /// Nothing asks.
    Pass,
    /// A rule for arguments spares the question.
    Spared(&'a Rule),
    /// A person is asked.
    Ask(Cause),
}

impl Ruling<'_> {
    /// The reason, where a person is asked.
    pub(super) fn cause(self) -> Option<Cause> {
        match self {
            Self::Ask(cause) => Some(cause),
            Self::Pass | Self::Spared(_) => None,
        }
    }
}

/// Whether anything could ask about the call: of all others the extent need not be known.
pub(super) fn may_ask(app: &App, assessed: &AssessedCall<'_>) -> bool {
    match assessed.prepared.risk {
        _ if !assessed.judged.asks.is_empty() => true,
        Risk::Read | Risk::LowWrite if assessed.is_led() => true,
        Risk::HighWrite if assessed.is_led() || !assessed.call.caller.permissions.is_all() => true,
        Risk::Destructive => true,
        _ => assessed.prepared.tool.calls_others() || assessed.asks_because(app).is_some(),
    }
}

/// The reason to ask a person about a call, if a rule asks and no other one spares the question.
pub(super) async fn ruling<'a>(app: &App, assessed: &'a AssessedCall<'_>, extent: &Extent) -> Result<Ruling<'a>> {
    let ruling = rule(app, assessed, extent).await?;
    // A yes to a script's text is kept by itself, and no conversation's yes or rule stands for it.
    let Some(consent) = consent::reason(&assessed.pending) else { return Ok(ruling) };
    let reason = ruling.cause().map_or_else(|| consent.clone(), |cause| format!("{consent} {}", cause.reason));
    Ok(Ruling::Ask(Cause::once(reason, false)))
}

/// The rule that asks, if any does.
async fn rule<'a>(app: &App, assessed: &'a AssessedCall<'_>, extent: &Extent) -> Result<Ruling<'a>> {
    let (AssessedCall { call, prepared, judged, .. }, led_by) = (assessed, assessed.led_by());
    // A yes opens the places a call reaches, whatever it was asked for. No yes for the conversation waives this: a host it
    // has reached is not asked about again, and no other one is covered.
    let all_new = NewPlaces::new(app, assessed, extent, &[]).await?.message();
    let new = match &judged.allow {
        Some(_) if all_new.is_some() => {
            let is_named = |place: &&Destination| judged.allowing.iter().any(|rule| rule.names(place));
            let named: Vec<Destination> = extent.places().filter(is_named).cloned().collect();
            NewPlaces::new(app, assessed, extent, &named).await?.message()
        }
        _ => all_new.clone(),
    };
    // An administrator's rule stands for what the settings ask about.
    let reason = extent.reason();
    let by_settings = reason.clone().filter(|_| judged.allow.is_none() || !judged.spares_settings);
    let spared = judged.allow.as_ref().filter(|_| reason.is_some());
    // Whatever its risk: what content from outside would carry to other people's agents, or arrange for later.
    let led = |what: &str| led_by.map(|led_by| format!("It {what}, and {led_by}."));
    let everybody = led("changes what others' agents read").filter(|_| extent.for_everybody);
    let later = led("changes what is done by itself later").filter(|_| extent.lasts);
    let others: Vec<String> = judged.asks.iter().cloned().chain(everybody).chain(later).collect();
    // A rule for a call that makes others covers none of those.
    let spares = prepared.risk != Risk::Destructive && others.is_empty() && !prepared.tool.calls_others();
    let can_be_ruled = || spares && is_rule(prepared);
    let once = |reason: &str, always: bool| {
        let told: Vec<&str> = [reason].into_iter().chain(new.as_deref()).collect();
        Ok(Ruling::Ask(Cause::once(told.join(" "), always)))
    };
    let is_administrator = call.caller.permissions.is_all();
    let always: Vec<String> = by_settings.into_iter().chain(others).collect();
    if !always.is_empty() {
        let by_administrator = app.stores.people.permissions_of(call.caller.user).await?.is_all();
        return once(&always.join(" "), by_administrator && can_be_ruled());
    }
    let unless_new =
        |spared: Ruling<'a>| Ok(new.clone().map_or(spared, |new| Ruling::Ask(Cause::once(new, can_be_ruled()))));
    match (prepared.risk, &judged.allow) {
        (Risk::Destructive, _) => once("It is destructive: that is always asked.", false),
        (_, Some(rule)) if spared.is_some() => unless_new(Ruling::Spared(rule)),
        (Risk::Read | Risk::LowWrite, Some(rule)) if all_new.is_some() => unless_new(Ruling::Spared(rule)),
        (Risk::Read | Risk::LowWrite, _) => unless_new(Ruling::Pass),
        (Risk::HighWrite, Some(rule)) if led_by.is_some() || !is_administrator => unless_new(Ruling::Spared(rule)),
        (Risk::HighWrite, _) if led_by.is_some() => once(&led("is high write").unwrap_or_default(), can_be_ruled()),
        (Risk::HighWrite, _) if is_administrator => Ok(Ruling::Pass),
        (Risk::HighWrite, _) => {
            let scope = prepared.call.scope().and_then(|within| scope(assessed, extent, &within));
            if let Some(approval) = scope.clone().and_then(|scope| for_conversation(assessed, scope, extent))
                && app.stores.tickets.approved_for(approval).await?
            {
                return Ok(Ruling::Pass);
            }
            let reason = "It is high write, and you do not hold the permission '*'.".to_owned();
            Ok(Ruling::Ask(Cause { reason, scope, always: can_be_ruled() }))
        }
    }
}

/// Returns whether a rule can be made of a call: one that says for which arguments it is.
fn is_rule(prepared: &PreparedCall) -> bool {
    canonical(conditions(&prepared.arguments, &prepared.tool.spec().parameters.document())).is_ok()
}

/// The words of what a yes for the whole conversation covers. `None` outside a conversation, and where the words would hide
/// something or be read by nobody.
fn scope(assessed: &AssessedCall<'_>, extent: &Extent, within: &str) -> Option<String> {
    assessed.call.topic?;
    let places: Vec<String> = extent.places().map(Destination::to_string).collect();
    let to = if places.is_empty() { String::new() } else { format!("to {}", places.join(", ")) };
    let parts = [assessed.prepared.tool.spec().name.as_str(), within, &to, "in this conversation"];
    let words = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    (words.chars().count() <= MAX_SCOPE && !words.contains(is_unseen)).then_some(words)
}

/// A yes for the whole conversation to calls like this one.
fn for_conversation(assessed: &AssessedCall<'_>, scope: String, extent: &Extent) -> Option<ConversationApproval> {
    Some(ConversationApproval {
        conversation: assessed.call.topic?,
        tool: assessed.prepared.tool.spec().id(),
        scope,
        definition: extent.definition.clone(),
    })
}
