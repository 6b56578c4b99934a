//! Somebody who calls tools in a conversation, and decides what they are asked.

use satchel::{
    engine::decide::Answer,
    model::{
        call::{Call, Decision, Outcome, Ticket},
        caller::Caller,
        conversation::ConversationId,
        error::Error,
    },
    store::tickets::Verdict,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::support::app::TestApp;

/// Somebody in a conversation of theirs.
pub(super) struct Asker {
    pub(super) app: TestApp,
    pub(super) caller: Caller,
    pub(super) topic: ConversationId,
}

impl Asker {
    /// Somebody with exactly these permissions, in a new conversation.
    pub(super) async fn new(app: TestApp, permissions: &[&str]) -> Self {
        let caller = app.caller(permissions).await;
        let topic = app.conversation(&caller).await;
        Self { app, caller, topic }
    }

    pub(super) fn call(&self, tool: &str, params: Value) -> Call {
        Call { topic: Some(self.topic), ..Call::new(self.caller.clone(), tool, params) }
    }

    pub(super) async fn invoke(&self, call: Call) -> Result<Outcome, Error> {
        self.app.satchel.invoker.invoke(call, CancellationToken::new()).await
    }

    /// The question of a call that asks.
    pub(super) async fn ask(&self, tool: &str, params: Value) -> Ticket {
        match self.invoke(self.call(tool, params.clone())).await {
            Ok(Outcome::Confirm(ticket)) => *ticket,
            other => panic!("{tool} {params}: {other:?}"),
        }
    }

    /// The data of a call that does not ask.
    pub(super) async fn run(&self, tool: &str, params: Value) -> Value {
        match self.invoke(self.call(tool, params.clone())).await {
            Ok(Outcome::Done(done)) => done.output.data,
            Ok(Outcome::Confirm(ticket)) => panic!("{tool} {params} asked: {}", ticket.reason),
            Err(error) => panic!("{tool} {params}: {error}"),
        }
    }

    pub(super) async fn decide(&self, ticket: &Ticket, answer: Answer) -> Result<(Ticket, Verdict), Error> {
        self.app.satchel.invoker.decide(ticket.id, answer, &self.caller, CancellationToken::new()).await
    }

    /// Approves what is expected to run.
    pub(super) async fn approve(&self, ticket: &Ticket) -> Value {
        self.approve_with(ticket, yes()).await
    }

    /// Approves what is expected to run, for the whole conversation.
    pub(super) async fn approve_for_conversation(&self, ticket: &Ticket) -> Value {
        self.approve_with(ticket, Answer { for_conversation: true, ..yes() }).await
    }

    async fn approve_with(&self, ticket: &Ticket, answer: Answer) -> Value {
        match self.decide(ticket, answer).await.unwrap().1 {
            Verdict::Ran { output, .. } => output.data,
            other => panic!("{}: {other:?}", ticket.question),
        }
    }

    /// A ticket as it stands.
    pub(super) async fn ticket(&self, ticket: &Ticket) -> Ticket {
        let app = &self.app.satchel.app;
        app.stores.tickets.get(ticket.id, self.caller.user, app.clock.now()).await.unwrap()
    }

    /// The questions that are open.
    pub(super) async fn open(&self) -> Vec<Ticket> {
        let app = &self.app.satchel.app;
        app.stores.tickets.pending(self.caller.user, app.clock.now()).await.unwrap()
    }

    /// The question in the place of one that was changed, which has run nothing.
    pub(super) async fn asked_anew(&self, old: &Ticket) -> Ticket {
        let (closed, verdict) = self.decide(old, yes()).await.unwrap();
        let Verdict::Changed { instead } = verdict else { panic!("{}: {verdict:?}", old.question) };
        assert_eq!(closed.state, satchel::model::call::TicketState::Changed);
        let open = self.open().await;
        assert_eq!(open.iter().map(|ticket| ticket.id).collect::<Vec<_>>(), [instead]);
        open.into_iter().next().unwrap()
    }
}

pub(super) fn yes() -> Answer {
    Answer { decision: Decision::Approve, reason: None, params: None, question: None, for_conversation: false }
}
