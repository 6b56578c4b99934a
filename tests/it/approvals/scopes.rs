//! A yes for a whole conversation covers what it says, and no more.

use satchel::{
    engine::{decide::Answer, tool::Tool},
    model::{
        call::TicketState,
        destination::Destination,
        error::Kind,
        spec::{Risk, Source},
    },
};
use serde_json::{Value, json};

use super::asker::{Asker, yes};
use crate::support::{
    app::TestApp,
    tools::{self, Runs},
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

/// A tool that writes to the place its text names, and offers a yes for a whole conversation.
fn send(made_of: &str) -> Tool {
    let calls = tools::counting_calls(&Runs::default())
        .reaches(|args| Destination::all_in(&json!(args.text)).pop_first())
        .scoped(|_| Some("texts".to_owned()));
    tools::counted("send", Risk::HighWrite, calls).made_of(made_of.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn of_hosts_it_covers_one_name_at_one_port_while_the_tool_stays_what_it_was() {
    let mut asker = Asker::new(TestApp::start().await, &["host:fs.read"]).await;
    asker.app.satchel.invoker = tools::invoker(&asker.app, vec![send("v1")]);
    let to = |place: &str| json!({"text": place});
    let ticket = asker.ask("send", to("https://a.example/x")).await;
    assert_eq!(ticket.scope.as_deref(), Some("send texts to a.example:443 in this conversation"));
    asker.approve_for_conversation(&ticket).await;
    asker.run("send", to("https://a.example/y")).await;
    for place in ["http://a.example/x", "https://a.example:8443/x", "https://b.example/x", "no address"] {
        asker.ask("send", to(place)).await;
    }
    assert!(asker.app.satchel.invoker.offer(Source::Builtin, vec![send("v2")]).is_empty());
    let again = asker.ask("send", to("https://a.example/x")).await;
    assert_eq!(again.scope, ticket.scope, "it is the same in words, and another tool");
    asker.approve_for_conversation(&again).await;
    asker.run("send", to("https://a.example/x")).await;
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
