//! The rules that ask a person about a call.

use super::{assessed::AssessedCall, reach::NewPlaces};
use crate::{consent, extent::Extent};
use satchel_app::App;
use satchel_model::{destination::Destination, error::Result, spec::Risk, unseen::is_unseen};
use satchel_store::tickets::ConversationApproval;

/// Longest scope: one that says more is read by nobody.
const MAX_SCOPE: usize = 300;
/// The reason to ask, whatever its risk, about a call that would carry content from outside to other people's agents.
const FOR_EVERYBODY: &str = "It changes what others' agents read, and content from outside is in this conversation.";

/// A reason to ask a person.
pub(super) struct Cause {
    pub(super) reason: String,
    pub(super) scope: Option<String>,
}

impl Cause {
    /// A rule whose question has no yes for a whole conversation.
    fn once(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), scope: None }
    }
}

/// Whether anything could ask about the call: of all others the extent need not be known.
pub(super) fn may_ask(app: &App, assessed: &AssessedCall<'_>) -> bool {
    match assessed.prepared.risk {
        Risk::Read | Risk::LowWrite if assessed.tainted => true,
        Risk::HighWrite if assessed.tainted || !assessed.call.caller.permissions.is_all() => true,
        Risk::Destructive => true,
        _ => assessed.prepared.tool.calls_others() || assessed.asks_because(app).is_some(),
    }
}

/// Why a person is asked about a call; `None` where no rule does.
pub(super) async fn cause(app: &App, assessed: &AssessedCall<'_>, extent: &Extent) -> Result<Option<Cause>> {
    Ok(match (consent::reason(&assessed.pending), rule(app, assessed, extent).await?) {
        // A yes to a script's text is kept by itself, and no conversation's yes stands for it.
        (Some(consent), Some(Cause { reason, .. })) => Some(Cause::once(format!("{consent} {reason}"))),
        (Some(consent), None) => Some(Cause::once(consent)),
        (None, cause) => cause,
    })
}

/// The rule that asks, if any does.
async fn rule(app: &App, assessed: &AssessedCall<'_>, extent: &Extent) -> Result<Option<Cause>> {
    let AssessedCall { call, prepared, tainted, .. } = assessed;
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
    match prepared.risk {
        Risk::Read | Risk::LowWrite => Ok(new.map(Cause::once)),
        Risk::Destructive => once("It is destructive: that is always asked."),
        Risk::HighWrite if *tainted => once("It is high write, and content from outside is in this conversation."),
        Risk::HighWrite if call.caller.permissions.is_all() => Ok(None),
        Risk::HighWrite => {
            let scope = prepared.call.scope().and_then(|within| scope(assessed, extent, &within));
            if let Some(approval) = scope.clone().and_then(|scope| for_conversation(assessed, scope, extent))
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
