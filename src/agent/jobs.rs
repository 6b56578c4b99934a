//! Tasks of jobs: each in a conversation of its own, which its owner can read and go on with.

use futures_util::future::BoxFuture;

use super::chat::{Agent, NewMessage};
use satchel_model::{
    caller::Caller,
    conversation::ConversationId,
    error::{Error, Result},
    id::shorten,
    job::deed::ASSISTANT,
    run::{Purpose, RunId, RunKind},
};
use satchel_services::jobs::tasks::{Task, TaskEnd, Tasks};

impl Tasks for Agent {
    fn check<'a>(&'a self, _: &'a Caller, agent: &'a str) -> BoxFuture<'a, Result<()>> {
        let known = match agent {
            ASSISTANT => Ok(()),
            other => Err(Error::not_found(format!("There is no agent '{}'.", shorten(other)))),
        };
        Box::pin(async { known })
    }

    fn begin(&self, task: Task) -> BoxFuture<'_, Result<(ConversationId, RunId)>> {
        Box::pin(async move {
            let Task { caller, text, job, origin, .. } = task;
            let (conversations, now) = (&self.shared.conversations, self.shared.app.clock.now());
            let conversation = conversations.create(caller.user, job.name.clone(), now).await?.id;
            if let Some(origin) = origin {
                conversations.taint(conversation, origin).await?;
            }
            let message = NewMessage { content: text, attachments: Vec::new(), provider: None };
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
