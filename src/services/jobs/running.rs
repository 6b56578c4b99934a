//! One run: as the owner it has now, from its claim to what became of it.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    ending::{self, Try},
    service::Jobs,
    tasks::Task,
};
use satchel_engine::sanitise;
use satchel_model::{
    audit::{AuditOutcome, Event, EventType},
    call::Call,
    caller::{Caller, Door},
    conversation::ConversationId,
    error::{Error, Kind, Result},
    job::{Deed, JobName, LogLine, deed},
    origin::Origin,
    run::{RunId, RunState},
    spec::Risk,
    text::clip,
};
use satchel_store::{
    jobs::{Begun, Claimed, Ended, Next},
    notices::{self, NewNotice},
};

/// Most characters of what a webhook carried that a message shows.
const SHOWN: usize = 2_000;
/// Most characters of it that an agent reads.
const CARRIED: usize = 20_000;

impl Jobs {
    /// Does what a run is for, and notes what became of it.
    pub(super) async fn run(&self, run: Claimed) {
        let tried = AssertUnwindSafe(self.attempt(&run)).catch_unwind().await;
        let ended = tried.unwrap_or_else(|_| {
            let error = Error::internal("a run of a job panicked");
            Some(self.failed(&run, &error, Risk::HighWrite))
        });
        if let Some((next, ended)) = ended {
            self.settle(&run, next, ended).await;
        }
    }

    /// `None` where the server ends first: the next start goes on with it.
    async fn attempt(&self, run: &Claimed) -> Option<(Next, Ended)> {
        let owner = match self.app.stores.jobs.owner_now(&run.owner).await {
            Ok(owner) => owner,
            Err(error) => return Some(self.refused(run, &error).await),
        };
        Some(match &run.deed {
            Deed::Tool { tool, params } => self.call(run, owner, tool, params).await,
            Deed::Backup => self.back_up(run, &owner).await,
            Deed::Message(text) => self.message(run, &owner, text).await,
            Deed::Task { agent, task } => return self.task(run, owner, agent, task).await,
        })
    }

    /// Has an agent do a task; one that was begun before goes on.
    async fn task(&self, run: &Claimed, owner: Caller, agent: &str, text: &str) -> Option<(Next, Ended)> {
        let at = match (run.run.conversation, run.run.run) {
            (Some(conversation), Some(turn)) => (conversation, turn),
            _ => match self.begin_task(run, owner.clone(), agent, text).await {
                Ok(at) => at,
                Err(error) => return Some(self.failed(run, &error, Risk::Read)),
            },
        };
        match self.tasks.ended(&owner, at).await {
            Ok(end) => Some(ending::of_task(end)),
            Err(error) if error.kind() == Kind::Cancelled && self.app.lifecycle.shutdown.is_cancelled() => None,
            Err(error) => Some(self.failed(run, &error, Risk::HighWrite)),
        }
    }

    async fn begin_task(
        &self,
        run: &Claimed,
        caller: Caller,
        agent: &str,
        text: &str,
    ) -> Result<(ConversationId, RunId)> {
        let carried = run.input.as_ref().map(|body| clip(&body.to_string(), CARRIED).into_owned());
        let from_webhook = carried.is_some().then(|| self.webhook_origin(run));
        let text = match carried {
            Some(carried) => format!("{text}\n\n{}", sanitise::wrap("webhook", &sanitise::neutralise(&carried), None)),
            None => text.to_owned(),
        };
        let task = Task {
            caller,
            agent: agent.to_owned(),
            text,
            job: JobName { id: run.job.id, name: run.job.name.clone() },
            origin: Origin::joined(run.job.origin.clone(), from_webhook),
        };
        let at = self.tasks.begin(task).await?;
        let line = format!("Try {}: the agent does the task.", run.run.attempt);
        // It is under way whether that could be noted or not: another try would begin it twice.
        if let Err(error) = self.note(run, Begun::Task(at.0, at.1), line).await {
            tracing::warn!(?error, "it could not be noted which run of an agent does the task of a job");
        }
        Ok(at)
    }

    /// The owner may no longer have it run: nothing does, and one whose account is gone is paused.
    async fn refused(&self, run: &Claimed, error: &Error) -> (Next, Ended) {
        self.record(run, None, Some(error)).await;
        if self.app.stores.jobs.is_gone(run.owner.user).await.unwrap_or(false) {
            let why = format!("The account of {}, whose job this is, was deleted.", run.owner.username);
            let paused = self.app.stores.jobs.pause_because(run.job.id, why, self.app.clock.now()).await;
            if let Err(error) = paused {
                tracing::warn!(?error, "a job whose owner is gone could not be paused");
            }
        }
        let ended =
            Ended { error: Some(error.message().to_owned()), told: error.message().to_owned(), ..Ended::default() };
        (Next::Stands(RunState::Failed), ended)
    }

