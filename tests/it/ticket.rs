//! Tickets: who is asked when, and that a yes runs exactly what was asked, once.

mod decided;
mod kept;

use std::{sync::Arc, time::Duration};

use satchel::{
    engine::{decide::Answer, invoker::Invoker},
    model::{
        audit::Entry,
        call::{Approved, Call, Decision, Edit, Outcome, Ticket, TicketState},
        caller::{Caller, Credential, Door, Permissions},
        conversation::ConversationId,
        error::{Error, Kind},
        spec::Risk,
    },
    services::answer::InvokeAnswer,
    store::{
        audit::Filter,
        tickets::{PENDING, Verdict},
    },
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    library::pause,
    tools::{self, Gate, Runs},
};

/// The application, somebody who must be asked before `send` (high write) and `wipe` (destructive), and their runs.
struct Scene {
    app: TestApp,
    invoker: Invoker,
    mara: Caller,
    topic: ConversationId,
    runs: Runs,
}

impl Scene {
    async fn set() -> Self {
        let (app, runs) = (TestApp::start().await, Runs::default());
        let calls = tools::counting_calls(&runs).scoped(|_| Some("texts".to_owned()));
        let send = tools::counted("send", Risk::HighWrite, calls).permission("channel:send");
        let invoker = tools::invoker(&app, vec![send, tools::counting("wipe", Risk::Destructive, &runs)]);
        let mara = app.caller(&["channel:send"]).await;
        let topic = app.conversation(&mara).await;
        Self { app, invoker, mara, topic, runs }
    }

    /// A call in another conversation of hers.
    async fn elsewhere(&self, call: Call) -> Call {
        Call { topic: Some(self.app.conversation(&self.mara).await), ..call }
    }

    fn call(&self, tool: &str, text: &str) -> Call {
        Call { topic: Some(self.topic), ..Call::new(self.mara.clone(), tool, json!({"text": text})) }
    }

    async fn invoke(&self, call: Call) -> Result<Outcome, Error> {
        self.invoker.invoke(call, CancellationToken::new()).await
    }

    async fn data(&self, call: Call) -> Value {
        match self.invoke(call).await.unwrap() {
            Outcome::Done(done) => done.output.data,
            Outcome::Confirm(ticket) => panic!("asked: {}", ticket.reason),
        }
    }

    async fn ask(&self, call: Call) -> Ticket {
        match self.invoke(call).await.unwrap() {
            Outcome::Confirm(ticket) => *ticket,
            Outcome::Done(done) => panic!("ran: {}", done.output.data),
        }
    }

    async fn decide(&self, ticket: &Ticket, answer: Answer) -> Result<(Ticket, Verdict), Error> {
        self.invoker.decide(ticket.id, answer, &self.mara, CancellationToken::new()).await
    }

    async fn approve(&self, ticket: &Ticket) -> Verdict {
        self.decide(ticket, yes()).await.unwrap().1
    }

    /// The rows of calls, the oldest first.
    async fn rows(&self) -> Vec<Entry> {
        let filter = Filter { event_type: Some("tool_invocation".to_owned()), ..Filter::default() };
        self.app.satchel.app.stores.audit.find(filter, 100).await.unwrap().into_iter().rev().collect()
    }

    async fn actions(&self) -> Vec<(String, String, Value)> {
        self.rows().await.into_iter().map(|row| (row.action, row.outcome, row.arguments)).collect()
    }
}

fn yes() -> Answer {
    Answer { decision: Decision::Approve, reason: None, params: None, question: None, for_conversation: false }
}

fn no(reason: &str) -> Answer {
    Answer { decision: Decision::Deny, reason: Some(reason.to_owned()), ..yes() }
}

fn ran(verdict: &Verdict) -> &Value {
    match verdict {
        Verdict::Ran { output, .. } => &output.data,
        other => panic!("it did not run: {other:?}"),
    }
}

fn failed(verdict: &Verdict) -> (Kind, &str) {
    match verdict {
        Verdict::Failed { kind, message, .. } => (*kind, message),
        other => panic!("it did not fail: {other:?}"),
    }
}

