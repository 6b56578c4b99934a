//! The question to a person about a call, and the ticket that it becomes.

use std::sync::Arc;

use super::{
    assessed::AssessedCall,
    rule::{Cause, cause, may_ask},
};
use crate::{context::Pipeline, extent::Extent, rehearse};
use satchel_app::App;
use satchel_model::{
    call::{Ticket, TicketId, TicketState},
    error::Result,
    question::Question,
    unseen::visible,
    warning::warnings,
};
use satchel_store::tickets::{JOB_LIFETIME, LIFETIME};

/// A question to a person, and why it is asked.
pub(crate) struct Inquiry {
    /// The rule that asks, in words.
    pub reason: String,
    /// The question.
    pub question: Question,
    /// Words of what a yes for the whole conversation would cover, where there is such a yes.
    pub(super) scope: Option<String>,
    /// The extent that the yes is bound to.
    pub(super) extent: Extent,
}

/// The question to a person, if one must be asked. Fails where nothing could come of it.
pub(crate) async fn asked(pipeline: &Arc<dyn Pipeline>, assessed: &AssessedCall<'_>) -> Result<Option<Inquiry>> {
    if assessed.pending.is_empty() && !may_ask(pipeline.app(), assessed) {
        return Ok(None);
    }
    let extent = assessed.extent(pipeline.app()).await?;
    let Some(Cause { reason, scope }) = cause(pipeline.app(), assessed, &extent).await? else { return Ok(None) };
    let question = rehearse::question(pipeline, assessed.call, assessed.found, assessed.prepared).await?;
    Ok(Some(Inquiry { reason, question, scope, extent }))
}

/// The calls within one that a yes covers, in words: how risky they may get nobody sees in the arguments.
fn within(assessed: &AssessedCall<'_>) -> String {
    match assessed.registry.used_by(&assessed.found.tool).is_empty() {
        true => String::new(),
        false => format!(" A yes covers what it calls, up to {}.", assessed.prepared.risk.as_str().replace('_', " ")),
    }
}

/// The ticket of a question.
pub(super) fn ticket(app: &App, assessed: &AssessedCall<'_>, asked: Inquiry) -> Ticket {
    let now = app.clock.now();
    let Inquiry { reason, question, scope, .. } = asked;
    Ticket {
        id: TicketId::new(),
        user: assessed.call.caller.user,
        topic: assessed.call.topic,
        job: assessed.call.job.clone(),
        tool: assessed.found.tool.spec().id(),
        asked_as: assessed.found.name().to_owned(),
        arguments: assessed.prepared.arguments.clone(),
        risk: assessed.prepared.risk,
        question: question.text,
        subject: question.subject,
        reason: visible(&format!("{reason}{}", within(assessed))).into_owned(),
        scope,
        warnings: warnings(&assessed.prepared.arguments),
        state: TicketState::Pending,
        created_at: now,
        expires_at: now.after(if assessed.call.job.is_some() { JOB_LIFETIME } else { LIFETIME }),
    }
}
