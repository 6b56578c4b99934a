//! The question to a person about a call, and the ticket that it becomes.

use std::sync::Arc;

use super::{
    assessed::AssessedCall,
    rule::{Cause, Ruling, may_ask, ruling},
};
use crate::{context::Pipeline, extent::Extent, rehearse};
use satchel_app::App;
use satchel_model::{
    call::{Ticket, TicketId, TicketState},
    error::Result,
    question::Question,
    rule::Rule,
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
    /// Whether a rule for arguments would spare such questions.
    pub(super) always: bool,
    /// The extent that the yes is bound to.
    pub(super) extent: Extent,
}

/// The outcome for a call that may have to be asked about.
pub(crate) enum Asked<'a> {
    /// It passes.
    Pass,
    /// It passes, because a rule for arguments spares the question.
    Spared(&'a Rule),
    /// A person is asked.
    Person(Box<Inquiry>),
}

/// The question to a person, if one must be asked. Fails where nothing could come of it.
pub(crate) async fn asked<'a>(pipeline: &Arc<dyn Pipeline>, assessed: &'a AssessedCall<'_>) -> Result<Asked<'a>> {
    if assessed.pending.is_empty() && !may_ask(pipeline.app(), assessed) {
        return Ok(Asked::Pass);
    }
    let extent = assessed.extent(pipeline.app()).await?;
    let Cause { reason, scope, always } = match ruling(pipeline.app(), assessed, &extent).await? {
        Ruling::Pass => return Ok(Asked::Pass),
        Ruling::Spared(rule) => return Ok(Asked::Spared(rule)),
        Ruling::Ask(cause) => cause,
    };
    let question = rehearse::question(pipeline, assessed.call, assessed.found, assessed.prepared).await?;
    Ok(Asked::Person(Box::new(Inquiry { reason, question, scope, always, extent })))
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
    let Inquiry { reason, question, scope, always, .. } = asked;
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
        always,
        warnings: warnings(&assessed.prepared.arguments),
        state: TicketState::Pending,
        created_at: now,
        expires_at: now.after(if assessed.call.job.is_some() { JOB_LIFETIME } else { LIFETIME }),
    }
}
