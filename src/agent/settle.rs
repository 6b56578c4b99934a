//! What became of a call: written down, told to the streams, and put into words for the model.

use serde_json::{Value, json};

use super::{calls::Place, turn::Run};
use crate::{
    engine::{answer::InvokeAnswer, sanitise},
    model::{
        call::{Done, Outcome},
        conversation::{Message, MessageId, Step, StepState},
        error::{Error, Kind, Result},
        spec::Risk,
    },
    store::results::Results,
};

/// What a model reads of a call that was running when the server stopped.
const UNCERTAIN: &str = "The server stopped while this ran: it may or may not have taken effect. It was not repeated. \
                         Check before you call it again.";

impl Run {
    /// Ends a step with its outcome.
    pub(super) async fn settle(&self, place: Place, mut step: Step, outcome: Result<Outcome>) -> Result<()> {
        let name = step.asked_as.clone();
        step.state = StepState::Done;
        match outcome {
            Ok(Outcome::Done(done)) => {
                step.success = Some(true);
                step.duration_ms = Some(done.duration_ms);
                step.model_text = Some(self.readable(&name, &done).await?);
                step.output = Some(serialised(&InvokeAnswer::done(&done), step.model_text.as_deref()));
            }
            // Asked before this can be reached, and collected only once decided.
            Ok(Outcome::Confirm(_)) => return Ok(()),
            Err(error) => {
                if error.kind() == Kind::Cancelled && self.cancel.is_cancelled() {
                    step.state = StepState::Cancelled;
                }
                step.success = Some(false);
                step.duration_ms = elapsed(&step, self.app().clock.now().millis());
                step.model_text = Some(sanitise::wrap_error(&name, &error));
                let answer = InvokeAnswer::failed(step.call_id, &error);
                step.output = Some(serialised(&answer, step.model_text.as_deref()));
            }
        }
        self.put(place, &step).await?;
        self.tell_end(&step);
        Ok(())
    }

    fn tell_end(&self, step: &Step) {
        let error = step.output.as_ref().and_then(|output| output.pointer("/error/message"));
        self.log.emit(
            "tool_end",
            &json!({
                "call_id": step.call_id,
                "success": step.success,
                "state": step.state,
                "output": step.output,
                "model_text": step.model_text,
                "duration_ms": step.duration_ms,
                "error": error,
            }),
        );
    }

    /// The result as the model reads it; the whole of a long one is kept under a handle.
    async fn readable(&self, name: &str, done: &Done) -> Result<String> {
        let text = sanitise::render_run(&done.output, done.executed.as_ref());
        if text.chars().count() <= sanitise::LIMIT {
            return Ok(sanitise::wrap(name, &text, None));
        }
        let whole = match &done.output.data {
            Value::String(text) => text.clone(),
            data => data.to_string(),
        };
        let results = Results::of(&self.app().db, self.caller().user, Some(self.conversation()));
        let handle = results.put(whole, self.app().clock.now()).await?;
        Ok(sanitise::wrap(name, &text, Some(&handle)))
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
            let reason = Some("The conversation went on without an answer.".to_owned());
            // One that is being run already cannot be refused any more.
            if let Err(error) =
                self.app().tickets.refuse(ticket, self.caller().user, reason, self.app().clock.now()).await
            {
                tracing::debug!(?error, "a question was decided already");
            }
        }
        step.state = StepState::Cancelled;
        step.success = Some(false);
        step.model_text = Some(sanitise::wrap_error(&step.asked_as, &Error::new(Kind::Cancelled, why)));
        self.put(place, &step).await?;
        self.tell_end(&step);
        Ok(())
    }

    /// Prepares the steps of a turn another process left: what reads runs again, of anything else nobody knows.
    pub(super) async fn recover_steps(&self) -> Result<()> {
        let Some(message) = self.last_message().await? else { return Ok(()) };
        for (position, step) in message.steps.iter().enumerate().filter(|(_, s)| s.state == StepState::Running) {
            let mut step = step.clone();
            if step.risk == Risk::Read {
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
        let messages = self.shared().turns.messages(self.conversation()).await?;
        Ok(messages.into_iter().rfind(|message| message.turn_id == self.id()))
    }
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
