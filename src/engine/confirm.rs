//! Step 4: must a person be asked first?

mod again;
mod assessed;
mod collect;
mod inquiry;
mod reach;
mod repeated;
mod rule;
mod within;

use std::sync::Arc;

use super::{consent, context::Pipeline, judged, record::Record};
use satchel_model::{
    call::{Outcome, TicketId},
    error::Result,
};
use satchel_store::tickets::Asker;

use self::inquiry::ticket;

pub(super) use self::{
    again::{ask, is_changed},
    assessed::AssessedCall,
    inquiry::{Asked, asked},
    within::ensure_covered,
};
pub use assessed::unasked_risk;

/// Returns whether a ticket is about this very call, as against one within it that goes on by replaying.
async fn is_of(pipeline: &Arc<dyn Pipeline>, assessed: &AssessedCall<'_>, id: TicketId) -> Result<bool> {
    let tool = &assessed.found.tool;
    if !tool.can_replay() {
        return Ok(true);
    }
    let (user, now) = (assessed.call.caller.user, pipeline.app().clock.now());
    Ok(pipeline.app().stores.tickets.get(id, user, now).await?.tool == tool.spec().id())
}

/// Lets the call through with `None`; else what comes of it: a question, or the result of one that was answered.
pub(super) async fn check(
    pipeline: &Arc<dyn Pipeline>,
    assessed: &AssessedCall<'_>,
    record: &mut Record,
) -> Result<Option<Outcome>> {
    if let Some(id) = assessed.call.ticket
        && is_of(pipeline, assessed, id).await?
    {
        return collect::collect(pipeline, assessed, id, record).await.map(Some);
    }
    let asked = asked(pipeline, assessed).await?;
    if let Some(id) = repeated::ticket(pipeline, assessed, &asked).await? {
        return collect::collect(pipeline, assessed, id, record).await.map(Some);
    }
    match asked {
        Asked::Pass => Ok(None),
        Asked::Spared(rule) => {
            record.let_through(rule);
            judged::count(pipeline.app(), rule.id).await;
            Ok(None)
        }
        Asked::Person(asked) if !assessed.call.attended => Err(assessed::cannot_ask(assessed, &asked.reason)),
        Asked::Person(asked) => {
            assessed.judged.count_asking(pipeline.app()).await;
            let scripts = consent::texts(&assessed.pending);
            let asker = Asker::from_call(assessed.call, asked.extent.definition.clone(), scripts);
            let ticket = pipeline.app().stores.tickets.ask(ticket(pipeline.app(), assessed, *asked), asker).await?;
            Ok(Some(Outcome::Confirm(Box::new(ticket))))
        }
    }
}
