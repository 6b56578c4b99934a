//! Questions that a client decides: its say is that of the person, where they have given it that.

use tokio_util::sync::CancellationToken;

use super::{
    super::{images::wrong, rows::asked_by},
    items::Approval,
};
use crate::http::{state::State, v1::pieces::RunCall};
use satchel_engine::decide::Answer;
use satchel_model::{
    call::Decision,
    caller::Caller,
    error::{Error, Result},
    response::StoredResponse,
};
use satchel_store::credentials::Identity;

/// Returns whether whoever asks can decide the questions of their runs: a person, or a key that has their owner's say.
pub(super) fn may_decide(identity: &Identity) -> bool {
    identity.caller.is_person() || identity.terms.approves
}

/// The decision that a run goes on with.
pub(super) struct Decided {
    /// The last event that was told before.
    pub(super) after: String,
    /// The calls that waited, and their questions.
    pub(super) calls: Vec<(RunCall, String)>,
}

/// Decides the questions of a response, whose run goes on then.
///
/// # Errors
///
/// If one of them does not wait there, or is not this caller's to decide.
pub(super) async fn decide(
    state: &State,
    caller: &Caller,
    (kept, approvals): (&StoredResponse, Vec<Approval>),
) -> Result<Decided> {
    let (_, messages) = state.agent.come_of_run(caller, (kept.conversation, kept.run)).await?;
    let view = state.agent.view(caller.user, kept.conversation).await?;
    let after = view.turn.filter(|turn| turn.id == kept.run).map(|turn| turn.last_event_id);
    let after = after.ok_or_else(|| Error::conflict("The conversation has gone on since this was asked."))?;
    let mut calls = Vec::new();
    for approval in &approvals {
        let mut steps = messages.iter().flat_map(|message| &message.steps);
        let step = steps.rfind(|step| step.ticket_id == Some(approval.ticket));
        let step = step.ok_or_else(|| wrong("input", "this response has no such approval request"))?;
        calls.push(asked_by(step));
    }
    for Approval { ticket, approve, reason } in approvals {
        let decision = if approve { Decision::Approve } else { Decision::Deny };
        let answer = Answer { decision, reason, params: None, question: None, for_conversation: false };
        let (ticket, _) = state.invoker.decide(ticket, answer, caller, CancellationToken::new()).await?;
        if let Err(error) = state.agent.ticket_decided(&ticket, caller).await {
            // What was decided stands, and the run that waits for it looks for itself a little later.
            tracing::error!(?error, "a run could not be told what was decided");
        }
    }
    Ok(Decided { after, calls })
}
