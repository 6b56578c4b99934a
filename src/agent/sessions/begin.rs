//! Sessions that are begun and written to: each run is below the one that asked for it, within the bounds of both.

use std::sync::Arc;

use serde_json::json;

use super::place::Place;
use crate::{
    chat::{Agent, LONGEST},
    prompt,
};
use satchel_engine::context::Context;
use satchel_model::{
    agent::{
        ActingAgent, AgentAt, AgentId,
        session::{DEEPEST, Report, SessionKey, SessionRun, StepSession},
    },
    caller::Caller,
    conversation::ConversationId,
    error::{Error, Result},
    figure,
    origin::Origin,
    policy::Situation,
    run::{Purpose, RunKind, RunState},
};
use satchel_services::agents::sessions::NewSession;
use satchel_store::{
    agents::{
        Agents,
        sessions::{self, Begun, Found, NewRun},
    },
    conversations::NewConversation,
    turns::Question,
};

/// A run that is wanted of a session.
struct Wanted {
    /// Whoever it acts for, within the bounds that they and the session have.
    caller: Caller,
    /// The session, where it is to be begun.
    session: Option<NewConversation>,
    conversation: ConversationId,
    agent: AgentAt,
    /// Its circumstances.
    within: Situation,
    text: String,
    report: Report,
}

/// Checks a text that an agent gives to another one.
///
/// # Errors
///
/// If it is empty or too long.
pub(super) fn check(what: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::invalid(format!("The {what} is empty. Say what is to be done.")));
    }
    if text.chars().count() > LONGEST {
        let most = figure::grouped(LONGEST as u64);
        return Err(Error::invalid(format!("A {what} has at most {most} characters: give a part of it, or a file.")));
    }
    Ok(())
}

impl Agent {
    /// Begins a session with a task. The same call, made again, goes on with the one that it began.
    pub(super) async fn spawn(&self, cx: &Context, new: NewSession) -> Result<SessionRun> {
        let NewSession { task, agent, blocking } = new;
        let report = if blocking { Report::Awaited } else { Report::Due };
        if let Some(begun) = sessions::begun_by(&self.shared.app.db, cx.call().id, report).await? {
            return self.come_of(cx, begun, report).await;
        }
        check("task", &task)?;
        let place = self.place(cx).await?;
        let depth = place.session.depth;
        if depth > DEEPEST {
            return Err(Error::conflict(format!(
                "Sessions go {DEEPEST} deep, and this one is as deep as that: it begins no other. Do the task here, or say in \
                 your answer what is left to do."
            )));
        }
        let agent = self.agent_for(cx, &place, agent.as_deref()).await?;
        let session = NewConversation {
            title: prompt::title(&task),
            agent: agent.id.clone(),
            parent: place.conversation,
            depth,
            ..NewConversation::default()
        };
        let (conversation, within, caller) = (ConversationId::new(), place.session.clone(), cx.caller().clone());
        let wanted = Wanted { caller, session: Some(session), conversation, agent, within, text: task, report };
        let begun = self.begin_run(cx, &place, wanted).await?;
        self.come_of(cx, begun, report).await
    }

    /// Writes to a session below. The same call, made again, goes on with the run that it began.
    pub(super) async fn write_to(&self, cx: &Context, key: &str, message: String) -> Result<SessionRun> {
        let report = Report::Awaited;
        if let Some(begun) = sessions::begun_by(&self.shared.app.db, cx.call().id, report).await? {
            return self.come_of(cx, begun, report).await;
        }
        check("message", &message)?;
        let place = self.place(cx).await?;
        let Found { key: SessionKey { agent, conversation, .. }, depth, .. } = self.below(cx, &place, key).await?;
        let agent = self.current(cx, agent).await?;
        // It is as deep as it is, whoever above it writes.
        let within = Situation { depth, ..place.session.clone() };
        let (caller, within) = self.within_session(cx.caller(), within, conversation).await?;
        let wanted = Wanted { caller, session: None, conversation, agent, within, text: message, report };
        let begun = self.begin_run(cx, &place, wanted).await?;
        self.come_of(cx, begun, report).await
    }

