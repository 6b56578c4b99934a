//! Tasks of jobs: each in a conversation of its own, which its owner can read and go on with.

use futures_util::future::BoxFuture;

use super::chat::{Agent, NewMessage};
use satchel_model::{
    agent::AgentId,
    caller::Caller,
    conversation::ConversationId,
    error::{Error, Kind, Result},
    run::{Purpose, RunId, RunKind},
};
use satchel_services::jobs::tasks::{Task, TaskEnd, Tasks};
use satchel_store::{agents::Agents, conversations::NewConversation};

impl Tasks for Agent {
    fn meant<'a>(&'a self, caller: &'a Caller, agent: &'a str) -> BoxFuture<'a, Result<AgentId>> {
        Box::pin(async move { Ok(Agents::new(&self.shared.app.db).meant(caller, agent).await?.id) })
    }

    fn begin(&self, task: Task) -> BoxFuture<'_, Result<(ConversationId, RunId)>> {
        Box::pin(async move {
            let Task { caller, agent, text, job, origin } = task;
            let (conversations, now) = (&self.shared.conversations, self.shared.app.clock.now());
            let found = Agents::new(&self.shared.app.db).meant(&caller, &agent).await;
            let gone = || {
                Error::denied(
                    "The agent of this job is gone, or not shared with its owner any more. Nothing ran: choose another one \
                     for it.",
                )
            };
            let found = found.map_err(|error| if error.kind() == Kind::NotFound { gone() } else { error })?;
            // One that was named before jobs kept ids: by now the name may be another person's agent.
            let is_own = found.built_in || found.owner.as_ref() == Some(&caller.username);
            if agent.parse::<AgentId>().is_err() && !is_own {
                return Err(gone());
            }
            let agent = found.id;
            let new = NewConversation { title: job.name.clone(), agent, trial: false };
            let conversation = conversations.begin(caller.user, new, now).await?.id;
            if let Some(origin) = origin {
                conversations.taint(conversation, origin).await?;
            }
            let message = NewMessage { content: text, ..NewMessage::default() };
            let purpose = Purpose { kind: RunKind::Job, parent: None, job: Some(job) };
            let begun = self.begin(&caller, conversation, message, purpose).await?;
            Ok((conversation, begun.id))
        })
    }

    fn ended<'a>(
        &'a self,
        caller: &'a Caller,
        (conversation, run): (ConversationId, RunId),
    ) -> BoxFuture<'a, Result<TaskEnd>> {
        Box::pin(async move {
            let events = self.events_of(conversation, run, None);
            let ended = self.ended(caller, (conversation, run), events).await?;
            let origin = self.shared.conversations.get(caller.user, conversation).await?.origin();
            Ok(TaskEnd { state: ended.run.state, answer: ended.answer, error: ended.run.error, origin })
        })
    }
}
