//! The calls of one message: what reads runs together, what writes runs alone and in the model's order.

use std::collections::BTreeSet;

use futures_util::{StreamExt, stream};
use serde_json::json;

use super::{
    repetition::{self, Repetition},
    situation::situation,
    turn::{Run, stopped},
};
use satchel_model::{
    call::{Call, Outcome, Ticket, TicketId, ToolWords},
    conversation::{Message, MessageId, Step, StepState},
    error::{Error, Kind, Result},
    origin::Origin,
    run::RunKind,
    spec::Risk,
};
use satchel_store::messages::Placed;

/// Most calls that run at once.
const AT_ONCE: usize = 8;

/// The place of a step: its message and its index there.
pub(super) type Place = (MessageId, usize);

impl Run {
    /// Runs the pending calls of the last message.
    pub(super) async fn call(&mut self, placed: &[Placed]) -> Result<()> {
        let turn: Vec<Message> = placed
            .iter()
            .map(|placed| &placed.message)
            .filter(|message| message.turn_id == self.id())
            .cloned()
            .collect();
        let Some(message) = turn.last() else { return Ok(()) };
        let pending: Vec<(usize, Step)> = message
            .steps
            .iter()
            .enumerate()
            .filter(|(_, step)| step.state == StepState::Pending)
            .map(|(position, step)| (position, step.clone()))
            .collect();
        // Nobody would read what came of them.
        self.require_step()?;
        if self.foreign.is_none() && !pending.is_empty() {
            self.foreign = Some(self.foreign_words(message.provider.as_deref()).await?);
        }
        for (at, group) in groups(pending).into_iter().enumerate() {
            if at > 0 {
                self.refresh().await?;
            }
            let runs = group.into_iter().map(|(position, step)| self.one((message.id, position), step, &turn));
            let ended: Vec<Result<()>> = stream::iter(runs).buffer_unordered(AT_ONCE).collect().await;
            ended.into_iter().collect::<Result<()>>()?;
            self.ensure_going()?;
        }
        Ok(())
    }

    async fn one(&self, place: Place, mut step: Step, turn: &[Message]) -> Result<()> {
        self.log.emit(
            "tool_start",
            &json!({
                "call_id": step.call_id,
                "tool": step.tool,
                "arguments": step.arguments,
                "risk": step.risk,
                "message_id": place.0,
            }),
        );
        if let Some(malformed) = step.malformed.clone() {
            return self.settle(place, step, Err(Error::invalid(malformed))).await;
        }
        match repetition::judge(turn, &step) {
            Repetition::Fine => {}
            Repetition::Tell => return self.settle(place, step, Err(Error::conflict(repetition::TOLD))).await,
            Repetition::Stop => return Err(Error::new(Kind::Exhausted, repetition::STOPPED)),
        }
        step.state = StepState::Running;
        step.started_at = self.app().clock.now();
        self.put(place, &step).await?;
        let provider =
            turn.iter().find(|message| message.id == place.0).and_then(|message| message.provider.as_deref());
        let outcome = self.invoke(&step, None, provider).await;
        if is_taken_back(&outcome) && self.app().lifecycle.shutdown.is_cancelled() {
            // The row stays as it is: the next process says what is uncertain.
            return Err(stopped());
        }
        match outcome {
            Ok(Outcome::Confirm(ticket)) => self.wait_for(place, step, &ticket).await,
            outcome => self.settle(place, step, outcome).await,
        }
    }

    /// Lets a step wait for the decision of a ticket.
    pub(super) async fn wait_for(&self, place: Place, mut step: Step, ticket: &Ticket) -> Result<()> {
        step.state = StepState::Waiting;
        step.ticket_id = Some(ticket.id);
        self.put(place, &step).await?;
        self.log.emit("confirmation", &json!({"ticket": ticket, "call_id": step.call_id}));
        Ok(())
    }

    /// Makes the call of a step that a provider's model asked for; with its ticket, fetches what came of it.
    pub(super) async fn invoke(
        &self,
        step: &Step,
        ticket: Option<TicketId>,
        provider: Option<&str>,
    ) -> Result<Outcome> {
        let call = Call {
            id: step.call_id,
            topic: Some(self.conversation()),
            ticket,
            tool_words: self.tool_words(&step.asked_as),
            job: self.turn.job.clone(),
            situation: situation(self.caller(), provider),
            ..Call::new(self.caller().clone(), step.asked_as.clone(), step.asked().clone())
        };
        self.shared().invoker.invoke(call, self.cancel.child_token()).await
    }

    /// Returns what words from outside describe tools to the model that asks for this one.
    fn tool_words(&self, tool: &str) -> Option<ToolWords> {
        let foreign = self.foreign.as_ref()?;
        let origin = self.origin_of_words(foreign)?;
        Some(ToolWords { origin, of_called: foreign.contains(tool) })
    }

    fn origin_of_words(&self, foreign: &BTreeSet<String>) -> Option<Origin> {
        Some(Origin::new(format!("what is said of {}", foreign.first()?), self.begun))
    }

    /// Notes that a session's model reads words from outside of these tools: its answer may repeat them to whoever began it,
    /// who is shown other tools.
    pub(super) async fn note_foreign(&self, foreign: &BTreeSet<String>) -> Result<()> {
        match self.origin_of_words(foreign).filter(|_| self.turn.kind == RunKind::Sub) {
            Some(origin) => self.shared().conversations.taint(self.conversation(), origin).await,
            None => Ok(()),
        }
    }

    /// Tells of the calls that were given to the program that asked, once all others are over.
    pub(super) fn hand_over(&self, message: &Message) {
        for step in message.steps.iter().filter(|step| step.state == StepState::Handed) {
            let Step { call_id, asked_as, arguments, .. } = step;
            let call = json!({"message_id": message.id, "call_id": call_id, "name": asked_as, "arguments": arguments});
            self.log.emit("handed", &call);
        }
    }

    pub(super) async fn put(&self, place: Place, step: &Step) -> Result<()> {
        self.shared().turns.put_step(self.turn.claim(), place, step.clone()).await
    }
}

/// Returns whether the call was ended from outside, as against having failed by itself.
fn is_taken_back(outcome: &Result<Outcome>) -> bool {
    outcome.as_ref().is_err_and(|error| error.kind() == Kind::Cancelled)
}

/// Neighbours that only read form a group; each other call is one by itself.
fn groups(steps: Vec<(usize, Step)>) -> Vec<Vec<(usize, Step)>> {
    let mut groups: Vec<Vec<(usize, Step)>> = Vec::new();
    for (position, step) in steps {
        let reads = step.risk == Risk::Read;
        match groups.last_mut() {
            Some(group) if reads && group.iter().all(|(_, other)| other.risk == Risk::Read) => {
                group.push((position, step));
            }
            _ => groups.push(vec![(position, step)]),
        }
    }
    groups
}
