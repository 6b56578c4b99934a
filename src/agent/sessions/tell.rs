//! Ends of runs that nobody waits for: the conversation that began them is told, as data, in the turn that is under way there
//! or in a new one.

use std::time::Duration;

use serde_json::json;

use super::wait::SessionAnswer;
use crate::{chat::Agent, settle::settled, turn::Run};
use satchel_engine::sanitise;
use satchel_model::{
    agent::{AgentAt, session::Report},
    call::{CallId, Done, Outcome},
    caller::Caller,
    conversation::{ConversationId, Message, MessageId, Role, Step, StepState, TurnId},
    error::{Error, Kind, Result},
    origin::Origin,
    output::Output,
    run::{Purpose, RunId},
};
use satchel_store::{
    agents::{
        Agents,
        sessions::{self, Told},
    },
    results::{Results, StoredText},
    turns::{NewTurn, OpenTurn},
};

/// The tool that tells of a session.
const TOOL: &str = "session_status";
/// The interval at which it is looked whether somebody is still to be told.
const EVERY: Duration = Duration::from_secs(5);

/// Most turns that begin by themselves, to tell of sessions, until the person speaks again.
const WAKES: u64 = 20;
/// Said with what is told after that.
const NOTE: &str =
    "No answer was begun to this: 20 have begun by themselves since the person last wrote. Write to go on.";

/// The ends of runs, as a conversation is told of them.
struct News {
    runs: Vec<RunId>,
    message: Message,
    origin: Option<Origin>,
}

impl Agent {
    /// Tells conversations of the ends of runs that nobody waits for, for as long as the process runs.
    pub fn tell_of_sessions(&self) {
        self.repeat(EVERY, |agent| async move {
            match sessions::to_tell(&agent.shared.app.db).await {
                Ok(all) => {
                    for conversation in all {
                        agent.tell_in(conversation).await;
                    }
                }
                Err(error) => tracing::warn!(?error, "it could not be read who is to be told of sessions"),
            }
        });
    }

    /// Tells a conversation of the ends of runs that it began. A turn that is under way there hears of them by itself.
    pub(crate) async fn tell_in(&self, conversation: ConversationId) {
        match self.try_tell_in(conversation).await {
            Ok(()) => {}
            // It is busy, or nothing may be spent now: it is tried again.
            Err(error) => tracing::debug!(?error, %conversation, "a conversation could not be told of a session yet"),
        }
    }

    async fn try_tell_in(&self, conversation: ConversationId) -> Result<()> {
        let db = &self.shared.app.db;
        let Some((first, parent)) = sessions::due(db, conversation).await?.into_iter().next() else { return Ok(()) };
        if self.shared.turns.open_in(conversation).await?.is_some() {
            return Ok(());
        }
        let begun = self.shared.turns.as_begun(parent.unwrap_or(first.run)).await?;
        let Some(begun) = begun else { return Ok(()) };
        let Some(new) = self.turn_to_tell(conversation, begun).await? else {
            return sessions::heard(db, first.run).await;
        };
        let user = new.caller.user;
        self.note_programs(&new.caller, conversation, &new.agent).await?;
        let is_last = sessions::wakes(db, conversation).await? >= WAKES;
        if !is_last {
            self.require_model(user, &new.agent).await?;
            self.shared.turns.require_few(user, None).await?;
        }
        let note = is_last.then_some(NOTE);
        let Some(News { runs, message, origin }) = self.news(&new.caller, (conversation, note)).await? else {
            return Ok(());
        };
        let new = Box::new(new);
        let told = if is_last { Told::Over(new) } else { Told::New(new) };
        let agent = self.clone();
        let begin = async move {
            let turn = sessions::tell(&agent.shared.app.db, told, runs, (message, origin)).await?;
            drop(turn.map(|turn| agent.run(turn, 0).start()));
            Ok(())
        };
        self.unbroken(user, begin).await
    }

