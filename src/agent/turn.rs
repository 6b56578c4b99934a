//! One turn: a loop that reads the rows, does what comes next, and writes it down. It can begin anywhere in the middle,
//! which is how a restart goes on.

use std::{collections::BTreeSet, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{
    chat::{Agent, Shared},
    log::{Log, Subscription},
};
use satchel_app::App;
use satchel_model::{
    audit::{AuditOutcome, Event, EventType},
    caller::Caller,
    conversation::{ConversationId, MessageId, Role, StepState, TurnId, TurnState},
    error::{Error, Kind, Result},
    provider::failure::ProviderFailure,
    time::Time,
};
use satchel_share::behalf;
use satchel_store::{
    messages::Placed,
    turns::{OpenTurn, Summary},
};

/// First wait before the end of a turn is written again; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Longest wait before the end of a turn is written again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A turn and what it is run with.
pub(super) struct Run {
    pub(super) agent: Agent,
    pub(super) turn: OpenTurn,
    pub(super) log: Arc<Log>,
    /// The time at which this process began to run it.
    pub(super) begun: Time,
    /// Names of tools that the model was shown last and words from outside describe; `None` where that was before a restart.
    pub(super) foreign: Option<BTreeSet<String>>,
    /// Fires when the person stops the turn. The end of the process leaves a call under way its time.
    pub(super) cancel: CancellationToken,
}

/// The end of a run that did not fail.
enum End {
    /// With an answer.
    Answered(MessageId),
    /// A person must decide something.
    Parked(MessageId),
}

/// The next thing to do in a turn.
enum Next {
    Ask(Summary, Vec<Placed>),
    Call(Vec<Placed>),
    Wait(MessageId),
    /// Something was added to the rows: they are read again.
    Again,
    End(End),
}

impl Run {
    pub(super) fn shared(&self) -> &Shared {
        &self.agent.shared
    }

    pub(super) fn app(&self) -> &App {
        &self.agent.shared.app
    }

    pub(super) fn id(&self) -> TurnId {
        self.turn.id
    }

    pub(super) fn conversation(&self) -> ConversationId {
        self.turn.conversation
    }

    pub(super) fn caller(&self) -> &Caller {
        &self.turn.caller
    }

    /// Runs the turn in a task of its own and gives its events from the beginning.
    pub(super) fn start(self) -> Subscription {
        self.log.reopen();
        let events = self.log.subscribe(None);
        let (shared, user) = (Arc::clone(&self.agent.shared), Some(self.caller().user));
        shared.app.lifecycle.tracker.spawn_on(behalf::run_as(user, self.drive()), &shared.app.lifecycle.runtime);
        events
    }

    async fn drive(mut self) {
        let steps = AssertUnwindSafe(self.steps()).catch_unwind().await;
        let ended = steps.unwrap_or_else(|_| Err(Error::internal("a turn panicked")));
        if ended.is_err() && self.app().lifecycle.shutdown.is_cancelled() {
            // The rows stay as they are: the next process goes on from them.
            return self.log.close();
        }
        let parked = matches!(ended, Ok(End::Parked(_)));
        let is_written = self.finish(ended).await;
        self.log.close();
        match parked {
            // Another node is at it: its events are told by the rows.
            _ if !is_written => self.agent.forget(self.conversation(), &self.log),
            true => self.agent.wake(self.conversation()).await,
            false => {
                self.agent.forget_later(self.conversation(), self.log);
                // Whoever is to hear of this run, and what this one was to hear of and did not any more.
                for conversation in self.turn.tells.into_iter().chain([self.turn.conversation]) {
                    Box::pin(self.agent.tell_in(conversation)).await;
                }
                self.agent.expect_episode(self.turn.caller.user, self.turn.conversation).await;
            }
        }
    }

    async fn steps(&mut self) -> Result<End> {
        loop {
            self.ensure_going()?;
            match self.next().await? {
                // What it said changes what is asked: the rows are read again.
                Next::Ask(..) if self.steer().await? => {}
                Next::Ask(summary, placed) => self.ask(summary, placed).await?,
                Next::Call(placed) => self.call(&placed).await?,
                Next::Wait(message) if !self.collect_decided().await? => return Ok(End::Parked(message)),
                Next::Wait(_) | Next::Again => {}
                Next::End(end) => return Ok(end),
            }
        }
    }

    /// Reads the turn's row. The caller is read with it: what was taken away from them, or from the key they began the
    /// turn with, is gone at the next step.
    ///
    /// # Errors
    ///
    /// If nothing of theirs is open to them any more, or they have asked for the turn's end.
    pub(super) async fn refresh(&mut self) -> Result<()> {
        let turn = self.shared().turns.open_in(self.conversation()).await?;
        self.turn = turn.filter(|turn| turn.claim() == self.turn.claim()).ok_or_else(stopped)?;
        if self.turn.stop_asked {
            self.cancel.cancel();
            return Err(stopped());
        }
        self.caller().ensure_personal().map_err(|_| {
            Error::denied("The turn was ended: the key it was begun with was revoked, or its owner is kept out.")
        })
    }

    /// Reads the rows, and what comes next by them.
    async fn next(&mut self) -> Result<Next> {
        self.refresh().await?;
        let (summary, placed) = self.shared().turns.history(self.conversation()).await?;
        let last = placed.last().map(|placed| &placed.message).ok_or_else(stopped)?;
        let any = |state: StepState| last.steps.iter().any(|step| step.state == state);
        Ok(if any(StepState::Pending) {
            Next::Call(placed)
        } else if any(StepState::Waiting) {
            Next::Wait(last.id)
        } else if self.hear_of_sessions().await? {
            Next::Again
        } else if last.role == Role::User {
            Next::Ask(summary, placed)
        } else if last.steps.is_empty() || any(StepState::Handed) {
            // Whoever was given calls comes back with their results.
            self.hand_over(last);
            Next::End(End::Answered(last.id))
        } else {
            Next::Ask(summary, placed)
        })
    }

    /// Writes the turn's end, and tries again where it cannot: a disk that is full has room again some day, and until
    /// then nobody can go on here. False where the turn was not this node's to end any more, or the process ended first.
    async fn finish(&self, ended: Result<End>) -> bool {
        let (state, message, error) = self.judge(ended);
        if let Some(error) = &error {
            self.tell(error);
        }
        let mut pause = FIRST_PAUSE;
        while let Err(problem) = self.write_end(state, message, error.as_ref()).await {
            if problem.kind() == Kind::Cancelled {
                tracing::warn!(turn = %self.id(), "another node has taken a turn over");
                return false;
            }
            tracing::error!(?problem, turn = %self.id(), "the end of a turn could not be written");
            if error.is_none() && pause == FIRST_PAUSE {
                self.tell(&problem);
            }
            tokio::select! {
                () = self.app().lifecycle.shutdown.cancelled() => return false,
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
            }
        }
        true
    }

    fn tell(&self, error: &Error) {
        let failure = ProviderFailure::from_error(error);
        let mut told = json!({"kind": error.kind(), "message": error.message(), "failure": failure});
        let code = error.details().and_then(|details| details.get("code"));
        if let (Some(code), Some(told)) = (code, told.as_object_mut()) {
            told.insert("code".to_owned(), code.clone());
        }
        self.log.emit("error", &told);
    }

    async fn write_end(&self, state: TurnState, message: Option<MessageId>, error: Option<&Error>) -> Result<()> {
        let message = match message {
            Some(message) => Some(message),
            None => self.give_up_steps("This call was not run: the turn had ended.").await?,
        };
        // Before another turn begins: it looks at what stands in the conversation.
        let untitled = if state == TurnState::Done { self.untitled().await } else { None };
        self.set_end(state, error).await?;
        if state != TurnState::Waiting {
            self.record(state, error).await?;
        }
        let done = match untitled {
            Some(untitled) => {
                self.begin_title(untitled);
                json!({"message_id": message, "state": state, "titling": true})
            }
            None => json!({"message_id": message, "state": state}),
        };
        self.log.emit("done", &done);
        Ok(())
    }

    /// Ends the turn, and begins that of the next message that waits where this one is answered.
    async fn set_end(&self, state: TurnState, error: Option<&Error>) -> Result<()> {
        let (turns, claim, conversation) = (&self.shared().turns, self.turn.claim(), self.conversation());
        let is_done = state == TurnState::Done;
        let next = if is_done { self.agent.next_queued(conversation).await } else { None };
        let at = (self.app().clock.now(), self.log.last() + 1);
        let ended = match next {
            Some(next) => turns.end_and_begin(claim, at, next).await,
            None => turns.set_state(claim, state, error.cloned(), at).await.map(|()| None),
        };
        let begun = match ended {
            // The next one cannot begin now: this one ends without it.
            Err(problem) if problem.kind() == Kind::Conflict => {
                turns.set_state(claim, state, error.cloned(), at).await?;
                None
            }
            ended => ended?,
        };
        match begun {
            Some(begun) => drop(self.agent.start(begun)),
            // One may have come meanwhile.
            None if is_done => self.agent.take_queued(conversation).await,
            None => {}
        }
        Ok(())
    }

    /// The state a turn ends in, its last message where that is known, and its error.
    fn judge(&self, ended: Result<End>) -> (TurnState, Option<MessageId>, Option<Error>) {
        match ended {
            Ok(End::Answered(message)) => (TurnState::Done, Some(message), None),
            Ok(End::Parked(message)) => (TurnState::Waiting, Some(message), None),
            Err(_) if self.cancel.is_cancelled() => (TurnState::Cancelled, None, None),
            Err(error) => {
                tracing::warn!(?error, turn = %self.id(), "a turn failed");
                (TurnState::Failed, None, Some(error))
            }
        }
    }

    /// The turn's row in the audit.
    pub(super) async fn record(&self, state: TurnState, error: Option<&Error>) -> Result<()> {
        let cost = self.shared().turns.usage(self.id()).await?;
        let (caller, action) = (self.caller(), format!("turn {}", state.as_str()));
        let event = Event {
            user_id: Some(caller.user),
            user: caller.username.clone(),
            agent: caller.agent.as_ref().map(|agent| agent.name.clone()),
            topic: Some(self.conversation()),
            arguments: json!({"turn": self.id(), "model_calls": self.turn.model_calls, "usage": cost}),
            outcome: match state {
                TurnState::Failed => AuditOutcome::Failure,
                TurnState::Cancelled => AuditOutcome::Stopped,
                TurnState::Running | TurnState::Waiting | TurnState::Done => AuditOutcome::Success,
            },
            error: error.map(|error| error.message().to_owned()),
            ..Event::new(self.app().clock.now(), EventType::ChatTurn, caller.door, action)
        };
        self.app().stores.audit.append(event).await.map(drop)
    }

    /// Checks that more may be begun.
    ///
    /// # Errors
    ///
    /// If the person has stopped the turn, or the process ends.
    pub(super) fn ensure_going(&self) -> Result<()> {
        let ends = self.cancel.is_cancelled() || self.app().lifecycle.shutdown.is_cancelled();
        if ends { Err(stopped()) } else { Ok(()) }
    }

    /// Waits, unless the turn is stopped or the process ends first: for what can be asked again.
    pub(super) async fn unless_stopped<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(stopped()),
            () = self.app().lifecycle.shutdown.cancelled() => Err(stopped()),
            done = work => done,
        }
    }
}

pub(super) fn stopped() -> Error {
    Error::new(Kind::Cancelled, "The turn was stopped.")
}
