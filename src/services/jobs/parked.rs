//! Runs that are in nobody's hands: those that wait for a person's answer, and those the last process left.

use super::{
    ending::{self, Try},
    service::Jobs,
};
use satchel_model::{
    call::{Ticket, TicketId, TicketState},
    error::{Error, Kind, Result},
    job::{Deed, FiringId},
    run::RunState,
    spec::Risk,
};
use satchel_store::{
    jobs::{Claimed, Ended, Next},
    tickets::Verdict,
};

impl Jobs {
    /// A person has decided a question: the run that waits for it ends with what came of that.
    pub async fn ticket_decided(&self, ticket: &Ticket) -> Result<()> {
        if ticket.job.is_none() {
            return Ok(());
        }
        match self.app.stores.jobs.waiting_for(ticket.id).await? {
            Some(run) => self.settle_parked(run, ticket.id).await,
            // Its job was deleted meanwhile.
            None => Ok(()),
        }
    }

    /// Takes over the runs that nodes which are gone were at, and settles those whose questions were decided meanwhile.
    pub async fn resume(&self, left: &[FiringId]) -> Result<()> {
        for run in self.app.stores.jobs.claimed(left.to_vec()).await? {
            match self.left(&run) {
                Some((next, ended)) => self.settle(&run, next, ended).await,
                None => self.begin(run),
            }
        }
        for run in self.app.stores.jobs.waiting().await? {
            if let Some(ticket) = run.run.ticket {
                self.settle_parked(run, ticket).await?;
            }
        }
        Ok(())
    }

    /// Settles a run that was cut: one that only reads, or had not begun, is done again. `None` for the task of an agent,
    /// whose run goes on.
    fn left(&self, run: &Claimed) -> Option<(Next, Ended)> {
        let now = self.app.clock.now();
        let again = || {
            let told = "The server had stopped in the middle: it is done again.".to_owned();
            (Next::Again(now, run.run.attempt), Ended { told, ..Ended::default() })
        };
        Some(match &run.deed {
            Deed::Task { .. } if run.run.run.is_some() => return None,
            Deed::Tool { tool, params } if run.run.call.is_some() && self.risk(tool, params) > Risk::Read => {
                let told = "The server stopped while this ran: it may or may not have taken effect. Look, then run it.";
                let ended = Ended { error: Some(told.to_owned()), told: told.to_owned(), ..Ended::default() };
                (Next::Stands(RunState::Uncertain), ended)
            }
            _ => again(),
        })
    }

    /// Settles a run whose question is decided or has lapsed; one that is open still waits.
    async fn settle_parked(&self, run: Claimed, ticket: TicketId) -> Result<()> {
        let now = self.app.clock.now();
        let (next, ended) = match self.verdict(&run, ticket).await {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(()),
            // The question went with the account of who was asked.
            Err(error) if error.kind() == Kind::NotFound => {
                ending::cancelled("Its question is gone with the account of who was asked. Nothing ran.")
            }
            Err(error) => return Err(error),
        };
        if self.app.stores.jobs.settle_waiting(run.run.id, next, ended.clone(), now).await? {
            self.tell(&run, next, &ended).await;
        }
        Ok(())
    }

    async fn verdict(&self, run: &Claimed, id: TicketId) -> Result<Option<(Next, Ended)>> {
        let (tickets, now) = (&self.app.stores.tickets, self.app.clock.now());
        let ticket = tickets.get(id, run.owner.user, now).await?;
        let Some(verdict) = tickets.verdict(id, run.owner.user, now).await? else {
            let lapsed = || ending::cancelled("Nobody answered its question in time. Nothing ran.");
            return Ok((ticket.state == TicketState::Expired).then(lapsed));
        };
        Ok(Some(match verdict {
            Verdict::Ran { output, approved, .. } => {
                let by = approved.approved_by.unwrap_or_default();
                ending::done(format!("{by} said yes. It is done."), Some(&output))
            }
            Verdict::Failed { kind, message, tools_own, .. } => {
                let error = Error::new(kind, message);
                let error = if tools_own { error.of_tool() } else { error };
                // Whoever approved it is told: it is not tried again by itself.
                let this = Try { risk: ticket.risk, attempt: run.run.attempt, retries: 0, now, is_ending: false };
                ending::of_failure(&error, this)
            }
            Verdict::Refused { reason } => {
                let why = reason.map_or_else(String::new, |reason| format!(" The reason: {reason}"));
                ending::cancelled(&format!("Its question was answered with no. Nothing ran.{why}"))
            }
            Verdict::Changed { instead } => {
                let told = "What it asks about has changed: another question stands in its place.".to_owned();
                (Next::Waits(instead), Ended { told, ..Ended::default() })
            }
        }))
    }
}
