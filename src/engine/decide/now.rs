//! What a ticket asks about, as it is at the moment of the decision: where it is another thing by now, it is asked anew.

use super::{Asker, approved_call, refused};
use crate::{
    engine::{
        confirm::{Weighed, again},
        consent,
        extent::Extent,
        invoker::Invoker,
        record::redact,
        registry::{Found, Registry},
    },
    model::{
        audit::{AuditOutcome, Event},
        call::{Approved, Ticket, TicketState},
        caller::Caller,
        error::Result,
        spec::Risk,
    },
    store::tickets::Verdict,
};
use serde_json::Value;
use std::sync::Arc;

/// A call with arguments of its tool's own, as it is now.
pub(super) struct Now {
    found: Found,
    registry: Arc<Registry>,
    arguments: Value,
    risk: Risk,
    pub(super) extent: Extent,
}

impl Invoker {
    /// A call as it is now. `None` where it cannot be made any more: running it says why.
    pub(super) async fn now(&self, tool: &str, arguments: &Value) -> Option<Now> {
        let registry = self.registry();
        let found = registry.find(tool).ok()?;
        let arguments = found.own_arguments(arguments.clone()).ok()?;
        let risk = found.tool.risk_with(&arguments, &registry).ok()?;
        let extent = Extent::read(&self.app, &found.tool, &arguments, &registry).await;
        Some(Now { found, registry, arguments, risk, extent })
    }

    /// Where an open ticket's call is no longer what was asked about, closes the ticket and asks anew: gives the closed
    /// ticket, and the verdict that names the one in its place.
    pub(super) async fn ask_anew(
        &self,
        ticket: &Ticket,
        asker: &Asker,
        person: &Caller,
    ) -> Result<Option<(Ticket, Verdict)>> {
        if ticket.state != TicketState::Pending {
            return Ok(None);
        }
        let Some(now) = self.now(&ticket.tool, &ticket.arguments).await else { return Ok(None) };
        let Now { found, registry, arguments, risk, extent } = &now;
        if !again::is_changed(ticket, asker, *risk, extent) {
            return Ok(None);
        }
        let call = approved_call(ticket, asker.clone(), &Approved::default(), person);
        let tainted = self.origin_of_conversation(&call).await?.is_some();
        let unagreed = consent::unagreed(&self.app, registry, &call.caller, &found.tool).await?;
        let weighed = Weighed { call: &call, found, registry, arguments, risk: *risk, tainted, unagreed };
        let instead = again::ask(self, &weighed, ticket, asker.clone()).await?.id;
        let arguments = redact(&ticket.arguments, found.tool.private_arguments());
        let row = refused(ticket, Some(again::CHANGED), person);
        let row = Event { arguments, action: "ask_again".to_owned(), outcome: AuditOutcome::Waiting, ..row };
        self.app.audit.append(Event { time: self.app.clock.now(), call_id: asker.call, ..row }).await?;
        let closed = Ticket { state: TicketState::Changed, ..ticket.clone() };
        Ok(Some((closed, Verdict::Changed { instead })))
    }
}