#[tokio::test]
async fn risk_permission_and_taint_decide_who_is_asked() {
    let scene = Scene::set().await;
    let root = scene.app.caller(&["*"]).await;
    let asks = async |caller: &Caller, tool: &str, tainted: bool| {
        let topic = scene.app.conversation(caller).await;
        if tainted {
            scene.app.taint(topic).await;
        }
        let call = Call { topic: Some(topic), ..Call::new(caller.clone(), tool, json!({"text": ""})) };
        matches!(scene.invoke(call).await.unwrap(), Outcome::Confirm(_))
    };
    assert!(asks(&scene.mara, "send", false).await, "high write asks");
    assert!(!asks(&root, "send", false).await, "but not who holds everything");
    assert!(asks(&root, "send", true).await, "unless content from outside is there");
    assert!(asks(&root, "wipe", false).await, "destructive always asks");
    assert_eq!(scene.runs.count(), 1);
}

#[tokio::test]
async fn a_conversation_of_somebody_else_is_none_for_a_call() {
    let scene = Scene::set().await;
    let noor = scene.app.caller(&["*"]).await;
    for topic in [scene.topic, ConversationId::new()] {
        let call = Call { topic: Some(topic), ..Call::new(noor.clone(), "send", json!({"text": ""})) };
        assert_eq!(scene.invoke(call).await.unwrap_err().kind(), Kind::NotFound);
    }
    assert_eq!(scene.runs.count(), 0);
}

#[tokio::test]
async fn approving_runs_it_and_the_repeated_call_gets_that_result() {
    let scene = Scene::set().await;
    let ticket = scene.ask(scene.call("send-short", "hello")).await;
    assert_eq!((ticket.asked_as.as_str(), &ticket.arguments), ("send-short", &json!({"text": "hello"})));
    let waits = scene.ask(Call { ticket: Some(ticket.id), ..scene.call("send-short", "hello") }).await;
    assert_eq!((waits.id, waits.state), (ticket.id, TicketState::Pending));
    assert_eq!(ran(&scene.approve(&ticket).await), &json!({"text": "hello"}));
    for _ in 0..2 {
        let again = Call { ticket: Some(ticket.id), ..scene.call("send-short", "hello") };
        assert_eq!(scene.data(again).await, json!({"length": 5}), "under the alias, in the alias's shape");
    }
    assert_eq!(scene.runs.count(), 1);
    let told: Vec<String> =
        scene.actions().await.into_iter().map(|(action, outcome, _)| format!("{action}: {outcome}")).collect();
    assert_eq!(told, ["invoke: waiting", "invoke: success"], "fetching what came of it is no second call");
    let rows = scene.rows().await;
    assert_eq!((rows[0].approved_by.as_deref(), rows[1].approved_by.as_ref()), (None, Some(&scene.mara.username)));
    assert_eq!(rows[0].call_id, rows[1].call_id);
}

#[tokio::test]
async fn a_ticket_is_for_its_user_conversation_tool_and_arguments_alone() {
    let scene = Scene::set().await;
    let ticket = scene.ask(scene.call("send", "hello")).await;
    scene.approve(&ticket).await;
    let noor = scene.app.caller(&["channel:send"]).await;
    let with = |call: Call| Call { ticket: Some(ticket.id), ..call };
    for (call, kind) in [
        (with(scene.call("send", "hello!")), Kind::Invalid),
        (with(scene.call("wipe", "hello")), Kind::Invalid),
        (scene.elsewhere(with(scene.call("send", "hello"))).await, Kind::Invalid),
        (Call { topic: None, ..with(scene.call("send", "hello")) }, Kind::Invalid),
        (Call { caller: noor.clone(), ..with(scene.call("send", "hello")) }, Kind::NotFound),
    ] {
        assert_eq!(scene.invoke(call.clone()).await.unwrap_err().kind(), kind, "{call:?}");
    }
    assert_eq!(scene.runs.count(), 1);
}

