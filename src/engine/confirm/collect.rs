//! A call that is repeated with its ticket: it is given what came of it, or asked anew where it has changed since.

use std::sync::Arc;

use super::{again, assessed::AssessedCall};
use crate::{changed, context::Pipeline, record::Record, registry::Found};
use satchel_model::{
    call::{Call, Done, Outcome, Ticket, TicketId, TicketState},
    error::{Error, Kind, Result},
    origin::Origin,
};
use satchel_store::tickets::{Claim, Collected, Verdict, digest};

pub(super) async fn collect(
    pipeline: &Arc<dyn Pipeline>,
    assessed: &AssessedCall<'_>,
    id: TicketId,
    record: &mut Record,
) -> Result<Outcome> {
    let call = assessed.call;
    let digest = digest(&assessed.found.tool.spec().id(), &assessed.prepared.arguments);
    let claim = Claim { id, user: call.caller.user, topic: call.topic, digest };
    let Collected { ticket, asker, verdict } =
        pipeline.app().stores.tickets.collect(claim, pipeline.app().clock.now()).await?;
    if let (TicketState::Pending, None) = (ticket.state, &verdict) {
        let extent = assessed.extent(pipeline.app()).await?;
        if again::is_changed(&ticket, &asker, assessed.prepared.risk, &extent) {
            let asked = again::ask(pipeline, assessed, &ticket, asker).await?;
            return Ok(Outcome::Confirm(Box::new(asked)));
        }
    }
    // Its run has a row, or its refusal; so has the question.
    if ticket.state != TicketState::Expired {
        record.collected();
    }
    match verdict {
        Some(verdict) => outcome(&ticket, assessed.found, call, verdict),
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
            let tool = ticket.tool.clone();
            let done = Done { call: id, tool, output, duration_ms, approved, handle, room: None };
            Ok(Outcome::Done(Box::new(done)))
        }
        Verdict::Failed { kind, message, tools_own, outside, outside_at, details, approved, duration_ms } => {
            let error = Error::new(kind, message);
            let error = if tools_own { error.of_tool() } else { error };
            let error = match (outside, outside_at) {
                (Some(source), Some(at)) => error.kept_from(Origin::new(source, at)),
                (Some(place), None) => error.from_outside(place),
                (None, _) => error,
            };
            let error = details.into_iter().fold(error, Error::with_details);
            Err(error.after_approval(approved, duration_ms))
        }
        Verdict::Refused { reason } => {
            let why = reason.map_or_else(String::new, |r| format!(" Their reason: {r}"));
            Err(Error::new(Kind::Denied, format!("The person refused this call. Nothing was run.{why}")))
        }
        // The store gives the question in its place.
        Verdict::Changed { .. } => Err(changed::refusal()),
    }
}
