//! A question is asked only for a call whose arguments can run, and names the thing it is about.

use satchel::{
    engine::decide::Answer,
    host::files::Parents,
    model::{
        call::{Decision, Outcome, Ticket, TicketState},
        caller::Caller,
        error::{Error, Kind},
    },
    services::catalog::offer::offer,
    store::tickets::Verdict,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    scripts::reach::save,
    support::{
        app::TestApp,
        chat::Chat,
        http::Request,
        library::Library,
        remote::systems::{endpoint, open},
    },
};

async fn asked(app: &TestApp, caller: &Caller, tool: &str, arguments: Value) -> Ticket {
    match app.call(caller, tool, arguments.clone()).await {
        Ok(Outcome::Confirm(ticket)) => *ticket,
        other => panic!("{tool} {arguments}: {other:?}"),
    }
}

/// The refusal of a call, of which nobody was asked.
async fn refused(app: &TestApp, caller: &Caller, tool: &str, arguments: Value) -> Error {
    let error = match app.call(caller, tool, arguments.clone()).await {
        Err(error) => error,
        Ok(outcome) => panic!("{tool} {arguments}: {outcome:?}"),
    };
    let waiting = app.satchel.app.stores.tickets.pending(caller.user, app.satchel.app.clock.now()).await.unwrap();
    assert!(waiting.is_empty(), "{tool} {arguments}: {waiting:?}");
    error
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_a_change_of_a_file_that_cannot_be_made() {
    let app = TestApp::start().await;
    let writer = app.caller(&["host:fs.read", "host:fs.write"]).await;
    for (tool, arguments, kind) in [
        ("write", json!({"path": "../../vault.key", "content": "x"}), Kind::Denied),
        ("write", json!({"path": "/etc/passwd", "content": "x"}), Kind::Denied),
        ("write", json!({"path": "no/folder/a.txt", "content": "x"}), Kind::NotFound),
        ("write", json!({"path": "a.txt", "content": "x", "encoding": "klingon"}), Kind::Invalid),
        ("fs-write", json!({"path": ".", "content": "x"}), Kind::Invalid),
        ("edit", json!({"path": "none.txt", "old_text": "a", "new_text": "b"}), Kind::NotFound),
        ("edit", json!({"path": "/etc/passwd", "old_text": "root", "new_text": "b"}), Kind::Denied),
        ("apply_patch", json!({"path": "none.txt", "patch": "no diff"}), Kind::Invalid),
        ("apply_patch", json!({"path": "none.txt", "patch": "@@ -1 +1 @@\n-a\n+b\n"}), Kind::NotFound),
    ] {
        let error = refused(&app, &writer, tool, arguments.clone()).await;
        assert_eq!(error.kind(), kind, "{tool} {arguments}: {error}");
    }
    let ticket = asked(&app, &writer, "write", json!({"path": "a.txt", "content": "apple\n"})).await;
    assert_eq!(ticket.question, "Write “a.txt”?");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_cannot_run_leaves_the_question_open() {
    let app = TestApp::start().await;
    let writer = app.caller(&["host:fs.read", "host:fs.write"]).await;
    let ticket = asked(&app, &writer, "write", json!({"path": "a.txt", "content": "apple"})).await;
    let approve = async |path: &str| {
        let params = Some(json!({"path": path, "content": "apple"}));
        let answer =
            Answer { decision: Decision::Approve, reason: None, params, question: None, for_conversation: false };
        app.satchel.invoker.decide(ticket.id, answer, &writer, CancellationToken::new()).await
    };
    for (path, kind) in [("/etc/passwd", Kind::Denied), ("no/folder/a.txt", Kind::NotFound)] {
        assert_eq!(approve(path).await.unwrap_err().kind(), kind, "{path}");
    }
    let (ticket, verdict) = approve("b.txt").await.unwrap();
    assert!(matches!(verdict, Verdict::Ran { .. }), "{verdict:?}");
    assert_eq!(ticket.state, TicketState::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_in_a_file_is_told_before_asking_to_who_may_read_it() {
    let app = TestApp::start().await;
    let reader = app.caller(&["host:fs.read", "host:fs.write"]).await;
    let files = app.satchel.app.files_of(reader.user).unwrap();
    files.write("a.txt", b"apple\n".to_vec(), Parents::Must).await.unwrap();
    let edit = |old: &str| json!({"path": "a.txt", "old_text": old, "new_text": "pear"});
    assert!(refused(&app, &reader, "edit", edit("banana")).await.message().contains("does not occur"));
    let patch = json!({"path": "a.txt", "patch": "@@ -1 +1 @@\n-banana\n+pear\n"});
    assert_eq!(refused(&app, &reader, "apply_patch", patch).await.kind(), Kind::Conflict);
    let ticket = asked(&app, &reader, "edit", edit("apple")).await;
    assert_eq!((ticket.question.as_str(), ticket.subject.as_deref()), ("Change “a.txt”?", Some("a.txt")));
    let ticket = asked(&app, &reader, "write", json!({"path": "a.txt", "content": "x"})).await;
    assert_eq!(ticket.question, "Replace “a.txt”?");
    let blind = app.caller(&["host:fs.write"]).await;
    let files = app.satchel.app.files_of(blind.user).unwrap();
    files.write("a.txt", b"apple\n".to_vec(), Parents::Must).await.unwrap();
    asked(&app, &blind, "edit", edit("banana")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_a_command_that_cannot_run() {
    let app = TestApp::start().await;
    app.set(json!({"exec": {"mode": "sandboxed", "blocked": ["mkfs"]}})).await;
    let runner = app.caller(&["host:exec"]).await;
    for (tool, arguments, kind) in [
        ("exec", json!({"command": "true", "timeout": -1}), Kind::Invalid),
        ("exec", json!({"command": "true", "timeout": 601}), Kind::Invalid),
        ("bash", json!({"command": "true", "cwd": "/etc"}), Kind::Denied),
        ("exec", json!({"command": "true", "cwd": "missing"}), Kind::NotFound),
        ("exec", json!({"command": "mkfs /dev/sda"}), Kind::Denied),
        ("run_cli", json!({"command": "cat", "args": ["/etc/passwd"]}), Kind::Denied),
        ("run_cli", json!({"command": "/bin/cat", "args": []}), Kind::Invalid),
        ("exec", json!({"command": "printf a\0b"}), Kind::Invalid),
        ("exec", json!({"command": "", "args": ["x"]}), Kind::Invalid),
        ("exec", json!({"command": "printf", "args": ["a\0b"]}), Kind::Invalid),
        ("exec", json!({"command": "true", "env": {"A=B": "c"}}), Kind::Invalid),
        ("exec", json!({"command": "true", "env": {"A": "b\0"}}), Kind::Invalid),
        ("exec", json!({"command": "cat", "stdin": "x".repeat(1_000_001)}), Kind::Invalid),
        ("process", json!({"action": "start"}), Kind::Invalid),
        ("process", json!({"action": "start", "command": "printf a\0b"}), Kind::Invalid),
        ("process", json!({"action": "start", "command": "mkfs"}), Kind::Denied),
        ("process", json!({"action": "stop", "session_id": "proc_none"}), Kind::NotFound),
    ] {
        let error = refused(&app, &runner, tool, arguments.clone()).await;
        assert_eq!(error.kind(), kind, "{tool} {arguments}: {error}");
    }
    let ticket = asked(&app, &runner, "exec", json!({"command": "ls -la", "timeout": 5})).await;
    assert_eq!(ticket.question, "Run “ls -la”?");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_a_script_whose_uses_the_caller_lacks() {
    let app = TestApp::start().await;
    save(&app, "inner", "// @uses write", "tool(\"write\", #{ path: \"a.txt\", content: \"x\" })").await;
    save(&app, "outer", "// @uses inner", "tool(\"inner\", #{})").await;
    let without = app.caller(&["host:fs.read"]).await;
    let with = app.caller(&["host:fs.write"]).await;
    let error = refused(&app, &without, "inner", json!({})).await;
    assert_eq!(error.kind(), Kind::Denied);
    assert!(error.message().contains("The script uses a tool that you may not use."), "{error}");
    assert_eq!(asked(&app, &with, "inner", json!({})).await.question, "Run inner?");
    let calls = json!({"tool_uses": [{"recipient_name": "inner"}]});
    let error = refused(&app, &without, "parallel", calls).await;
    assert!(error.message().starts_with("Call 1, "), "{error}");
    // A tool that they lack is one that is not there: the call fails by itself, and nobody is asked.
    let write = json!({"recipient_name": "write", "parameters": {"path": "/etc/x", "content": "x"}});
    let data = app.data(&without, "parallel", json!({"tool_uses": [write]})).await.unwrap();
    assert_eq!((&data["ok"], &data["failed"]), (&json!(false), &json!(["write"])));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_a_call_to_a_system_that_cannot_be_sent() {
    let app = TestApp::start().await;
    let system = open(&app, "crm", "https://crm.example/api").await;
    endpoint(
        &app,
        &system,
        json!({"name": "Remove", "method": "DELETE", "path": "/customers/{id}", "risk": "destructive"}),
    )
    .await;
    offer(&app.satchel.invoker);
    let viewer = app.caller(&["catalog:read"]).await;
    let rest = |more: Value| {
        let mut call = json!({"system_id": "crm", "method": "DELETE", "path": "/customers/7"});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    for (tool, arguments) in [
        ("call_rest_endpoint", rest(json!({"headers": {"host": "evil.example"}}))),
        ("call_rest_endpoint", rest(json!({"path": "../../admin"}))),
        ("call_rest_endpoint", rest(json!({"query_params": {"_method": "GET"}}))),
        ("call_soap_endpoint", json!({"system_id": "crm", "soap_action": "a\"b", "body_xml": "<a/>"})),
        ("call_websocket", json!({"system_id": "crm", "path": "/feed", "message": "x", "timeout": -1})),
        ("call_graphql_endpoint", json!({"system_id": "crm", "query": "mutation A { a } mutation B { b }"})),
    ] {
        let error = refused(&app, &viewer, tool, arguments.clone()).await;
        assert_eq!(error.kind(), Kind::Invalid, "{tool} {arguments}: {error}");
    }
    let ticket = asked(&app, &viewer, "call_rest_endpoint", rest(json!({}))).await;
    assert_eq!(ticket.question, "Send DELETE crm.example/api/customers/7 to crm?");
    assert_eq!(ticket.subject.as_deref(), Some("/customers/7"));
    let more = json!({"path": "/customers/7?dry=1", "query_params": {"force": "yes"}});
    let ticket = asked(&app, &viewer, "call_rest_endpoint", rest(more)).await;
    assert_eq!(ticket.question, "Send DELETE crm.example/api/customers/7?dry=…&force=… to crm?");
    assert_eq!(ticket.subject.as_deref(), Some("/customers/7"));
    let ticket = asked(&app, &viewer, "catalog:crm.remove", json!({"id": "7"})).await;
    assert_eq!(ticket.question, "Send DELETE crm.example/api/customers/7 to crm?", "its name would not say which one");
    assert_eq!(ticket.subject.as_deref(), Some("/customers/7"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_destructive_approval_names_the_thing_and_not_its_id() {
    let library = Library::open().await;
    let document = library.text("Holiday 29", "We are away until the fifth.").await;
    let path = "/api/tools/document/invoke";
    let delete = |id: &Value| json!({"params": {"action": "delete", "document_id": id}});
    let id = document["id"].clone();
    let answer = library.server.send(Request::post(path, &delete(&id)).bearer(&library.key)).await;
    assert_eq!(answer.status, 409);
    let told = answer.json();
    assert_eq!((&told["question"], &told["subject"]), (&json!("Delete “Holiday 29”?"), &json!("Holiday 29")));
    assert!(told["detail"].as_str().unwrap().starts_with("Delete “Holiday 29”? "), "{told}");
    let none = json!("00000000-0000-4000-8000-000000000000");
    let answer = library.server.send(Request::post(path, &delete(&none)).bearer(&library.key)).await;
    assert!(answer.status != 409, "nobody is asked about what is not there: {}", answer.text());
    let tool = Request::get("/api/tools/document").bearer(&library.key);
    let tool = library.server.send(tool).await.json();
    assert_eq!((&tool["risk"], &tool["risk_up_to"]), (&json!("read"), &json!("destructive")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_changes_to_destroy_something_else_is_asked_about_by_its_name() {
    let chat = Chat::start(vec![]).await;
    let (first, second) =
        (chat.owner.add_text("Holiday 29", "Away.").await, chat.owner.add_text("Wages", "Pay.").await);
    let delete = |id: &str| json!({"action": "delete", "document_id": id});
    let (status, asked) = chat.owner.ask("POST", "/api/tools/document/invoke", json!({"params": delete(&first)})).await;
    assert_eq!((status, &asked["question"]), (409, &json!("Delete “Holiday 29”?")));
    let path = format!("/api/tickets/{}", asked["ticket"].as_str().unwrap());
    let approve = async |question: Value| {
        let body = json!({"decision": "approve", "params": delete(&second), "question": question});
        chat.owner.ask("POST", &path, body).await
    };
    let same = json!({"decision": "approve", "params": delete(&first), "question": "Run it with these changes?"});
    assert_eq!(chat.owner.ask("POST", &path, same).await.1["question"], "Delete “Holiday 29”?");
    for seen in [Value::Null, json!("Delete “Holiday 29”?")] {
        let (status, told) = approve(seen).await;
        let named = ["question", "subject", "risk"].map(|field| told[field].clone());
        assert_eq!((status, named), (409, [json!("Delete “Wages”?"), json!("Wages"), json!("destructive")]), "{told}");
    }
    assert_eq!(chat.owner.do_it("GET", &path, Value::Null).await["state"], "pending");
    let (status, decided) = approve(json!("Delete “Wages”?")).await;
    assert_eq!((status, &decided["result"]["success"]), (200, &json!(true)), "{decided}");
    let left = chat.owner.do_it("GET", &format!("/api/knowledge/documents/{first}"), Value::Null).await;
    assert_eq!(left["title"], "Holiday 29");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_whose_arguments_raise_the_risk_says_how_far() {
    let app = TestApp::start().await;
    let registry = app.satchel.invoker.registry();
    for tool in registry.tools().iter().filter(|tool| tool.raises_risk()) {
        assert!(registry.risk_up_to(tool).is_some(), "{}", tool.spec());
    }
    for tool in registry.tools().iter().filter(|tool| !tool.raises_risk() && registry.used_by(tool).is_empty()) {
        assert_eq!(registry.risk_up_to(tool), None, "{}", tool.spec());
    }
}
