//! Calls that were changed since a person was asked about them are asked anew: as they are now, in the place of the old
//! question.

use std::sync::Arc;

use super::{
    assessed::AssessedCall,
    inquiry::{Inquiry, ticket},
    rule::ruling,
};
use crate::{changed::CHANGED, consent, context::Pipeline, extent::Extent, rehearse};
use satchel_model::{call::Ticket, error::Result, spec::Risk};
use satchel_store::tickets::Asker;

/// Whether a ticket's call now does something else, or is of another risk, than when it was asked about.
pub(crate) fn is_changed(ticket: &Ticket, asker: &Asker, risk: Risk, now: &Extent) -> bool {
    ticket.risk != risk || asker.definition.as_ref() != Some(&now.definition)
}

/// Asks about the call as it is now, and closes the old question. Fails, and leaves that open, where it could not run.
pub(crate) async fn ask(
    pipeline: &Arc<dyn Pipeline>,
    assessed: &AssessedCall<'_>,
    old: &Ticket,
    asker: Asker,
) -> Result<Ticket> {
    let extent = assessed.extent(pipeline.app()).await?;
    let question = rehearse::question(pipeline, assessed.call, assessed.found, assessed.prepared).await?;
    // A person had to be asked before: that they need not be now would be for them to see, too.
    let (rule, scope, always) = match ruling(pipeline.app(), assessed, &extent).await?.cause() {
        Some(cause) => (format!(" {}", cause.reason), cause.scope, cause.always),
        None => (String::new(), None, false),
    };
    let scripts = consent::texts(&assessed.pending);
    let asker = Asker { definition: Some(extent.definition.clone()), scripts, ..asker };
    let asked = Inquiry { reason: format!("{CHANGED}{rule}"), question, scope, always, extent };
    let new = Ticket { asked_as: old.asked_as.clone(), ..ticket(pipeline.app(), assessed, asked) };
    pipeline.app().stores.tickets.ask_instead(old.id, new, asker).await
}
