//! `tools/call`: one call through the pipeline, and what comes of it.

use std::time::Duration;

use actix_web::web::Data;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    question::{self, Said},
    render,
};
use crate::http::protocol::{
    peer::Peer,
    principal::Principal,
    rpc::{self, Failure, RequestId, Response},
    seal::Waiting,
    session::{Level, Session},
};
use crate::http::{delivery::Pieces, state::State};
use satchel_engine::{
    cut::{self, LARGEST, Recipient},
    decide::Answer,
    run::Stops,
};
use satchel_model::{
    call::{Call, Done, Outcome, Ticket, TicketId},
    caller::Caller,
    error::{Error, Kind},
    json::canonical,
    origin::Origin,
    text::clip,
    time::Time,
};

/// A call that a client asked for.
pub(super) struct Asked {
    pub(super) state: Data<State>,
    pub(super) caller: Caller,
    pub(super) peer: Peer,
    pub(super) id: RequestId,
    pub(super) params: CallToolRequestParams,
    /// `true` if the client may answer questions for its person, and can put them before somebody.
    pub(super) asks: bool,
    /// Messages to the client before the answer.
    pub(super) before: mpsc::Sender<Value>,
    /// The console's address, as the client reaches this server.
    pub(super) console: String,
    /// Fires when the client takes it back.
    pub(super) stop: CancellationToken,
    /// Fires when nobody waits for it any more.
    pub(super) unheard: CancellationToken,
}

/// The message that answers a call.
pub(super) enum Told {
    /// It was written where it is.
    Small(Vec<u8>),
    /// It was written beside the async threads.
    Large(Pieces),
}

impl Asked {
    /// Runs it.
    ///
    /// # Errors
    ///
    /// If it is no call of a tool there is, or Satchel itself failed.
    pub(super) async fn run(self) -> Result<Told, Failure> {
        let told = match self.answered().await {
            Ok(None) => self.invoke(None).await,
            Ok(Some(ticket)) => self.invoke(Some(ticket)).await,
            Err(failure) => Err(failure),
        };
        told.map_err(|failure| failure.of(Some(self.id.clone())))
    }

    /// Takes the call through the pipeline; a question is put before the person where that can be done, and its answer
    /// carried out.
    async fn invoke(&self, mut ticket: Option<TicketId>) -> Result<Told, Failure> {
        loop {
            let arguments = self.arguments();
            let origin = self.outside();
            let call = Call { ticket, origin, ..Call::new(self.caller.clone(), self.params.name.as_ref(), arguments) };
            let stops = Stops { asked: self.stop.clone(), unheard: self.unheard.clone() };
            let asked = match self.state.invoker.invoke(call, stops).await {
                Ok(Outcome::Done(done)) => return self.done(*done).await,
                Ok(Outcome::Confirm(asked)) => *asked,
                Err(error) => return self.failed(&error),
            };
            match &self.peer.session {
                _ if !self.asks || !question::fits(&asked) => return self.waits(&asked),
                None => return self.input_required(&asked),
                Some(session) => match self.elicit(session, &asked).await {
                    Some(said) => {
                        self.decide(asked.id, said).await?;
                        ticket = Some(asked.id);
                    }
                    None => return self.waits(&asked),
                },
            }
        }
    }

    /// The origin of what the client was given from outside before.
    fn outside(&self) -> Option<Origin> {
        let (session, now) = (self.peer.session.as_deref(), self.state.app.clock.now());
        self.state.mcp.outside(session, Principal::of(&self.caller), now)
    }

    /// The client is given content of this place, which was read then.
    fn note(&self, (place, at): (&str, Option<Time>)) {
        let (session, now) = (self.peer.session.as_deref(), self.state.app.clock.now());
        let origin = Origin::new(place, at.unwrap_or(now));
        self.state.mcp.note(session, Principal::of(&self.caller), origin, now);
    }

    fn arguments(&self) -> Value {
        Value::Object(self.params.arguments.clone().unwrap_or_default())
    }

    /// The call, as a question about it is bound to it.
    fn call(&self) -> String {
        format!("{}\n{}", self.params.name, canonical(&self.arguments()))
    }

    /// The question that a client has brought back with its answer, which is carried out.
    async fn answered(&self) -> Result<Option<TicketId>, Failure> {
        let (state, responses) = (&self.params.request_state, &self.params.input_responses);
        let sealed = match (state, responses) {
            (None, None) => return Ok(None),
            (None, Some(_)) => {
                return Err(Failure::params("`inputResponses` come with the `requestState` they answer."));
            }
            (Some(sealed), _) => sealed,
        };
        let now = self.state.app.clock.now();
        let waiting = self.state.mcp.seal.open(sealed, Principal::of(&self.caller), &self.call(), now);
        let Some(Waiting { ticket, .. }) = waiting else {
            return Err(Failure::params(
                "This `requestState` is not of this call and this key, or has lapsed: nothing was run. Make the call anew.",
            ));
        };
        if self.state.app.stores.tickets.is_taken(ticket).await? {
            return Err(Failure::params("This `requestState` was used already: nothing was run again."));
        }
        let answer = responses.as_ref().and_then(|responses| responses.get(question::NAME));
        let said = match answer.cloned().map(question::read) {
            // Asked once more.
            None => return Ok(None),
            Some(None) => return Err(Failure::params("The answer is none that the form takes: nothing was run.")),
            Some(Some(said)) => said,
        };
        if !self.asks {
            return Err(Failure::params("This key may not answer questions for its owner: nothing was run."));
        }
        if said == Said::Nothing {
            return Ok(None);
        }
        self.decide(ticket, said).await.map(|()| Some(ticket))
    }

