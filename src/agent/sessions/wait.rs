//! The ends of runs of sessions, as the calls that began them have them.

use std::time::Duration;

use crate::chat::Agent;
use satchel_engine::context::Context;
use satchel_model::{
    agent::session::{Report, SessionRun},
    caller::Caller,
    conversation::{ConversationId, Message, Role},
    error::Result,
    origin::Origin,
    run::RunId,
};
use satchel_store::{
    agents::sessions::{self, Begun},
    runs::{self, Sight},
};

/// The longest that a call waits for the end of a run. After that its conversation is told of it.
const LONGEST: Duration = Duration::from_secs(3_600);

/// A run of a session, and the origin of what is said there, if from outside.
pub(super) type SessionAnswer = (SessionRun, Option<Origin>);

/// A call that waits for the end of a run. Where it is dropped before that, its conversation is told.
struct Waiting {
    agent: Agent,
    run: RunId,
    is_over: bool,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let (agent, run) = (self.agent.clone(), self.run);
        let tell = async move {
            if let Err(error) = sessions::report(&agent.shared.app.db, run, Report::Due).await {
                tracing::warn!(?error, %run, "it could not be kept that nobody waits for a session any more");
            }
        };
        let lifecycle = &self.agent.shared.app.lifecycle;
        lifecycle.tracker.spawn_on(tell, &lifecycle.runtime);
    }
}

impl Agent {
    /// Returns what has come of a run so far; one that is awaited is waited for.
    pub(super) async fn come_of(&self, cx: &Context, begun: Begun, report: Report) -> Result<SessionRun> {
        let db = &self.shared.app.db;
        let mut waiting = None;
        if report == Report::Awaited {
            waiting = Some(Waiting { agent: self.clone(), run: begun.run, is_over: false });
            let at = (begun.conversation, begun.run);
            let ended = self.ended(cx.caller(), at, self.events_of(at.0, at.1, None));
            // Once its hour is over it goes on, and the conversation is told: what waits here says so as it goes.
            if let Ok(ended) = tokio::time::timeout(LONGEST, ended).await {
                drop(ended?);
            }
        }
        let (run, origin) = self.answer_of(cx.caller(), &begun).await?;
        cx.taint().note(origin);
        cx.taint().note(self.shared.conversations.programs(cx.caller().user, vec![begun.conversation]).await?);
        // Last: until then somebody is still to be told.
        if let Some(mut waiting) = waiting.filter(|_| run.state.is_over()) {
            sessions::heard(db, run.run).await?;
            waiting.is_over = true;
        }
        Ok(run)
    }

    /// Returns the standing of a run, with its answer once it is over.
    pub(super) async fn answer_of(&self, caller: &Caller, begun: &Begun) -> Result<SessionAnswer> {
        let run = runs::get(&self.shared.app.db, Sight::new(caller), begun.run).await?;
        let answer = match run.state.is_over() {
            true => self.text_of(begun.conversation, begun.run).await?,
            false => None,
        };
        let origin = self.shared.conversations.get(caller.user, begun.conversation).await?.origin();
        let told = SessionRun { session_key: begun.key(), run: run.id, state: run.state, answer, error: run.error };
        Ok((told, origin))
    }

    async fn text_of(&self, conversation: ConversationId, run: RunId) -> Result<Option<String>> {
        let last = self.shared.turns.last_message(conversation, run).await?;
        let is_answer = |message: &Message| message.role == Role::Assistant && !message.text.is_empty();
        Ok(last.filter(is_answer).map(|message| message.text))
    }
}