    /// Whoever writes to a session, and their circumstances, within the bounds of the run that began it: what is said there
    /// was said within them.
    async fn within_session(
        &self,
        by: &Caller,
        within: Situation,
        conversation: ConversationId,
    ) -> Result<(Caller, Situation)> {
        let first = sessions::first_run(&self.shared.app.db, conversation).await?;
        let Some(first) = self.shared.turns.as_begun(first).await? else { return Ok((by.clone(), within)) };
        let before = first.caller;
        let credential = if by.is_person() { before.credential } else { by.credential };
        let caller = Caller {
            agent: ActingAgent::joined(by.agent.clone(), before.agent.and_then(|acting| acting.within.clone())),
            permissions: by.permissions.intersect(&before.permissions),
            personal: by.personal && before.personal,
            credential,
            ..by.clone()
        };
        caller.ensure_personal()?;
        Ok((caller, within.joined(&first.session.as_deref().cloned().unwrap_or_default())))
    }

    /// The agent of a new session: the one that is named, else the one that asks.
    async fn agent_for(&self, cx: &Context, place: &Place, named: Option<&str>) -> Result<AgentAt> {
        match named.map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => Ok(Agents::new(&self.shared.app.db).offered_as(cx.caller(), name).await?.at()),
            None => {
                let own = place.turn.as_ref().map(|turn| turn.agent.id.clone());
                self.current(cx, own.unwrap_or_default()).await
            }
        }
    }

    async fn current(&self, cx: &Context, agent: AgentId) -> Result<AgentAt> {
        Agents::new(&self.shared.app.db).current(cx.caller(), agent).await
    }

    async fn begin_run(&self, cx: &Context, place: &Place, wanted: Wanted) -> Result<Begun> {
        let Wanted { caller, session, conversation, agent, within, text, report } = wanted;
        let (caller, shared) = (&caller, &self.shared);
        self.require_model(caller.user, &agent).await?;
        self.ensure_room(caller.user, text.len() as u64).await?;
        let parent = place.turn.as_ref().map(|turn| turn.id);
        // Before a question is given up: what is refused changes nothing.
        shared.turns.require_few(caller.user, parent.filter(|_| report == Report::Awaited)).await?;
        if session.is_none() {
            self.ensure_free(conversation).await?;
            self.give_up_waiting(conversation).await?;
            self.note_programs(caller, conversation, &agent).await?;
        }
        let purpose = Purpose {
            kind: RunKind::Sub,
            parent,
            job: cx.call().job.clone(),
            session: Some(Arc::new(within)),
            call: Some(cx.call().id),
            tells: place.conversation.map(|conversation| (conversation, report)),
            brief: None,
        };
        let (id, name) = (agent.id.clone(), agent.content.name.clone());
        let origin = Origin::joined(cx.taint().origin(), agent.origin.clone());
        let turn = self.new_turn(caller, conversation, None, (agent, purpose));
        let question = Question { title: prompt::title(&text), text, attachments: Vec::new() };
        let agent = self.clone();
        let begin = async move {
            let new = NewRun { session, turn, question, origin };
            let turn = sessions::begin(&agent.shared.app.db, new).await?;
            let run = turn.id;
            drop(agent.run(turn, 0).start());
            Ok(run)
        };
        let run = self.unbroken(caller.user, begin).await?;
        if let Some(above) = &place.turn
            && let Some(live) = self.live(above.conversation, above.id)
        {
            let session = StepSession { run, conversation, agent: name, state: RunState::Running };
            live.log.emit("session", &json!({"call_id": cx.call().id, "session": session}));
        }
        Ok(Begun { run, conversation, agent: id })
    }
}