    /// Carries a person's answer out. What was decided elsewhere meanwhile stands.
    async fn decide(&self, ticket: TicketId, said: Said) -> Result<(), Failure> {
        let Said::Decided(decision, reason) = said else { return Ok(()) };
        let answer = Answer { decision, reason, params: None, question: None, for_conversation: false };
        match self.state.invoker.decide(ticket, answer, &self.caller, self.unheard.clone()).await {
            Ok(_) => {}
            Err(error) if error.kind() == Kind::Conflict => {}
            Err(error) => return Err(error.into()),
        }
        match self.state.app.stores.tickets.take_result(ticket, self.state.app.clock.now()).await? {
            true => Ok(()),
            false => Err(Failure::params("This question was answered already: nothing was run again.")),
        }
    }

    /// Puts a question before the person of a session. `None` if no answer comes.
    async fn elicit(&self, session: &Session, ticket: &Ticket) -> Option<Said> {
        let (id, answer) = session.ask();
        let form = question::form(self.peer.revision, ticket);
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": form});
        let left = ticket.expires_at.millis().saturating_sub(self.state.app.clock.now().millis());
        let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
        let answer = match self.before.send(message).await {
            Ok(()) => tokio::select! {
                answer = tokio::time::timeout(left, answer) => answer.ok().and_then(Result::ok).flatten(),
                () = session.ended.cancelled() => None,
                () = self.unheard.cancelled() => None,
                () = self.stop.cancelled() => None,
            },
            Err(_) => None,
        };
        session.forget(&id);
        answer.and_then(question::read).filter(|said| *said != Said::Nothing)
    }

    /// The result that asks a client without a session to come back with its person's answer.
    fn input_required(&self, ticket: &Ticket) -> Result<Told, Failure> {
        let waiting = Waiting { ticket: ticket.id, until: ticket.expires_at };
        let sealed = self.state.mcp.seal.close(&waiting, Principal::of(&self.caller), &self.call());
        let sealed = sealed.ok_or_else(|| Error::internal("the state of a question could not be sealed"))?;
        let request = json!({"method": "elicitation/create", "params": question::form(self.peer.revision, ticket)});
        let result = json!({
            "resultType": "input_required",
            "inputRequests": {question::NAME: request},
            "requestState": sealed,
        });
        self.written(&result)
    }

    fn waits(&self, ticket: &Ticket) -> Result<Told, Failure> {
        if let Some(session) = &self.peer.session {
            session.log(Level::Notice, json!({"ticket": ticket.id, "tool": ticket.tool, "waits": true}));
        }
        self.result(render::asks(self.peer.revision, ticket, &format!("{}/inbox?ticket={}", self.console, ticket.id)))
    }

    async fn done(&self, done: Done) -> Result<Told, Failure> {
        if let Some(place) = done.output.outside() {
            self.note((place, done.output.outside_at()));
        }
        let (user, revision, id) = (self.caller.user, self.peer.revision, self.id.clone());
        let to = Recipient { app: &self.state.app, user, topic: None };
        let done = self.state.delivery.fit(to, done).await?;
        if cut::is_small(&done.output) {
            return self.result(render::done(revision, done));
        }
        let make = move || Response::new(id, render::done(revision, done));
        Ok(Told::Large(self.state.delivery.written_out(user, LARGEST, make).await?))
    }

    fn failed(&self, error: &Error) -> Result<Told, Failure> {
        if let Some(outside) = error.outside() {
            self.note(outside);
        }
        match error.kind() {
            // What a tool itself did not find is its own answer.
            Kind::NotFound if !error.is_tools_own() => {
                Err(Failure::params(format!("Unknown tool: {}", clip(&self.params.name, 100))))
            }
            Kind::Internal => Err(error.clone().into()),
            _ => self.result(render::failed(self.peer.revision, error)),
        }
    }

    fn result(&self, result: CallToolResult) -> Result<Told, Failure> {
        self.written(&result)
    }

    fn written(&self, result: &impl serde::Serialize) -> Result<Told, Failure> {
        let written = serde_json::to_vec(&Response::new(self.id.clone(), result));
        written.map(Told::Small).map_err(|error| rpc::Failure::from(Error::internal(error)))
    }
}
