//! The call of a ticket, as it is at the moment of the decision: where it is another thing by now, it is asked anew.

use super::{Asker, approved_call, decision_row};
use crate::{
    changed::CHANGED,
    confirm::{self, AssessedCall},
    consent,
    extent::Extent,
    invoker::Invoker,
    judged::Judged,
    prepared::PreparedCall,
    record::redact,
    registry::{Found, Registry},
};
use satchel_model::{
    audit::{AuditOutcome, Event},
    call::{Approved, Ticket, TicketState},
    caller::Caller,
    destination::Destination,
    error::Result,
    user::UserId,
};
use satchel_store::tickets::Verdict;
use serde_json::Value;
use std::sync::Arc;

/// A call with arguments of its tool's own, as it is now.
pub(super) struct Now {
    pub(super) found: Found,
    registry: Arc<Registry>,
    pub(super) prepared: PreparedCall,
    pub(super) extent: Extent,
}

impl Invoker {
    /// A call of this person as it is now. Fails where it cannot be made any more.
    pub(super) async fn now(&self, tool: &str, arguments: &Value, user: UserId) -> Result<Now> {
        let registry = self.registry();
        let found = registry.find(tool)?;
        let arguments = found.own_arguments(arguments.clone())?;
        let prepared = registry.prepare(&found.tool, arguments)?;
        let extent = Extent::read(&self.app, &prepared, &registry, user).await?;
        Ok(Now { found, registry, prepared, extent })
    }

    /// The destinations that a call reaches, whether its arguments name them or not.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub async fn reached_by(&self, tool: &str, arguments: &Value, user: UserId) -> Result<Vec<Destination>> {
        Ok(self.now(tool, arguments, user).await?.extent.reaches)
    }

    /// Closes an open ticket and asks anew where its call is no longer what was asked about: gives the closed ticket, and the
    /// verdict that names the one in its place.
    pub(super) async fn ask_anew(
        &self,
        ticket: &Ticket,
        asker: &Asker,
        person: &Caller,
    ) -> Result<Option<(Ticket, Verdict)>> {
        if ticket.state != TicketState::Pending {
            return Ok(None);
        }
        // Running one that cannot be made any more says why.
        let Ok(now) = self.now(&ticket.tool, &ticket.arguments, ticket.user).await else { return Ok(None) };
        let Now { found, registry, prepared, extent } = &now;
        if !confirm::is_changed(ticket, asker, prepared.risk, extent) {
            return Ok(None);
        }
        let call = approved_call(ticket, asker.clone(), &Approved::default(), person);
        let tainted = self.origin_of_conversation(&call).await?.is_some();
        let pending = consent::pending(&self.app, registry, &call.caller, &found.tool).await?;
        let judged = Judged::new(&self.app, &self.policy(&call.situation), registry, &call, prepared).await?;
        let assessed = AssessedCall { call: &call, found, registry, prepared, tainted, pending, judged };
        let instead = confirm::ask(&self.pipeline(), &assessed, ticket, asker.clone()).await?.id;
        let arguments = redact(&ticket.arguments, found.tool.private_arguments());
        let row = decision_row(ticket, person, "ask_again", AuditOutcome::Waiting);
        let row = Event { arguments, error: Some(CHANGED.to_owned()), ..row };
        self.app.stores.audit.append(Event { time: self.app.clock.now(), call_id: asker.call, ..row }).await?;
        let closed = Ticket { state: TicketState::Changed, ..ticket.clone() };
        Ok(Some((closed, Verdict::Changed { instead })))
    }
}