    async fn call(&self, run: &Claimed, owner: Caller, tool: &str, params: &Value) -> (Next, Ended) {
        let body = run.input.clone().unwrap_or(Value::Null);
        let params = match deed::filled(params, &body) {
            Ok(params) => params,
            Err(error) => return self.failed(run, &error, Risk::Read),
        };
        let from_webhook = run.deed.reads_webhook().then(|| self.webhook_origin(run));
        let origin = Origin::joined(run.job.origin.clone(), from_webhook);
        let job = Some(JobName { id: run.job.id, name: run.job.name.clone() });
        let risk = self.risk(tool, &params);
        let situation = owner.agent.as_ref().map(|agent| agent.situation(None)).unwrap_or_default();
        let call = Call { job, origin, situation, ..Call::new(owner, tool, params) };
        let line = format!("Try {}: calls {tool}.", run.run.attempt);
        if let Err(error) = self.note(run, Begun::Call(call.id), line).await {
            return self.failed(run, &error, Risk::Read);
        }
        let outcome = self.invoker.invoke(call, CancellationToken::new()).await;
        ending::of_call(&outcome, self.this_try(run, risk))
    }

    /// The risk of a call. One whose tool is not known does nothing.
    pub(super) fn risk(&self, tool: &str, params: &Value) -> Risk {
        let registry = self.invoker.registry();
        registry.find(tool).map_or(Risk::Read, |found| registry.risk_of(&found, params.clone()))
    }

    async fn message(&self, run: &Claimed, owner: &Caller, text: &str) -> (Next, Ended) {
        let carried = run.input.as_ref().map(|body| format!("{text}\n\n{}", clip(&body.to_string(), SHOWN)));
        let from_webhook = carried.is_some().then(|| self.webhook_origin(run));
        let notice = NewNotice {
            id: self.notice_id(run),
            text: carried.unwrap_or_else(|| text.to_owned()),
            job: JobName { id: run.job.id, name: run.job.name.clone() },
            warns: false,
            origin: Origin::joined(run.job.origin.clone(), from_webhook),
        };
        let sent = notices::send(&self.app.db, owner.user, notice, self.app.clock.now()).await;
        self.record(run, Some(owner), sent.as_ref().err()).await;
        match sent {
            Ok(()) => ending::done("It is in the inbox.".to_owned(), None),
            Err(error) => self.failed(run, &error, Risk::Read),
        }
    }

    async fn back_up(&self, run: &Claimed, owner: &Caller) -> (Next, Ended) {
        let made = match owner.require("settings:manage") {
            Ok(()) => match self.note(run, Begun::Other, format!("Try {}: makes a backup.", run.run.attempt)).await {
                Ok(()) => self.backups.make_scheduled().await,
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        self.record(run, Some(owner), made.as_ref().err()).await;
        match made {
            Ok(told) => ending::done(told, None),
            Err(error) => self.failed(run, &error, Risk::Read),
        }
    }

    pub(super) fn failed(&self, run: &Claimed, error: &Error, risk: Risk) -> (Next, Ended) {
        ending::of_failure(error, self.this_try(run, risk))
    }

    fn this_try(&self, run: &Claimed, risk: Risk) -> Try {
        let (attempt, retries, now) = (run.run.attempt, run.job.retries, self.app.clock.now());
        let is_ending = self.app.lifecycle.shutdown.is_cancelled();
        Try { risk, attempt, retries, now, is_ending }
    }

    fn webhook_origin(&self, run: &Claimed) -> Origin {
        Origin::new(format!("webhook: {}", run.job.name), run.run.due_at)
    }

    /// Notes that a run begins with its work.
    async fn note(&self, run: &Claimed, begun: Begun, text: String) -> Result<()> {
        let line = LogLine { at: self.app.clock.now(), text };
        self.app.stores.jobs.note_begun(run, begun, line).await
    }

    /// Writes the row of a run that is no call: those have rows of their own.
    async fn record(&self, run: &Claimed, owner: Option<&Caller>, failure: Option<&Error>) {
        let outcome = match (owner, failure) {
            (_, None) => AuditOutcome::Success,
            (None, Some(_)) => AuditOutcome::Refused,
            (Some(_), Some(_)) => AuditOutcome::Failure,
        };
        let event = Event {
            time: self.app.clock.now(),
            event_type: EventType::AdminAction,
            user_id: Some(run.owner.user),
            user: owner.map_or_else(|| run.owner.username.clone(), |owner| owner.username.clone()),
            topic: None,
            tool: None,
            door: Door::Job,
            action: "job.run".to_owned(),
            arguments: json!({"id": run.job.id, "name": run.job.name}),
            risk: None,
            outcome,
            error: failure.map(|error| error.message().to_owned()),
            duration_ms: None,
            call_id: None,
            approved_by: None,
            edited: Vec::new(),
            own_words: false,
        };
        if let Err(error) = self.app.stores.audit.append(event).await {
            tracing::error!(?error, "a run of a job is not in the audit");
        }
    }
}
