//! Turns that wait: for a person's decision, or for a process to take them over.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{
    calls::Place,
    chat::{Agent, Shared},
    settle::settled,
    situation::situation,
    turn::Run,
};
use satchel_model::{
    call::{Call, Outcome, Ticket, TicketState},
    caller::Caller,
    conversation::{ConversationId, Step, StepState, TurnId, TurnState},
    error::Result,
};
use satchel_store::turns::OpenTurn;

/// The process that ran a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunBy {
    This,
    Last,
}

impl Agent {
    /// A person has decided a ticket: the turn that waits for it goes on once none of its questions is open. Where the
    /// conversation had gone on while the call was being run, its step is told what came of it.
    pub async fn ticket_decided(&self, ticket: &Ticket, person: &Caller) -> Result<()> {
        match self.shared.turns.waiting_for(ticket.id).await? {
            Some(turn) => self.try_wake(turn.conversation).await,
            None => self.settle_uncertain(ticket, person, RunBy::This).await,
        }
    }

    async fn settle_uncertain(&self, ticket: &Ticket, person: &Caller, run_by: RunBy) -> Result<()> {
        let Some(topic) = ticket.topic else { return Ok(()) };
        // What stopped a call of the last process is not known any more.
        let is_stopped = run_by == RunBy::This && !self.shared.app.lifecycle.shutdown.is_cancelled();
        for message in self.shared.turns.waited(topic, ticket.id).await? {
            let steps = message.steps.into_iter().enumerate();
            let is_asked = |step: &Step| {
                step.ticket_id == Some(ticket.id) && step.state == StepState::Uncertain && step.output.is_none()
            };
            for (position, step) in steps.filter(|(_, step)| is_asked(step)) {
                let outcome = self.collect(&step, ticket, person).await;
                let outcome = self.shared.fitted(person.user, Some(topic), outcome).await;
                // Refused before its end could be fetched, for instance because tools are off: that is not its end.
                let is_its_own = outcome.as_ref().err().is_none_or(|error| error.approval().is_some());
                if ticket.state == TicketState::Done && !is_its_own {
                    continue;
                }
                if let Some(step) = settled(step, outcome, self.shared.app.clock.now(), is_stopped) {
                    self.shared.turns.settle_step((message.id, position), step).await?;
                }
            }
        }
        Ok(())
    }

    /// Returns the outcome of a step's question that is decided.
    pub(super) async fn collect(&self, step: &Step, ticket: &Ticket, caller: &Caller) -> Result<Outcome> {
        let call = Call {
            id: step.call_id,
            topic: ticket.topic,
            ticket: Some(ticket.id),
            situation: situation(caller, None),
            ..Call::new(caller.clone(), step.asked_as.clone(), step.asked().clone())
        };
        self.shared.invoker.invoke(call, CancellationToken::new()).await
    }

    /// Goes on with the turns that this node has claimed of others, looks after those that wait, and tells the steps that
    /// were given up in earlier ones what came of them.
    pub async fn resume(&self, claimed: &[TurnId]) -> Result<()> {
        // First: the turns that go on read them.
        self.settle_given_up().await?;
        for turn in self.shared.turns.open().await? {
            let (conversation, last_event) = (turn.conversation, turn.last_event.max(1));
            if turn.state == TurnState::Waiting {
                self.wake(conversation).await;
            } else if claimed.contains(&turn.id) {
                let run = self.run(turn, last_event);
                run.recover_steps().await?;
                drop(run.start());
            }
        }
        self.take_left().await
    }

    /// Settles the steps whose call was running when their conversation went on, and whose end came when the last process
    /// could no longer tell them.
    async fn settle_given_up(&self) -> Result<()> {
        for (ticket, caller) in self.shared.turns.given_up().await? {
            let now = self.shared.app.clock.now();
            match self.shared.app.stores.tickets.get(ticket, caller.user, now).await {
                Ok(ticket) if is_decided(&ticket) => self.settle_uncertain(&ticket, &caller, RunBy::Last).await?,
                Ok(_) => {}
                Err(error) => tracing::warn!(?error, %ticket, "what came of a call is not known any more"),
            }
        }
        Ok(())
    }

    /// As [`Agent::try_wake`], where nobody can be told of a failure.
    pub(super) async fn wake(&self, id: ConversationId) {
        if let Err(error) = Box::pin(self.try_wake(id)).await {
            tracing::error!(?error, conversation = %id, "a waiting turn could not be looked after");
        }
    }

