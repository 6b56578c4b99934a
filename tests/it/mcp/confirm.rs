//! Calls that a person must confirm: in the console, or where their client asks them.

use serde_json::{Value, json};

use super::{last_row, names};
use crate::support::{
    http::{Request, TestServer},
    mcp::{Stateful, Stateless, post, refused},
};

/// A call that asks: it empties a list for good.
fn asking() -> (&'static str, Value) {
    ("exec", json!({"command": "true"}))
}

/// A server where commands ask, and a key with these terms.
pub(super) async fn asked(terms: Value) -> (TestServer, String) {
    let server = TestServer::start().await;
    server.owner("PUT", "/api/settings", &json!({"exec": {"mode": "sandboxed", "ask": "always"}})).await;
    let key = key(&server, terms).await;
    (server, key)
}

pub(super) async fn key(server: &TestServer, mut terms: Value) -> String {
    terms["name"] = json!("a client");
    let cookie = server.sign_in("owner").await;
    let made = server.send(Request::post("/api/keys", &terms).cookie(&cookie)).await;
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["key"].as_str().unwrap().to_owned()
}

pub(super) fn form() -> Value {
    json!({"elicitation": {"form": {}}})
}

/// The questions that wait.
async fn waiting(server: &TestServer) -> Vec<Value> {
    server.owner("GET", "/api/tickets", &Value::Null).await.as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_says_where_it_is_decided_and_the_identical_call_gives_the_result_once() {
    let (server, key) = asked(json!({})).await;
    let (tool, arguments) = asking();
    let client = Stateless::new(&key);
    let told = client.call(&server, tool, arguments.clone()).await;
    assert_eq!(told["isError"], true);
    let ticket = told["structuredContent"]["ticket"].as_str().unwrap().to_owned();
    let url = told["structuredContent"]["url"].as_str().unwrap();
    assert!(url.starts_with(&format!("http://{}/inbox", server.address)), "{url}");
    assert!(told["content"][0]["text"].as_str().unwrap().contains(&ticket));
    let again = client.call(&server, tool, arguments.clone()).await;
    assert_eq!(again["structuredContent"]["ticket"], ticket, "one question, however often it is asked");
    assert_eq!(waiting(&server).await.len(), 1);
    server.owner("POST", &format!("/api/tickets/{ticket}"), &json!({"decision": "approve"})).await;
    let other = Stateless::new(&super::confirm::key(&server, json!({})).await);
    let others = other.call(&server, tool, arguments.clone()).await;
    assert_ne!(others["structuredContent"]["ticket"], ticket, "another key asks for itself");
    assert_eq!(others["isError"], true);
    let changed = client.call(&server, tool, json!({"command": "false"})).await;
    assert_eq!(changed["isError"], true, "other arguments ask");
    let result = client.call(&server, tool, arguments.clone()).await;
    assert_eq!((&result["isError"], &result["structuredContent"]["exit_code"]), (&json!(false), &json!(0)), "{result}");
    assert_eq!(result["_meta"]["satchel/approved_by"], "owner");
    let anew = client.call(&server, tool, arguments).await;
    assert_eq!(anew["isError"], true, "the result is given once: {anew}");
    assert_ne!(anew["structuredContent"]["ticket"], ticket);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_approved_for_always_does_not_run_once_more() {
    let (server, key) = asked(json!({"permissions": ["host:fs.write"], "personal": true})).await;
    let (tool, arguments) = ("write", json!({"path": "a.txt", "content": "x"}));
    let client = Stateless::new(&key);
    let told = client.call(&server, tool, arguments.clone()).await;
    let ticket = told["structuredContent"]["ticket"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
    let always = json!({"decision": "approve", "always": true});
    server.owner("POST", &format!("/api/tickets/{ticket}"), &always).await;
    let ran = || async { server.owner("GET", "/api/audit?limit=100&tool=write&outcome=success", &Value::Null).await };
    let before = ran().await["entries"].as_array().unwrap().len();
    let result = client.call(&server, tool, arguments.clone()).await;
    assert_eq!(
        (&result["isError"], &result["_meta"]["satchel/approved_by"]),
        (&json!(false), &json!("owner")),
        "{result}"
    );
    assert_eq!(ran().await["entries"].as_array().unwrap().len(), before);
    assert_eq!(client.call(&server, tool, arguments).await["isError"], false, "the rule lets the next one through");
    assert_eq!(ran().await["entries"].as_array().unwrap().len(), before + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_told_once_too() {
    let (server, key) = asked(json!({})).await;
    let (tool, arguments) = asking();
    let client = Stateful::begin(&server, &key, "2025-06-18", json!({})).await;
    let told = client.call(&server, tool, arguments.clone()).await;
    let ticket = told["structuredContent"]["ticket"].as_str().unwrap().to_owned();
    let no = json!({"decision": "deny", "reason": "Not today."});
    server.owner("POST", &format!("/api/tickets/{ticket}"), &no).await;
    let refused = client.call(&server, tool, arguments).await;
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("Not today."), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_brings_its_persons_answer_back_once() {
    let (server, key) = asked(json!({"approves": true})).await;
    let (tool, arguments) = asking();
    let client = Stateless { capabilities: form(), ..Stateless::new(&key) };
    let asks = client.call(&server, tool, arguments.clone()).await;
    assert_eq!(asks["resultType"], "input_required", "{asks}");
    let form = &asks["inputRequests"]["approve"]["params"];
    assert!(form["message"].as_str().unwrap().contains("true"), "{form}");
    let back = |state: &Value, answer: Value, arguments: &Value| json!({"name": tool, "arguments": arguments, "requestState": state, "inputResponses": {"approve": answer}});
    let (state, yes) = (&asks["requestState"], json!({"action": "accept", "content": {"approve": true}}));
    let tampered = json!(state.as_str().unwrap().replace('.', "A."));
    let other = Stateless { key: super::confirm::key(&server, json!({"approves": true})).await, ..client.clone() };
    for (what, asker, params) in [
        ("changed", &client, back(&tampered, yes.clone(), &arguments)),
        ("of another call", &client, back(state, yes.clone(), &json!({"command": "false"}))),
        ("of another key", &other, back(state, yes.clone(), &arguments)),
        ("with no answer that is one", &client, back(state, json!({"action": "accept"}), &arguments)),
        (
            "without its state",
            &client,
            json!({"name": tool, "arguments": arguments, "inputResponses": {"approve": yes}}),
        ),
    ] {
        assert_eq!(refused(&server.send_to_its_end(asker.request("tools/call", params)).await).1, -32602, "{what}");
    }
    assert_eq!(waiting(&server).await.len(), 1, "nothing was decided");
    let result = client.ask(&server, "tools/call", back(state, yes.clone(), &arguments)).await;
    assert_eq!((&result["isError"], &result["structuredContent"]["exit_code"]), (&json!(false), &json!(0)), "{result}");
    assert_eq!(result["_meta"]["satchel/approved_by"], "owner, by the key “a client”");
    let row = last_row(&server).await;
    assert_eq!((&row["door"], &row["outcome"]), (&json!("mcp"), &json!("success")), "{row}");
    assert!(row.to_string().contains("by the key"), "{row}");
    let replayed = server.send(client.request("tools/call", back(state, yes, &arguments))).await;
    assert_eq!(refused(&replayed).1, -32602);
    let no = json!({"action": "decline"});
    let asks = client.call(&server, tool, arguments.clone()).await;
    let result = client.ask(&server, "tools/call", back(&asks["requestState"], no, &arguments)).await;
    assert_eq!(result["isError"], true, "{result}");
    let asks = client.call(&server, tool, arguments.clone()).await;
    let missing =
        json!({"name": tool, "arguments": arguments, "requestState": asks["requestState"], "inputResponses": {}});
    let once_more = client.ask(&server, "tools/call", missing).await;
    assert_eq!(once_more["resultType"], "input_required", "{once_more}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_key_that_approves_asks_its_person() {
    let (server, key) = asked(json!({})).await;
    let (tool, arguments) = asking();
    let plain = Stateless { capabilities: form(), ..Stateless::new(&key) };
    assert_eq!(plain.call(&server, tool, arguments.clone()).await["isError"], true);
    let approves = super::confirm::key(&server, json!({"approves": true})).await;
    let unable = Stateless::new(&approves);
    assert_eq!(unable.call(&server, tool, arguments).await["isError"], true);
    let able = Stateless { capabilities: form(), ..Stateless::new(&approves) };
    let long = able.call(&server, tool, json!({"command": format!("true {}", "x".repeat(5_000))})).await;
    assert!(long["structuredContent"]["url"].is_string(), "what no form shows whole is decided in the console: {long}");
    for question in waiting(&server).await {
        let path = format!("/api/tickets/{}", question["id"].as_str().unwrap());
        for key in [&key, &approves] {
            let decided = server.send(Request::post(&path, &json!({"decision": "approve"})).bearer(key)).await;
            assert_eq!(decided.status, 403, "no key decides over REST: {}", decided.text());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_session_the_form_comes_on_the_stream_of_the_call() {
    let (server, key) = asked(json!({"approves": true})).await;
    let (tool, arguments) = asking();
    for (answer, fails) in [
        (json!({"action": "accept", "content": {"approve": true}}), false),
        (json!({"action": "decline"}), true),
        (json!({"action": "cancel"}), true),
    ] {
        let client = Stateful::begin(&server, &key, "2025-11-25", json!({"elicitation": {}})).await;
        let call = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let mut events = server.listen(&call).await;
        events.until("elicitation/create").await;
        events.until("\"satchel-0\"").await;
        let said = json!({"jsonrpc": "2.0", "id": "satchel-0", "result": answer});
        assert_eq!(server.send(client.with(post(&key, &said))).await.status, 202);
        assert_eq!(server.send(client.with(post(&key, &said))).await.status, 400, "it is answered once");
        let told = events.end().await;
        assert_eq!(told.contains("\"isError\":true"), fails, "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_shows_what_it_was_made_to_show() {
    let server = TestServer::start().await;
    let all = Stateless::new(&key(&server, json!({"exposure": "all"})).await);
    let every = names(&all.ask(&server, "tools/list", json!({})).await);
    let selected = json!({"exposure": "selected", "selected": ["calculator", "builtin:parse_json"]});
    let few = Stateless::new(&key(&server, selected).await);
    assert_eq!(names(&few.ask(&server, "tools/list", json!({})).await), ["calculator", "parse_json"]);
    let finds = Stateless::new(&key(&server, json!({"exposure": "discover"})).await);
    let before = names(&finds.ask(&server, "tools/list", json!({})).await);
    assert!(before.contains(&"find_tools".to_owned()) && !before.contains(&"calculator".to_owned()), "{before:?}");
    assert!(before.len() < every.len());
    let listen = finds.request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let mut events = server.listen(&listen).await;
    events.until("subscriptions/acknowledged").await;
    let hidden = finds.call(&server, "parse_json", json!({"data": "[1]"})).await;
    assert_eq!(hidden["isError"], false, "what may be called can be called though it is not listed");
    finds.call(&server, "find_tools", json!({"query": "add up some numbers exactly"})).await;
    events.until("tools/list_changed").await;
    let after = names(&finds.ask(&server, "tools/list", json!({})).await);
    assert!(after.contains(&"calculator".to_owned()), "{after:?}");
    let other = Stateless::new(&key(&server, json!({"exposure": "discover"})).await);
    assert_eq!(names(&other.ask(&server, "tools/list", json!({})).await), before, "another key finds for itself");
    let cookie = server.sign_in("owner").await;
    for wrong in [
        json!({"name": "x", "selected": ["calculator"]}),
        json!({"name": "x", "exposure": "selected", "selected": ["no_such_tool"]}),
        json!({"name": "x", "exposure": "some"}),
    ] {
        assert_eq!(server.send(Request::post("/api/keys", &wrong).cookie(&cookie)).await.status, 400, "{wrong}");
    }
}
