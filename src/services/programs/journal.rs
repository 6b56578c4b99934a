//! The calls of a program in their order, and what each answered: in memory until it waits, then in the database.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use satchel_engine::{context::Context, registry::Registry};
use satchel_model::{
    call::{CallId, TicketId},
    caller::Door,
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
    /// `true` while this node is at a program that waited before.
    under_way: bool,
    cx: Context,
}

impl Drop for Journal {
    /// Whoever ran it has gone: the program can be gone on with.
    fn drop(&mut self) {
        if self.under_way {
            let (programs, id, lifecycle) = (self.programs.clone(), self.id(), &self.cx.app().lifecycle);
            let leave = async move {
                if let Err(error) = programs.leave(id).await {
                    tracing::warn!(?error, "a program that was cut off goes on after the next start only");
                }
            };
            lifecycle.tracker.spawn_on(leave, &lifecycle.runtime);
        }
    }
}

impl Journal {
    /// The journal of a run: a new one, or that of the program which waited for the ticket that the call came with, or that an
    /// MCP client runs again before it has ended. Gives what that program gave back where it has.
    pub(super) async fn open(cx: &Context, source: &str) -> Result<std::result::Result<Self, Value>> {
        let (call, user) = (cx.call(), cx.caller().user);
        let (programs, digest) = (Programs::new(&cx.app().db), digest_of(source, &Value::Null));
        let asker = (cx.caller().door == Door::Mcp && call.depth == 0).then(|| match cx.caller().credential.key() {
            Some(key) => key.to_string(),
            None => String::new(),
        });
        let (id, person, topic, at) = (call.id, user, call.topic, cx.now());
        let new = Parked { id, person, topic, asker, digest, at, origin: None };
        let found = match (call.ticket, &new.asker) {
            (Some(ticket), _) => programs.take(ticket, &new).await?,
            (None, Some(_)) => programs.take_repeated(&new).await?,
            (None, None) => None,
        };
        match found {
            None if call.ticket.is_none() => {
                let cx = cx.clone();
                Ok(Ok(Self { programs, program: new, calls: Vec::new(), next: 0, kept: false, under_way: false, cx }))
            }
            Some(Found::Waiting(program, calls)) => {
                cx.taint().note(program.origin.clone());
                Ok(Ok(Self { programs, program, calls, next: 0, kept: true, under_way: true, cx: cx.clone() }))
            }
            Some(Found::Ended(outcome)) => Ok(Err(outcome)),
            None => {
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
        self.programs.park(program, self.calls.clone()).await?;
        self.under_way = false;
        Ok(())
    }

    /// Keeps what the program gave back, where somebody may ask for it again.
    pub(super) async fn end(&mut self, outcome: Value) -> Result<()> {
        if self.kept {
            self.programs.end(self.id(), outcome).await?;
        }
        self.under_way = false;
        Ok(())
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