#[tokio::test]
async fn only_its_person_decides_and_no_program_for_him() {
    let scene = Scene::set().await;
    let ticket = scene.ask(scene.call("send", "hello")).await;
    let key = Caller { credential: Credential::Key(satchel::model::id::Id::new()), ..scene.mara.clone() };
    let error = scene.invoker.decide(ticket.id, yes(), &key, CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Denied);
    let root = scene.app.caller(&["*"]).await;
    assert_eq!(
        scene.invoker.decide(ticket.id, yes(), &root, CancellationToken::new()).await.unwrap_err().kind(),
        Kind::NotFound
    );
    assert_eq!(
        scene.invoker.decide(ticket.id, no("mine"), &root, CancellationToken::new()).await.unwrap_err().kind(),
        Kind::NotFound
    );
    assert_eq!(scene.runs.count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_approvals_at_once_run_it_once() {
    let scene = Arc::new(Scene::set().await);
    let ticket = scene.ask(scene.call("send", "hello")).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (scene, ticket) = (Arc::clone(&scene), ticket.clone());
        tasks.spawn(async move { scene.decide(&ticket, yes()).await.map(|_| ()).map_err(|e| e.kind()) });
    }
    let answers = tasks.join_all().await;
    assert_eq!(answers.iter().filter(|a| a.is_ok()).count(), 1);
    assert!(answers.iter().filter_map(|a| a.err()).all(|kind| kind == Kind::Conflict), "{answers:?}");
    assert_eq!(scene.runs.count(), 1);
}

#[tokio::test]
async fn a_question_nobody_answers_lapses_after_300_seconds() {
    let scene = Scene::set().await;
    let (first, second) = (scene.ask(scene.call("send", "a")).await, scene.ask(scene.call("send", "b")).await);
    scene.app.satchel.app.clock.advance(Duration::from_secs(290));
    scene.approve(&first).await;
    scene.app.satchel.app.clock.advance(Duration::from_secs(11));
    assert_eq!(scene.decide(&second, yes()).await.unwrap_err().kind(), Kind::Conflict);
    assert_eq!(scene.decide(&second, no("late")).await.unwrap_err().kind(), Kind::Conflict);
    let late = scene.invoke(Call { ticket: Some(second.id), ..scene.call("send", "b") }).await.unwrap_err();
    assert!(late.kind() == Kind::Conflict && late.message().contains("expired"), "{late}");
    assert_eq!(scene.runs.count(), 1);
}

#[tokio::test]
async fn a_conversation_holds_ten_questions_and_no_more() {
    let scene = Scene::set().await;
    let mut tickets = Vec::new();
    for n in 0..PENDING {
        tickets.push(scene.ask(scene.call("send", &n.to_string())).await);
    }
    let error = scene.invoke(scene.call("send", "one more")).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Exhausted);
    scene.ask(scene.elsewhere(scene.call("send", "elsewhere")).await).await;
    scene.decide(&tickets[0], no("enough")).await.unwrap();
    scene.ask(scene.call("send", "now")).await;
}

#[tokio::test]
async fn a_refusal_runs_nothing_is_audited_and_its_reason_is_told() {
    let scene = Scene::set().await;
    let ticket = scene.ask(scene.call("send", "hello")).await;
    let (decided, _) = scene.decide(&ticket, no("not today")).await.unwrap();
    assert_eq!(decided.state, TicketState::Denied);
    let error = scene.invoke(Call { ticket: Some(ticket.id), ..scene.call("send", "hello") }).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Denied);
    assert_eq!(error.message(), "The person refused this call. Nothing was run. Their reason: not today");
    assert_eq!(scene.decide(&ticket, yes()).await.unwrap_err().kind(), Kind::Conflict);
    let refused = ("refuse".to_owned(), "refused".to_owned(), json!({"text": "hello"}));
    assert_eq!(scene.actions().await[1..], [refused]);
    let rows = scene.rows().await;
    assert_eq!((&rows[1].user, rows[1].call_id), (&scene.mara.username, rows[0].call_id));
    assert_eq!(scene.runs.count(), 0);
}

