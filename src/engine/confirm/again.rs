//! Calls that were changed since a person was asked about them are asked anew: as they are now, in the place of the old
//! question.

use super::{AssessedCall, Inquiry, cause, ticket};
use crate::{
    engine::{consent, extent::Extent, invoker::Invoker, rehearse},
    model::{
        call::Ticket,
        error::{Error, Result},
        spec::Risk,
    },
    store::tickets::Asker,
};

/// The words for it.
pub(in crate::engine) const CHANGED: &str = "It has changed since you were asked, and nothing was run.";

/// Whether a ticket's call now does something else, or is of another risk, than when it was asked about.
pub(in crate::engine) fn is_changed(ticket: &Ticket, asker: &Asker, risk: Risk, now: &Extent) -> bool {
    ticket.risk != risk || asker.definition.as_ref() != Some(&now.definition)
}

/// The refusal of a call that was approved as something else.
pub(in crate::engine) fn changed() -> Error {
    Error::conflict(CHANGED)
}

/// Asks about the call as it is now, and closes the old question. Fails, and leaves that open, where it could not run.
pub(in crate::engine) async fn ask(
    invoker: &Invoker,
    assessed: &AssessedCall<'_>,
    old: &Ticket,
    asker: Asker,
) -> Result<Ticket> {
    let extent = assessed.extent(&invoker.app).await?;
    let question = rehearse::question(invoker, assessed.call, assessed.found, assessed.arguments).await?;
    // A person had to be asked before: that they need not be now would be for them to see, too.
    let (rule, scope) = match cause(&invoker.app, assessed, &extent).await? {
        Some(cause) => (format!(" {}", cause.reason), cause.scope),
        None => (String::new(), None),
    };
    let scripts = consent::texts(&assessed.pending);
    let asker = Asker { definition: Some(extent.definition.clone()), scripts, ..asker };
    let asked = Inquiry { reason: format!("{CHANGED}{rule}"), question, scope, extent };
    let new = Ticket { asked_as: old.asked_as.clone(), ..ticket(&invoker.app, assessed, asked) };
    invoker.app.stores.tickets.ask_instead(old.id, new, asker).await
}
