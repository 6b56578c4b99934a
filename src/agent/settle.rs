//! The outcome of a call: written down, told to the streams, and put into words for the model.

use std::{mem, sync::Arc};

use serde_json::{Value, json};

use super::{calls::Place, chat::Shared, turn::Run};
use satchel_engine::{
    cut::{self, Recipient},
    sanitise,
};
use satchel_host::aside;
use satchel_model::{
    call::{Outcome, TicketId, TicketState},
    conversation::{ConversationId, Message, MessageId, Step, StepState},
    error::{Error, Kind, Result},
    spec::Risk,
    time::Time,
    user::UserId,
};
use satchel_services::answer::InvokeAnswer;

/// The text a model reads of a call that was approved and still ran when its turn ended.
const STILL_RUNNING: &str = "A person approved this, and it was still running when the conversation went on: it may or may \
                             not have taken effect. Check before you call it again.";

/// The text a model reads of a call that was begun and whose end could not be written down.
const UNRECORDED: &str = "What came of this could not be written down: it may or may not have taken effect. Check before \
                          you call it again.";

/// The text a model reads of a call that was running when the server stopped.
const UNCERTAIN: &str = "The server stopped while this ran: it may or may not have taken effect. It was not repeated. \
                         Check before you call it again.";

impl Run {
    /// Ends a step with its outcome.
    pub(super) async fn settle(&self, place: Place, step: Step, outcome: Result<Outcome>) -> Result<()> {
        let outcome = self.shared().fitted(self.caller().user, Some(self.conversation()), outcome).await;
        let Some(step) = settled(step, outcome, self.app().clock.now(), self.cancel.is_cancelled()) else {
            return Ok(());
        };
        self.put(place, &step).await?;
        self.tell_end(&step);
        self.count(&step).await
    }

    /// Counts a call that has ended. What no tool is called is not counted.
    async fn count(&self, step: &Step) -> Result<()> {
        if self.shared().invoker.registry().find(&step.tool).is_err() {
            return Ok(());
        }
        self.shared().turns.count_call(self.caller().user, step, self.app().clock.now()).await
    }

    fn tell_end(&self, step: &Step) {
        let error = step.output.as_ref().and_then(|output| output.get("error").filter(|error| error.is_string()));
        self.log.emit(
            "tool_end",
            &json!({
                "call_id": step.call_id,
                "arguments": step.arguments,
                "asked_arguments": step.asked_arguments,
                "approved_by": step.approved_by,
                "edited": step.edited,
                "success": step.success,
                "state": step.state,
                "output": step.output,
                "model_text": step.model_text,
                "duration_ms": step.duration_ms,
                "error": error,
            }),
        );
    }

    /// Ends whatever of the last message has not ended, because the turn has. Gives the message.
    pub(super) async fn give_up_steps(&self, why: &str) -> Result<Option<MessageId>> {
        let last = self.last_message().await?;
        for (position, step) in last.iter().flat_map(|message| message.steps.iter().enumerate()) {
            let Some(message) = &last else { continue };
            if !step.state.is_settled() {
                self.give_up((message.id, position), step.clone(), why).await?;
            }
        }
        Ok(last.map(|message| message.id))
    }

    async fn give_up(&self, place: Place, mut step: Step, why: &str) -> Result<()> {
        if let Some(ticket) = step.ticket_id {
            let (user, now) = (self.caller().user, self.app().clock.now());
            let reason = Some("The conversation went on without an answer.".to_owned());
            if let Err(error) = self.app().stores.tickets.refuse(ticket, user, reason, now).await {
                tracing::debug!(?error, "a question was decided already");
                return self.give_up_decided(place, step, ticket).await;
            }
        }
        let error = match step.state {
            StepState::Running if step.risk > Risk::Read => {
                step.state = StepState::Uncertain;
                Error::new(Kind::Internal, UNRECORDED)
            }
            _ => {
                step.state = StepState::Skipped;
                Error::new(Kind::Cancelled, why)
            }
        };
        step.model_text = Some(sanitise::wrap_error(&step.asked_as, &error));
        self.put(place, &step).await?;
        self.tell_end(&step);
        Ok(())
    }

    /// Ends a step whose question was decided before it could be withdrawn: with what came of it, or as one that is still
    /// being run, until [`Agent::ticket_decided`] knows.
    async fn give_up_decided(&self, place: Place, mut step: Step, ticket: TicketId) -> Result<()> {
        let (tickets, user) = (&self.app().stores.tickets, self.caller().user);
        let (_, approved) = tickets.get_with_approval(ticket, user, self.app().clock.now()).await?;
        let approved = approved.unwrap_or_default();
        step.approve(&approved);
        step.state = StepState::Uncertain;
        let told = sanitise::after_changes(STILL_RUNNING, &approved);
        step.model_text = Some(sanitise::wrap(&step.asked_as, &told, None));
        // Before the ticket is looked at: whoever ends it meanwhile finds the step, and nothing is written over theirs.
        self.put(place, &step).await?;
        let ticket = tickets.get(ticket, user, self.app().clock.now()).await?;
        if ticket.state == TicketState::Running {
            step.set_running(Some(&approved));
            self.tell_end(&step);
            return Ok(());
        }
        let outcome = self.agent.collect(&step, &ticket, self.caller()).await;
        self.settle(place, step, outcome).await
    }

