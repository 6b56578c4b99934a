//! The calls of a program in their order, and what each answered: in memory until it waits, then in the database.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use satchel_engine::{context::Context, registry::Registry};
use satchel_model::{
    call::{CallId, TicketId},
    error::{Error, Result},
    json::canonical,
    spec::Risk,
    time::Time,
};
use satchel_store::programs::{Answered, Found, Parked, ProgramCall, Programs};

/// The next thing a program does where it makes a call.
pub(super) enum Next {
    /// It is answered as before.
    Answer(Answered),
    /// It makes the call, or fetches what came of a question.
    Call(Option<TicketId>),
}

/// The journal of one run of a program.
pub(super) struct Journal {
    programs: Programs,
    program: Parked,
    calls: Vec<ProgramCall>,
    /// The number of the next call.
    next: usize,
    /// `true` if each call is written down as it is made: it has waited before, and may be cut.
    kept: bool,
}

impl Journal {
    /// The journal of a run: a new one, or that of the program which waited for the ticket that the call came with. Gives
    /// what that program gave back where it has ended.
    pub(super) async fn open(cx: &Context, source: &str) -> Result<std::result::Result<Self, Value>> {
        let (call, user) = (cx.call(), cx.caller().user);
        let (programs, digest) = (Programs::new(&cx.app().db), digest_of(source, &Value::Null));
        let new = Parked { id: call.id, person: user, topic: call.topic, digest, at: cx.now(), origin: None };
        let Some(ticket) = call.ticket else {
            return Ok(Ok(Self { programs, program: new, calls: Vec::new(), next: 0, kept: false }));
        };
        match programs.take(ticket, &new).await? {
            Some(Found::Waiting(program, calls)) => {
                cx.taint().note(program.origin.clone());
                Ok(Ok(Self { programs, program, calls, next: 0, kept: true }))
            }
            Some(Found::Ended(outcome)) => Ok(Err(outcome)),
            _ => {
                Err(Error::conflict("This question is of another program: repeat the very call that was asked about."))
            }
        }
    }

    /// The moment that the program is told, each time it is run.
    pub(super) fn now(&self) -> Time {
        self.program.at
    }

    /// The number of calls it has made.
    pub(super) fn made(&self) -> usize {
        self.next
    }

    /// Says what comes of the next call.
    ///
    /// # Errors
    ///
    /// If the program took another way than before, or it is not known whether the call was made.
    pub(super) async fn begin(&mut self, cx: &Context, tool: &str, params: &Value) -> Result<Next> {
        let (number, digest) = (self.next, digest_of(tool, params));
        self.next += 1;
        let Some(known) = self.calls.get(number) else {
            self.calls.push(ProgramCall { digest, ticket: None, answer: None });
            if self.kept && risk(cx, tool, params) > Risk::Read {
                self.write(number).await?;
            }
            return Ok(Next::Call(None));
        };
        if known.digest != digest {
            return Err(Error::conflict(format!(
                "The program took another way than before it was asked about: call {} is not what it was. Nothing more was \
                 done.",
                number + 1
            )));
        }
        match (&known.answer, known.ticket) {
            (Some(answer), _) => Ok(Next::Answer(answer.clone())),
            (None, Some(ticket)) => Ok(Next::Call(Some(ticket))),
            (None, None) if risk(cx, tool, params) == Risk::Read => Ok(Next::Call(None)),
            (None, None) => Err(Error::conflict(format!(
                "The server stopped while {tool} ran: it may or may not have taken effect. It was not repeated. Check before \
                 you call it again."
            ))),
        }
    }

    /// Writes down what the call that was begun last answered.
    pub(super) async fn answered(&mut self, answer: Answered) -> Result<()> {
        let number = self.next.saturating_sub(1);
        if let Some(call) = self.calls.get_mut(number) {
            call.answer = Some(answer);
        }
        if self.kept { self.write(number).await } else { Ok(()) }
    }

    /// Has the program wait for this question, which the call that was begun last asks.
    pub(super) async fn park(&mut self, cx: &Context, ticket: TicketId) -> Result<()> {
        if let Some(call) = self.calls.get_mut(self.next.saturating_sub(1)) {
            call.ticket = Some(ticket);
        }
        self.kept = true;
        let program = Parked { origin: cx.taint().origin(), ..self.program.clone() };
        self.programs.park(program, self.calls.clone()).await
    }

    /// Keeps what the program gave back, where somebody may ask for it again.
    pub(super) async fn end(&self, outcome: Value) -> Result<()> {
        if self.kept { self.programs.end(self.id(), outcome).await } else { Ok(()) }
    }

    fn id(&self) -> CallId {
        self.program.id
    }

    async fn write(&self, number: usize) -> Result<()> {
        let Some(call) = self.calls.get(number) else { return Ok(()) };
        self.programs.put(self.id(), i64::try_from(number).map_err(Error::internal)?, call.clone()).await
    }
}

/// The risk of a call; one of a tool that is not there does nothing.
fn risk(cx: &Context, tool: &str, params: &Value) -> Risk {
    let registry = Registry::around(cx);
    registry.find(tool).map_or(Risk::Read, |found| registry.risk_of(&found, params.clone()))
}

fn digest_of(name: &str, params: &Value) -> String {
    hex::encode(Sha256::digest(json!([name, canonical(params)]).to_string()))
}
