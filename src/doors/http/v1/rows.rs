//! The pieces of a run by its rows: of one that is over, or that nobody here has followed from its beginning.

use std::time::Duration;

use actix_web::web::Data;

use super::pieces::{End, EndedCall, Piece, Question, RunCall};
use crate::http::state::State;
use satchel_agent::log::Subscription;
use satchel_model::{
    call::CallId,
    caller::Caller,
    conversation::{ConversationId, Message, Step, StepState},
    error::{Error, Kind, Result},
    run::{Run, RunId, RunState},
};

/// The interval at which a run is looked at that nobody here is at.
const EVERY: Duration = Duration::from_millis(300);

/// The pieces of a run, all at once when it has ended or asks.
pub(super) struct RowPieces {
    state: Data<State>,
    caller: Caller,
    at: (ConversationId, RunId),
    address: String,
    events: Subscription,
    ended: bool,
}

impl RowPieces {
    /// The pieces of a run. `origin` is the address of this server.
    ///
    /// # Errors
    ///
    /// If its conversation is gone.
    pub(super) async fn new(
        state: &Data<State>,
        caller: &Caller,
        (at, origin): ((ConversationId, RunId), &str),
    ) -> Result<Self> {
        let events = state.agent.events(caller.user, at.0, None).await?;
        let address = format!("{origin}/chat/{}", at.0);
        Ok(Self { state: state.clone(), caller: caller.clone(), at, address, events, ended: false })
    }

    /// The pieces; `None` after them. Safe to drop and to call again.
    pub(super) async fn next(&mut self) -> Option<Vec<Piece>> {
        if self.ended {
            return None;
        }
        let pieces = self.all().await.unwrap_or_else(|error| vec![Piece::End(End::failed(error))]);
        self.ended = true;
        Some(pieces)
    }

    async fn all(&mut self) -> Result<Vec<Piece>> {
        loop {
            while self.events.next().await.is_some() {}
            let (run, messages) = self.state.agent.come_of_run(&self.caller, self.at).await?;
            if let Some(end) = end_of(&run) {
                let mut all = pieces(&messages, &[], &self.address);
                all.extend([Piece::Usage(run.usage), Piece::End(end)]);
                return Ok(all);
            }
            if self.state.app.lifecycle.shutdown.is_cancelled() {
                return Err(Error::new(Kind::Cancelled, "Satchel is being stopped: send it again later."));
            }
            tokio::time::sleep(EVERY).await;
            self.events = self.state.agent.events(self.caller.user, self.at.0, None).await?;
        }
    }
}

/// A call whose question was decided, and the question.
pub(super) fn asked_by(step: &Step) -> (RunCall, String) {
    let question = step.ticket_id.map(|ticket| ticket.to_string()).unwrap_or_default();
    (run_call(step), question)
}

fn run_call(step: &Step) -> RunCall {
    RunCall { call_id: step.call_id, tool: step.tool.clone(), arguments: step.arguments.clone() }
}

/// The pieces that the messages of a run come in. Those before the calls whose questions were decided were told before.
pub(super) fn pieces(messages: &[Message], decided: &[CallId], address: &str) -> Vec<Piece> {
    let is_decided = |step: &Step| decided.contains(&step.call_id);
    let begins = messages.iter().position(|message| message.steps.iter().any(is_decided));
    let mut pieces = Vec::new();
    for (at, message) in messages.iter().enumerate().skip(begins.unwrap_or(0)) {
        let is_first = begins == Some(at);
        if !message.text.is_empty() && !is_first {
            pieces.extend([Piece::Apart, Piece::Text(message.text.clone())]);
        }
        let (given, run): (Vec<&Step>, Vec<&Step>) =
            message.steps.iter().filter(|step| !is_first || is_decided(step)).partition(|step| is_given(step));
        run.into_iter().chain(given).for_each(|step| add(&mut pieces, step, address));
    }
    pieces
}

/// Returns whether a call is its client's to run.
fn is_given(step: &Step) -> bool {
    step.tool.starts_with("client:")
}

fn add(pieces: &mut Vec<Piece>, step: &Step, address: &str) {
    if is_given(step) {
        let (name, arguments) = (step.asked_as.clone(), step.arguments.clone());
        return pieces.push(Piece::Call { id: format!("call_{}", step.call_id.simple()), name, arguments });
    }
    pieces.push(Piece::Begun(run_call(step)));
    match (&step.ticket, step.state) {
        (Some(ticket), StepState::Waiting) => pieces.push(Piece::Asked(Question {
            ticket: ticket.id,
            call: step.call_id,
            text: ticket.question.clone(),
            tool: step.tool.clone(),
            arguments: step.arguments.clone(),
            address: address.to_owned(),
        })),
        (_, state) if state.is_settled() => {
            let error = step.output.as_ref().and_then(|output| output.get("error")?.as_str()).map(str::to_owned);
            let (success, model_text, output) = (step.success, step.model_text.clone(), step.output.clone());
            pieces.push(Piece::Ended(EndedCall { call_id: step.call_id, success, model_text, error, output }));
        }
        _ => {}
    }
}

/// The end of a run; `None` if it goes on.
pub(super) fn end_of(run: &Run) -> Option<End> {
    match run.state {
        RunState::Queued | RunState::Running => None,
        RunState::Waiting => Some(End::Waiting),
        RunState::Done | RunState::Uncertain => Some(End::Done),
        RunState::Cancelled => Some(End::Stopped),
        RunState::Failed => {
            let told = run.error.clone().unwrap_or_else(|| "The run failed.".to_owned());
            Some(End::failed(Error::new(Kind::Upstream, told)))
        }
    }
}