    /// Lets a waiting turn go on where one of its questions is decided; else it is looked after again when the next one
    /// expires.
    async fn try_wake(&self, id: ConversationId) -> Result<()> {
        let Some(turn) = self.shared.turns.open_in(id).await? else { return Ok(()) };
        if turn.state != TurnState::Waiting {
            // It runs, and looks at its questions before it waits again.
            return Ok(());
        }
        match self.open_questions(&turn).await? {
            Some(expires_in) => self.wake_after(id, expires_in),
            None => drop(self.take_up(turn).await?.map(Run::start)),
        }
        Ok(())
    }

    /// Takes a waiting turn up; `None` where somebody else did.
    async fn take_up(&self, turn: OpenTurn) -> Result<Option<Run>> {
        let turn = self.shared.turns.take_up(turn).await?;
        Ok(turn.map(|turn| {
            let last_event = turn.last_event.max(1);
            self.run(turn, last_event)
        }))
    }

    fn wake_after(&self, id: ConversationId, wait: Duration) {
        let agent = self.clone();
        let later = async move {
            tokio::select! {
                () = tokio::time::sleep(wait) => agent.wake(id).await,
                () = agent.shared.app.lifecycle.shutdown.cancelled() => {}
            }
        };
        self.shared.app.lifecycle.tracker.spawn_on(later, &self.shared.app.lifecycle.runtime);
    }

    /// Ends a turn that waits, because the person stopped it or went on without deciding.
    pub(super) async fn give_up_waiting(&self, id: ConversationId) -> Result<()> {
        let turn = self.shared.turns.open_in(id).await?;
        let Some(turn) = turn.filter(|turn| turn.state == TurnState::Waiting) else { return Ok(()) };
        let Some(run) = self.take_up(turn).await? else { return Ok(()) };
        let message = run.give_up_steps("The person went on without deciding. Nothing was run.").await?;
        let at = (run.app().clock.now(), run.log.last() + 1);
        self.shared.turns.set_state(run.turn.claim(), TurnState::Cancelled, None, at).await?;
        run.record(TurnState::Cancelled, None).await?;
        run.log.emit("done", &serde_json::json!({"message_id": message, "state": TurnState::Cancelled}));
        run.log.close();
        self.forget_later(id, run.log);
        Ok(())
    }

    /// Returns how long it is until the first question of a turn expires; `None` if one of them is decided already.
    async fn open_questions(&self, turn: &OpenTurn) -> Result<Option<Duration>> {
        let now = self.shared.app.clock.now();
        let mut least = i64::MAX;
        for (_, _, ticket) in self.shared.questions(turn).await? {
            if is_decided(&ticket) {
                return Ok(None);
            }
            least = least.min(ticket.expires_at.millis() - now.millis());
        }
        // A call that was approved and is being run past its question's time is looked at again a little later.
        Ok((least < i64::MAX).then(|| Duration::from_millis(u64::try_from(least).unwrap_or(0).max(1_000) + 10)))
    }
}

impl Run {
    /// Fetches the results of decided questions and ends their steps; where one was changed, its step waits for the question
    /// in its place. False where none was decided.
    pub(super) async fn collect_decided(&self) -> Result<bool> {
        let questions = self.shared().questions(&self.turn).await?;
        let decided: Vec<_> = questions.into_iter().filter(|(_, _, ticket)| is_decided(ticket)).collect();
        for (place, step, ticket) in &decided {
            let outcome = self.invoke(step, Some(ticket.id), None).await;
            self.log.emit("ticket_decided", &serde_json::json!({"ticket": ticket, "call_id": step.call_id}));
            match outcome {
                // What it asked about was changed: another question stands in its place.
                Ok(Outcome::Confirm(again)) => self.wait_for(*place, step.clone(), &again).await?,
                outcome => self.settle(*place, step.clone(), outcome).await?,
            }
        }
        Ok(!decided.is_empty())
    }
}

impl Shared {
    /// The steps of a turn that wait, and their questions.
    async fn questions(&self, turn: &OpenTurn) -> Result<Vec<(Place, Step, Ticket)>> {
        let now = self.app.clock.now();
        let mut questions = Vec::new();
        let Some(message) = self.turns.last_message(turn.conversation, turn.id).await? else { return Ok(questions) };
        for (position, step) in message.steps.into_iter().enumerate().filter(|(_, s)| s.state == StepState::Waiting) {
            let Some(id) = step.ticket_id else { continue };
            let ticket = self.app.stores.tickets.get(id, turn.caller.user, now).await?;
            questions.push(((message.id, position), step, ticket));
        }
        Ok(questions)
    }
}

fn is_decided(ticket: &Ticket) -> bool {
    !matches!(ticket.state, TicketState::Pending | TicketState::Running)
}
