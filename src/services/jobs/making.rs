//! Making and changing jobs: what they do is checked when they are made.

use tokio_util::sync::CancellationToken;

use super::service::Jobs;
use satchel_model::{
    call::Call,
    caller::Door,
    error::Result,
    job::{Deed, Draft, JobId, Plan, Trigger, When, deed},
    origin::Origin,
    time::Time,
};
use satchel_store::{jobs::Created, people::Actor};

/// Number of moments that a preview shows.
const SHOWN: usize = 5;

impl Jobs {
    /// Makes a job of whoever asks.
    ///
    /// # Errors
    ///
    /// If it is not in order, or does what they may not do.
    pub async fn create(&self, by: &Actor, draft: Draft) -> Result<Created> {
        let plan = self.plan(by, draft).await?;
        self.app.stores.jobs.create(by, plan).await
    }

    /// Replaces what a job is.
    ///
    /// # Errors
    ///
    /// As [`Jobs::create`], and if there is no such job of theirs.
    pub async fn replace(&self, by: &Actor, id: JobId, draft: Draft) -> Result<Created> {
        let plan = self.plan(by, draft).await?;
        self.app.stores.jobs.replace(by, id, plan).await
    }

    async fn plan(&self, by: &Actor, draft: Draft) -> Result<Plan> {
        let mut plan = draft.plan(by.now)?;
        match &mut plan.deed {
            Deed::Tool { tool, params } => {
                let mut call = Call::new(by.caller.through(Door::Job), tool.clone(), params.clone());
                call.dry_run = true;
                if deed::has_reference(params) {
                    // What it will be called with is not known yet.
                    self.invoker.ensure_callable(&call)?;
                } else {
                    self.invoker.invoke(call, CancellationToken::new()).await?;
                }
            }
            Deed::Backup => by.caller.require("settings:manage")?,
            Deed::Message(_) => {}
            // By its id: another one of that name is another agent.
            Deed::Task { agent, .. } => *agent = self.tasks.meant(&by.caller, agent).await?.to_string(),
        }
        let origin = Origin::of_program(&by.caller, "jobs", by.now);
        Ok(Plan { origin, ..plan })
    }

    /// The next moments of a rule, and the rule in words.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn preview(&self, when: When) -> Result<(Vec<Time>, String)> {
        let now = self.app.clock.now();
        let (when, trigger) = when.check(now)?;
        Ok((trigger.next(now, SHOWN), Trigger::words(&trigger, &when)))
    }
}
