//! A yes for a whole conversation covers what it says, and no more.

use satchel::{
    engine::{catalog::offer::offer, decide::Answer},
    model::{call::TicketState, catalog::draft::EndpointDraft, error::Kind},
};
use serde_json::{Value, json};

use super::asker::{Asker, yes};
use crate::support::{
    app::TestApp,
    remote::systems::{endpoint, open},
    system::TestSystem,
};

const WRITER: &[&str] = &["host:fs.read", "host:fs.write", "host:exec"];

fn write(path: &str) -> Value {
    json!({"path": path, "content": "x", "create_dirs": true})
}

#[tokio::test(flavor = "multi_thread")]
async fn of_files_it_covers_one_tool_in_one_folder() {
    let asker = Asker::new(TestApp::start().await, WRITER).await;
    let ticket = asker.ask("write", write("reports/a.md")).await;
    assert_eq!(ticket.scope.as_deref(), Some("write files in “reports” in this conversation"));
    assert_eq!(asker.ticket(&ticket).await.scope, ticket.scope, "it is stored as it was said");
    asker.approve_for_conversation(&ticket).await;
    asker.run("write", write("reports/b.md")).await;
    asker.run("fs-write", json!({"path": "./reports//c.md", "content": "x"})).await;
    for path in ["c.md", "reports/2026/a.md", "reports/../a.md", "other/a.md"] {
        asker.ask("write", write(path)).await;
    }
    asker.ask("edit", json!({"path": "reports/a.md", "old_text": "x", "new_text": "y"})).await;
    let elsewhere = Asker { topic: asker.app.conversation(&asker.caller).await, ..asker };
    elsewhere.ask("write", write("reports/d.md")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_systems_it_covers_an_endpoint_or_a_path_of_one_host_and_port() {
    let (app, server, other) = (TestApp::start().await, TestSystem::start().await, TestSystem::start().await);
    let system = open(&app, "crm", &server.url("")).await;
    open(&app, "beside", &other.url("")).await;
    for name in ["Set", "Put"] {
        let path = format!("/{name}/{{id}}");
        endpoint(&app, &system, json!({"name": name, "method": "POST", "path": path, "risk": "high_write"})).await;
    }
    offer(&app.satchel.invoker);
    let asker = Asker::new(app, &["catalog:read"]).await;
    let ticket = asker.ask("catalog:crm.set", json!({"id": "7"})).await;
    assert_eq!(ticket.scope, Some(format!("crm.set to {} in this conversation", server.address)));
    asker.approve_for_conversation(&ticket).await;
    asker.run("catalog:crm.set", json!({"id": "8"})).await;
    asker.ask("catalog:crm.put", json!({"id": "7"})).await;

    let post =
        |system: &str, path: &str| json!({"system_id": system, "method": "POST", "path": path, "body": {"n": 1}});
    let ticket = asker.ask("call_rest_endpoint", post("crm", "/orders")).await;
    let scope = format!("call_rest_endpoint POST /orders to {} in this conversation", server.address);
    assert_eq!(ticket.scope, Some(scope));
    asker.approve_for_conversation(&ticket).await;
    asker.run("call_rest_endpoint", post("crm", "/orders")).await;
    asker.ask("call_rest_endpoint", post("crm", "/orders/all")).await;
    asker.ask("call_rest_endpoint", post("beside", "/orders")).await;
    let mut headers = post("crm", "/orders");
    headers["headers"] = json!({"X-Note": "1"});
    assert_eq!(asker.ask("call_rest_endpoint", headers).await.scope, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_where_what_the_tool_does_was_changed() {
    let (app, server) = (TestApp::start().await, TestSystem::start().await);
    let system = open(&app, "crm", &server.url("")).await;
    let draft = json!({"name": "Set", "method": "POST", "path": "/customers", "risk": "high_write"});
    let made = endpoint(&app, &system, draft).await;
    offer(&app.satchel.invoker);
    let asker = Asker::new(app, &["catalog:read"]).await;
    let ticket = asker.ask("catalog:crm.set", json!({})).await;
    asker.approve_for_conversation(&ticket).await;
    asker.run("catalog:crm.set", json!({})).await;
    let change: EndpointDraft = serde_json::from_value(json!({"path": "/admins"})).unwrap();
    asker.app.satchel.app.catalog.change_endpoint(&asker.app.owner().await, made.id, change).await.unwrap();
    offer(&asker.app.satchel.invoker);
    let again = asker.ask("catalog:crm.set", json!({})).await;
    assert_eq!(again.scope, ticket.scope);
    asker.approve_for_conversation(&again).await;
    asker.run("catalog:crm.set", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_there_is_none_it_is_refused_and_the_question_stays_open() {
    let asker = Asker::new(TestApp::start().await, WRITER).await;
    asker.app.set(json!({"exec": {"mode": "sandboxed"}})).await;
    let for_conversation = || Answer { for_conversation: true, ..yes() };
    let within = json!({"tool_uses": [{"recipient_name": "write", "parameters": write("a.md")}]});
    for (tool, params) in [("exec", json!({"command": "true"})), ("parallel", within)] {
        let ticket = asker.ask(tool, params).await;
        assert_eq!(ticket.scope, None, "{tool}");
        let error = asker.decide(&ticket, for_conversation()).await.unwrap_err();
        assert!(error.kind() == Kind::Invalid && error.message().contains("no yes for the whole"), "{error}");
        assert_eq!(asker.ticket(&ticket).await.state, TicketState::Pending);
    }
    let ticket = asker.ask("write", write("reports/a.md")).await;
    let edited = Answer { params: Some(write("other/a.md")), ..for_conversation() };
    assert_eq!(asker.decide(&ticket, edited).await.unwrap_err().kind(), Kind::Invalid, "it was about another folder");
    asker.ask("write", write("other/b.md")).await;
    let hidden = asker.ask("write", write("reports\u{200b}/a.md")).await;
    assert_eq!((hidden.scope, hidden.question.as_str()), (None, "Write “reports\\u{200b}/a.md”?"));
    assert!(hidden.warnings[0].starts_with("path holds characters that cannot be seen"), "{:?}", hidden.warnings);
}
