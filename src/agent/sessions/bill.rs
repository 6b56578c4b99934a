//! The bill of a question to a specialist, which is paid however the call ends.

use crate::chat::Agent;
use satchel_model::{agent::AgentAt, error::Result, llm::Usage, price::Spent, run::RunId, user::UserId};
use satchel_store::agents;

/// The bill of a question that a model has taken. One that is dropped is paid by the estimate it was opened with: the answer
/// broke off, or nobody waited for it.
pub(super) struct Bill {
    agent: Agent,
    specialist: AgentAt,
    user: UserId,
    turn: Option<RunId>,
    spent: Option<Spent>,
}

impl Bill {
    /// A bill of so much, for a person and the run that asks, if one does.
    pub(super) fn open(agent: &Agent, specialist: &AgentAt, whose: (UserId, Option<RunId>), estimate: Spent) -> Self {
        let (user, turn) = whose;
        Self { agent: agent.clone(), specialist: specialist.clone(), user, turn, spent: Some(estimate) }
    }

    /// Pays what it was. Returns the model.
    pub(super) async fn pay(mut self, usage: Usage) -> Result<String> {
        let Some(spent) = self.spent.take().map(|estimate| Spent { usage, ..estimate }) else {
            return Ok(String::new());
        };
        let (shared, model) = (&self.agent.shared, spent.model.clone());
        let now = shared.app.clock.now();
        agents::spend_for(&shared.app.db, &self.specialist, (self.user, self.turn), (now, spent)).await?;
        Ok(model)
    }
}

impl Drop for Bill {
    fn drop(&mut self) {
        let Some(spent) = self.spent.take() else { return };
        let (agent, specialist, whose) = (self.agent.clone(), self.specialist.clone(), (self.user, self.turn));
        let pay = async move {
            let (db, now) = (&agent.shared.app.db, agent.shared.app.clock.now());
            if let Err(error) = agents::spend_for(db, &specialist, whose, (now, spent)).await {
                tracing::warn!(?error, "what a specialist took could not be written down");
            }
        };
        let lifecycle = &self.agent.shared.app.lifecycle;
        lifecycle.tracker.spawn_on(pay, &lifecycle.runtime);
    }
}