    /// Prepares the steps of a turn another process left: what reads runs again, and what waits for a session, which goes on
    /// with the one it began. Of anything else nobody knows.
    pub(super) async fn recover_steps(&self) -> Result<()> {
        let Some(message) = self.last_message().await? else { return Ok(()) };
        let registry = self.shared().invoker.registry();
        for (position, step) in message.steps.iter().enumerate().filter(|(_, s)| s.state == StepState::Running) {
            let mut step = step.clone();
            let resumes = registry.find(&step.tool).is_ok_and(|found| found.tool.can_be_resumed());
            if step.risk == Risk::Read || resumes {
                step.state = StepState::Pending;
            } else {
                step.state = StepState::Uncertain;
                step.model_text = Some(sanitise::wrap(&step.asked_as, UNCERTAIN, None));
            }
            self.put((message.id, position), &step).await?;
        }
        Ok(())
    }

    /// The newest message of this turn that the model wrote.
    pub(super) async fn last_message(&self) -> Result<Option<Message>> {
        self.shared().turns.last_message(self.conversation(), self.id()).await
    }
}

impl Shared {
    /// The outcome with no more of a result than an answer holds: it is kept in the conversation and answered with it.
    pub(super) async fn fitted(
        &self,
        user: UserId,
        topic: Option<ConversationId>,
        outcome: Result<Outcome>,
    ) -> Result<Outcome> {
        let mut done = match outcome {
            Ok(Outcome::Done(done)) if !cut::is_small(&done.output) => done,
            outcome => return outcome,
        };
        let output = Arc::new(mem::take(&mut done.output));
        let measured = Arc::clone(&output);
        // One that cannot be measured is cut: what was done is not called a failure because of that.
        let fits = aside::run(move || cut::fits(&measured)).await.ok().flatten().unwrap_or(false);
        done.output = Arc::unwrap_or_clone(output);
        if !fits {
            let to = Recipient { app: &self.app, user, topic };
            (done.output, done.handle) = cut::cut(to, done.output, done.handle).await;
        }
        Ok(Outcome::Done(done))
    }
}

/// The step with its outcome; nothing where there is none yet. `is_stopped`: whether somebody stopped the turn.
pub(super) fn settled(mut step: Step, outcome: Result<Outcome>, now: Time, is_stopped: bool) -> Option<Step> {
    let name = step.asked_as.clone();
    step.state = StepState::Done;
    match outcome {
        Ok(Outcome::Done(done)) => {
            step.success = Some(true);
            step.approve(&done.approved);
            step.duration_ms = Some(done.duration_ms);
            let text = sanitise::render_run(&done.output, &done.approved);
            step.model_text = Some(sanitise::wrap(&name, &text, done.handle.as_deref()));
            step.output = Some(serialised(&InvokeAnswer::done(&done), step.model_text.as_deref()));
        }
        // Asked before this can be reached, and collected only once decided.
        Ok(Outcome::Confirm(_)) => return None,
        Err(error) => {
            step.state = match (error.kind(), error.approval()) {
                (Kind::Cancelled, _) if is_stopped => StepState::Cancelled,
                // Not by its person: the server stopped.
                (Kind::Cancelled, Some(_)) if step.risk > Risk::Read => StepState::Uncertain,
                _ => StepState::Done,
            };
            step.success = (step.state != StepState::Uncertain).then_some(false);
            step.duration_ms = match error.approval() {
                Some((approved, duration_ms)) => {
                    step.approve(approved);
                    Some(duration_ms)
                }
                // Since it was begun, a person has thought about it.
                None if step.ticket_id.is_some() => None,
                None => elapsed(&step, now.millis()),
            };
            step.model_text = Some(sanitise::wrap_error(&name, &error));
            let answer = InvokeAnswer::failed(step.call_id, &error);
            step.output = Some(serialised(&answer, step.model_text.as_deref()));
        }
    }
    Some(step)
}

fn elapsed(step: &Step, now: i64) -> Option<u64> {
    u64::try_from(now - step.started_at.millis()).ok()
}

/// The answer as JSON; `model_text` is what this model did read.
fn serialised(answer: &InvokeAnswer, model_text: Option<&str>) -> Value {
    let mut value = serde_json::to_value(answer).unwrap_or(Value::Null);
    if let Some(meta) = value.pointer_mut("/meta").and_then(Value::as_object_mut) {
        meta.insert("model_text".to_owned(), json!(model_text));
    }
    value
}