#[tokio::test]
async fn a_command_given_again_before_it_is_decided_is_the_same_question() {
    let scene = Scene::set().await;
    let mara = scene.mara.through(Door::Cli);
    let call = |caller: &Caller, text: &str| Call::new(caller.clone(), "send", json!({"text": text}));
    let first = scene.ask(call(&mara, "hello")).await;
    assert_eq!(scene.ask(call(&mara, "hello")).await.id, first.id);
    for other in [call(&mara, "other"), call(&scene.mara, "hello"), scene.call("send", "hello")] {
        assert_ne!(scene.ask(other).await.id, first.id);
    }
    scene.approve(&first).await;
    assert_ne!(scene.ask(call(&mara, "hello")).await.id, first.id, "a decision is for one run");
    assert_eq!(scene.runs.count(), 1);
}

#[tokio::test]
async fn edited_arguments_are_what_runs_and_what_is_audited() {
    let scene = Scene::set().await;
    let ticket = scene.ask(scene.call("send", "hello")).await;
    let edited = Answer { params: Some(json!({"text": "edited"})), ..yes() };
    assert_eq!(ran(&scene.decide(&ticket, edited).await.unwrap().1), &json!({"text": "edited"}));
    let row = scene.rows().await.remove(1);
    let edit = Edit { name: "text".to_owned(), from: json!("hello"), to: json!("edited") };
    assert_eq!((&row.arguments, &row.edited), (&json!({"text": "edited"}), &vec![edit.clone()]));
    let repeated = Call { ticket: Some(ticket.id), ..scene.call("send", "hello") };
    let Outcome::Done(done) = scene.invoke(repeated).await.unwrap() else { panic!("it was decided") };
    assert_eq!((&done.output.data, Some(done.call)), (&json!({"text": "edited"}), row.call_id));
    let executed = Some(json!({"text": "edited"}));
    let approved_by = Some(scene.mara.username.clone());
    assert_eq!(done.approved, Approved { approved_by, call: row.call_id, executed, edited: vec![edit] });
    let succeeded = scene.rows().await.into_iter().filter(|row| row.outcome == "success");
    assert!(
        succeeded.into_iter().all(|row| row.arguments == json!({"text": "edited"})),
        "what never ran is no success"
    );
    assert!(scene.app.satchel.app.stores.audit.verify(Vec::new(), scene.app.satchel.app.clock.now()).await.unwrap().ok);

    let second = scene.ask(scene.call("send", "hello")).await;
    let wrong = Answer { params: Some(json!({"txt": "edited"})), ..yes() };
    assert_eq!(scene.decide(&second, wrong).await.unwrap_err().kind(), Kind::Invalid);
    assert_eq!(scene.runs.count(), 1);
    scene.approve(&second).await;
    assert_eq!(scene.runs.count(), 2, "what cannot run leaves the question open");
}

#[tokio::test]
async fn what_runs_may_do_no_more_than_asker_then_and_person_now() {
    let scene = Scene::set().await;
    let ticket = scene.ask(scene.call("send", "hello")).await;
    let demoted = Caller { permissions: Permissions::parse(["knowledge:read"]).unwrap(), ..scene.mara.clone() };
    let (_, verdict) = scene.invoker.decide(ticket.id, yes(), &demoted, CancellationToken::new()).await.unwrap();
    assert_eq!(failed(&verdict).0, Kind::NotFound, "what one may not use is not there");
    assert_eq!(scene.runs.count(), 0);
}

#[tokio::test]
async fn a_yes_for_the_conversation_holds_there_for_that_tool_and_never_for_destructive_ones() {
    let scene = Scene::set().await;
    let always = || Answer { for_conversation: true, ..yes() };
    let ticket = scene.ask(scene.call("send", "a")).await;
    assert_eq!(ticket.scope.as_deref(), Some("send texts in this conversation"));
    scene.decide(&ticket, always()).await.unwrap();
    assert_eq!(scene.data(scene.call("send", "b")).await, json!({"text": "b"}));
    scene.ask(scene.elsewhere(scene.call("send", "c")).await).await;
    scene.app.taint(scene.topic).await;
    scene.ask(scene.call("send", "d")).await;
    let wipe = scene.ask(scene.call("wipe", "a")).await;
    assert_eq!((wipe.scope.as_deref(), scene.decide(&wipe, always()).await.unwrap_err().kind()), (None, Kind::Invalid));
    scene.approve(&wipe).await;
    scene.ask(scene.call("wipe", "b")).await;
    assert_eq!(scene.runs.count(), 3);
}
