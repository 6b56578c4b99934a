//! Several calls at once: order, failures, permissions, risk, and no nesting.

use satchel::{
    engine::decide::Answer,
    model::{
        call::{Call, Decision, Outcome, Ticket, TicketState},
        caller::Caller,
        error::Kind,
        spec::Risk,
    },
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::app::TestApp;

fn sum(n: usize) -> Value {
    json!({"recipient_name": "functions.calculator", "parameters": {"expression": format!("{n} + {n}")}})
}

fn uses(uses: impl IntoIterator<Item = Value>) -> Value {
    json!({"tool_uses": uses.into_iter().collect::<Vec<_>>()})
}

async fn asked(app: &TestApp, caller: &Caller, params: Value) -> Ticket {
    match app.call(caller, "parallel", params).await.unwrap() {
        Outcome::Confirm(ticket) => *ticket,
        Outcome::Done(done) => panic!("ran: {}", done.output.data),
    }
}

async fn invocations(app: &TestApp) -> Vec<Value> {
    let auditor = app.caller(&["audit:read"]).await;
    let query = json!({"event_type": "tool_invocation", "limit": 100});
    let events = app.data(&auditor, "query_audit_log", query).await.unwrap();
    events["events"].as_array().unwrap().iter().rev().cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn results_come_in_the_order_of_the_calls() {
    let app = TestApp::start().await;
    let caller = app.caller(&[]).await;
    let data = app.data(&caller, "multi_tool_use.parallel", uses((0..32).map(sum))).await.unwrap();
    let results: Vec<&Value> = data["results"].as_array().unwrap().iter().map(|r| &r["result"]).collect();
    assert_eq!(results, (0..32).map(|n| json!(n + n)).collect::<Vec<_>>().iter().collect::<Vec<_>>());
    assert_eq!((&data["ok"], &data["failed"]), (&json!(true), &json!([])));
}

#[tokio::test]
async fn one_failure_is_named_and_stops_nobody_else() {
    let app = TestApp::start().await;
    let caller = app.caller(&[]).await;
    let broken = [
        json!({"recipient_name": "no_such_tool", "parameters": {}}),
        json!({"recipient_name": "query_audit_log", "parameters": {}}),
        json!({"recipient_name": "calculator", "parameters": {"wrong": 1}}),
    ];
    let data = app.data(&caller, "parallel", uses([sum(1)].into_iter().chain(broken).chain([sum(2)]))).await.unwrap();
    assert_eq!(data["ok"], json!(false));
    assert_eq!(data["failed"], json!(["no_such_tool", "query_audit_log", "calculator"]));
    let oks: Vec<bool> = data["results"].as_array().unwrap().iter().map(|r| r["ok"].as_bool().unwrap()).collect();
    assert_eq!(oks, [true, false, false, false, true]);
    let told = |at: usize, name: &str| data["results"][at]["error"].as_str().unwrap().replace(name, "NAME");
    assert_eq!(told(1, "no_such_tool"), told(2, "query_audit_log"), "what one may not use is not there");
}

#[tokio::test]
async fn each_call_has_a_row_of_its_own_and_a_refused_one_too() {
    let app = TestApp::start().await;
    let caller = app.caller(&[]).await;
    let list = json!({"recipient_name": "query_audit_log", "parameters": {}});
    app.data(&caller, "parallel", uses([sum(1), list])).await.unwrap();
    let mut told: Vec<String> = invocations(&app)
        .await
        .iter()
        .filter(|e| e["user"] == json!(caller.username))
        .map(|e| format!("{} {}", e["tool"].as_str().unwrap(), e["outcome"].as_str().unwrap()))
        .collect();
    told.sort();
    assert_eq!(told, ["builtin:calculator success", "builtin:parallel success", "builtin:query_audit_log refused"]);
}

#[tokio::test]
async fn it_runs_nothing_where_it_would_run_itself() {
    let app = TestApp::start().await;
    let caller = app.caller(&["*"]).await;
    for name in ["parallel", "functions.parallel", "multi_tool_use.parallel", "builtin:parallel", "builtin__parallel"] {
        let inner = json!({"recipient_name": name, "parameters": uses([sum(1)])});
        let error = app.data(&caller, "parallel", uses([sum(1), inner])).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
        assert!(error.message().starts_with("Call 2 is parallel itself"), "{name}: {error}");
    }
    assert!(invocations(&app).await.iter().all(|e| e["tool"] != json!("builtin:calculator")));
}

#[tokio::test]
async fn one_to_thirty_two_calls() {
    let app = TestApp::start().await;
    let caller = app.caller(&[]).await;
    for wrong in [uses([]), uses((0..33).map(sum)), json!({}), json!({"tool_uses": [{"parameters": {}}]})] {
        assert_eq!(app.data(&caller, "parallel", wrong).await.unwrap_err().kind(), Kind::Invalid);
    }
}

#[tokio::test]
async fn nobody_is_asked_about_a_call_that_could_not_be_run() {
    let app = TestApp::start().await;
    let caller = app.caller(&["host:fs.read"]).await;
    let write = json!({"recipient_name": "fs-write", "parameters": {"path": "a.txt", "content": "x"}});
    // A tool that one may not use is one that is not there: neither its risk nor a question tells of it.
    let alone = app.data(&caller, "parallel", uses([sum(1), write.clone()])).await.unwrap();
    let wanted = "There is no tool 'fs-write', or you may not use it.";
    assert!(alone["results"][1]["error"].as_str().unwrap().starts_with(wanted), "{alone}");
    let keeper = app.caller(&["knowledge:*"]).await;
    let delete = json!({"action": "delete", "document_id": uuid::Uuid::nil()});
    let delete = json!({"recipient_name": "document", "parameters": delete});
    let error = app.call(&keeper, "parallel", uses([write.clone(), delete])).await.unwrap_err();
    assert_eq!(error.kind(), Kind::NotFound);
    assert!(error.message().starts_with(&format!("Call 1, fs-write: {wanted}")), "{error}");
    let reader = app.caller(&["knowledge:read"]).await;
    let delete = json!({"action": "delete", "document_id": uuid::Uuid::nil()});
    assert_eq!(app.call(&reader, "document", delete).await.unwrap_err().kind(), Kind::Denied);
    let keeper = app.caller(&["knowledge:*"]).await;
    assert_eq!(app.call(&keeper, "document", json!({"action": "delete"})).await.unwrap_err().kind(), Kind::Invalid);
}

#[tokio::test]
async fn its_risk_is_the_highest_of_its_calls_and_one_approval_covers_exactly_them() {
    let app = TestApp::start().await;
    let caller = app.caller(&["host:fs.read", "host:fs.write"]).await;
    let write = |path: &str| json!({"recipient_name": "fs-write", "parameters": {"path": path, "content": "x"}});
    let reads = uses([sum(1), json!({"recipient_name": "no_such_tool", "parameters": {}})]);
    assert_eq!(app.data(&caller, "parallel", reads).await.unwrap()["ok"], json!(false), "reads do not ask");
    let params = uses([sum(1), write("a.txt"), write("b.txt")]);
    let ticket = asked(&app, &caller, params.clone()).await;
    assert_eq!((ticket.risk, ticket.tool.as_str()), (Risk::HighWrite, "builtin:parallel"));
    let answer =
        Answer { decision: Decision::Approve, reason: None, params: None, question: None, for_conversation: false };
    let (decided, _) = app.satchel.invoker.decide(ticket.id, answer, &caller, CancellationToken::new()).await.unwrap();
    assert_eq!(decided.state, TicketState::Done);
    let with_ticket = |params: Value| Call { ticket: Some(ticket.id), ..Call::new(caller.clone(), "parallel", params) };
    let other = with_ticket(uses([sum(1), write("a.txt"), write("c.txt")]));
    assert_eq!(app.satchel.invoker.invoke(other, CancellationToken::new()).await.unwrap_err().kind(), Kind::Invalid);
    let Outcome::Done(done) = app.satchel.invoker.invoke(with_ticket(params), CancellationToken::new()).await.unwrap()
    else {
        panic!("asked again");
    };
    assert_eq!(done.output.data["ok"], json!(true), "{}", done.output.data);
    assert_eq!(app.data(&caller, "fs-read", json!({"path": "b.txt"})).await.unwrap(), json!({"content": "x"}));
}