    /// The turn that goes on with what a conversation is told: below the one that began the session, with its rights and its
    /// share. `None` if nobody may any more.
    async fn turn_to_tell(&self, conversation: ConversationId, begun: OpenTurn) -> Result<Option<NewTurn>> {
        let OpenTurn { id, caller, provider, agent, job, session, tells, kind, conversation: of, .. } = begun;
        if caller.ensure_personal().is_err() {
            return Ok(None);
        }
        // A person began it outside of a run: what they hold goes on.
        let is_own = of == conversation;
        let now = self.shared.app.clock.now();
        let agents = Agents::new(&self.shared.app.db);
        let found = match (is_own, agent.version) {
            (true, 0) => Ok(AgentAt::clone(&agent)),
            (true, _) => agents.current(&caller, agent.id.clone()).await,
            (false, _) => match self.shared.conversations.get(caller.user, conversation).await {
                Ok(held) if held.depth > 0 => return Ok(None),
                Ok(held) => agents.current(&caller, held.agent).await,
                Err(error) => Err(error),
            },
        };
        let agent = match found {
            Ok(agent) => agent,
            Err(error) if error.kind() == Kind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !is_own {
            let caller = Caller { agent: None, ..caller };
            let purpose = Purpose::default();
            return Ok(Some(NewTurn { conversation, caller, provider, agent, purpose, now }));
        }
        // The agent acts anew, within the bounds of those that the one before acted in.
        let within = caller.agent.as_ref().and_then(|acting| acting.within.clone());
        let tells = tells.map(|conversation| (conversation, Report::Due));
        let purpose = Purpose { kind, parent: Some(id), job, session, call: None, tells, brief: None };
        Ok(Some(NewTurn { conversation, caller: Caller { agent: within, ..caller }, provider, agent, purpose, now }))
    }

    /// Returns what a conversation is to be told, with a note on it if there is one. `None` if it is nothing.
    async fn news(
        &self,
        caller: &Caller,
        (conversation, note): (ConversationId, Option<&str>),
    ) -> Result<Option<News>> {
        // The turn is known once it has begun.
        let (now, turn) = (self.shared.app.clock.now(), TurnId::new());
        let message = Message::new(MessageId::new(), turn, Role::Assistant, String::new(), now);
        let mut news = News { runs: Vec::new(), message, origin: None };
        let db = &self.shared.app.db;
        for (begun, _) in sessions::due(db, conversation).await? {
            let (run, origin) = match self.answer_of(caller, &begun).await {
                Ok(answer) => answer,
                // It is being deleted.
                Err(error) if error.kind() == Kind::NotFound => {
                    sessions::heard(db, begun.run).await?;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let programs = self.shared.conversations.programs(caller.user, vec![begun.conversation]).await?;
            let of_program = programs.into_iter().find(|origin| origin.is_outside_for(caller));
            let origin = Origin::joined(origin, of_program);
            news.origin = Origin::joined(news.origin, origin.clone());
            news.runs.push(run.run);
            let step = self.step_of(caller, conversation, (run, origin), note).await?;
            news.message.steps.push(step);
        }
        Ok((!news.runs.is_empty()).then_some(news))
    }

    /// The step that tells of a run, as one of a call that was made: never as words of the person.
    async fn step_of(
        &self,
        caller: &Caller,
        conversation: ConversationId,
        (run, origin): SessionAnswer,
        note: Option<&str>,
    ) -> Result<Step> {
        let now = self.shared.app.clock.now();
        let call = CallId::new();
        let mut told = run.shown("output");
        if let (Some(note), Some(told)) = (note, told.as_object_mut()) {
            told.insert("note".to_owned(), json!(note));
        }
        let output = Output::json(told);
        let mut done = Done::new(call, format!("builtin:{TOOL}"), output, 0);
        let rendered = sanitise::render(&done.output);
        if !sanitise::fits(&rendered) {
            let results = Results::new(&self.shared.app.db, caller.user, Some(conversation));
            done.handle = Some(results.put(StoredText { text: rendered, origin }, now).await?);
        }
        let step = Step {
            call_id: call,
            tool: done.tool.clone(),
            state: StepState::Done,
            ..Step::new(TOOL, json!({"session_key": run.session_key}), now)
        };
        let outcome = self.shared.fitted(caller.user, Some(conversation), Ok(Outcome::Done(Box::new(done)))).await;
        settled(step, outcome, now, false).ok_or_else(|| Error::internal("what is told of a session asks"))
    }
}

impl Run {
    /// Tells this turn of the ends of runs that its conversation began, before the model is asked or the turn ends. Returns
    /// whether there was something.
    pub(crate) async fn hear_of_sessions(&self) -> Result<bool> {
        let Some(news) = self.agent.news(self.caller(), (self.conversation(), None)).await? else { return Ok(false) };
        let News { runs, message, origin } = news;
        let told = Told::UnderWay(self.turn.claim());
        match sessions::tell(&self.app().db, told, runs, (message, origin)).await {
            Ok(_) => self.log.emit("reset", &json!({})),
            Err(error) if error.kind() == Kind::Conflict => {}
            Err(error) => return Err(error),
        }
        Ok(true)
    }
}
