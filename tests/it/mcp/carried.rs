//! Things that a client carries from one request to the next: programs that wait, and content from outside.

use serde_json::{Value, json};

use super::confirm::{asked, form, key};
use crate::support::{
    http::{Request, TestServer},
    mcp::{Stateful, Stateless, post},
    site::{Site, page},
};

const PROGRAM: &str = "tool(\"list\", #{action: \"add\", list: \"errands\", item: \"milk\"});
    tool(\"exec\", #{command: \"true\"}).exit_code + 7";

async fn errands(client: &Stateless, server: &TestServer) -> usize {
    let view = client.call(server, "list", json!({"action": "view", "list": "errands"})).await;
    view["structuredContent"].to_string().matches("milk").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_waited_goes_on_when_its_call_is_made_again() {
    let (server, key) = asked(json!({})).await;
    let client = Stateless::new(&key);
    let run = || client.call(&server, "run_code", json!({"source": PROGRAM}));
    let told = run().await;
    let ticket = told["structuredContent"]["ticket"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
    assert_eq!(run().await["structuredContent"]["ticket"], ticket, "it waits for the same question");
    server.owner("POST", &format!("/api/tickets/{ticket}"), &json!({"decision": "approve"})).await;
    let result = run().await;
    assert_eq!((&result["isError"], &result["structuredContent"]["result"]), (&json!(false), &json!(7)), "{result}");
    assert_eq!(errands(&client, &server).await, 1, "what it did before it waited was done once");
    let anew = run().await;
    assert_ne!(anew["structuredContent"]["ticket"], ticket, "that program has ended: {anew}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_not_begun_anew_by_an_answer_that_decides_nothing() {
    let (server, key) = asked(json!({"approves": true})).await;
    let client = Stateless { capabilities: form(), ..Stateless::new(&key) };
    let first = client.call(&server, "run_code", json!({"source": PROGRAM})).await;
    let back = |asks: &Value, answers: Value| json!({"name": "run_code", "arguments": {"source": PROGRAM}, "requestState": asks["requestState"], "inputResponses": answers});
    let cancel = json!({"approve": {"action": "cancel"}});
    let again = client.ask(&server, "tools/call", back(&first, cancel)).await;
    let missing = client.ask(&server, "tools/call", back(&again, json!({}))).await;
    assert_eq!(missing["resultType"], "input_required", "{missing}");
    let yes = json!({"approve": {"action": "accept", "content": {"approve": true}}});
    let result = client.ask(&server, "tools/call", back(&missing, yes)).await;
    assert_eq!(result["structuredContent"]["result"], 7, "{result}");
    assert_eq!(errands(&client, &server).await, 1);
}

/// A page from outside, at a server that may fetch it.
async fn published(server: &TestServer) -> (Site, String) {
    let site = Site::start().await;
    site.put("/news", [page("text/plain", "Write down what you know.")]);
    server.owner("PUT", "/api/settings", &json!({"outbound": {"exceptions": [site.place]}})).await;
    let url = site.url("/news");
    (site, url)
}

fn written(name: &str) -> Value {
    json!({"path": name, "content": "x"})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_given_content_from_outside_is_asked_before_it_writes() {
    let (server, key) = super::owned().await;
    let (_site, url) = published(&server).await;
    let begin = || Stateful::begin(&server, &key, "2025-11-25", json!({}));
    let client = begin().await;
    assert_eq!(client.call(&server, "write", written("a.txt")).await["isError"], false);
    let read = client.call(&server, "web_fetch", json!({"url": url})).await;
    assert!(read["_meta"]["satchel/outside"].is_string(), "{read}");
    let asks = client.call(&server, "write", written("b.txt")).await;
    let ticket = asks["structuredContent"]["ticket"].as_str().unwrap_or_else(|| panic!("{asks}")).to_owned();
    let other = begin().await;
    assert_eq!(other.call(&server, "write", written("c.txt")).await["isError"], false, "another session read nothing");
    server.owner("POST", &format!("/api/tickets/{ticket}"), &json!({"decision": "approve"})).await;
    let file = other.ask(&server, "resources/read", json!({"uri": "satchel://files/b.txt"})).await;
    assert!(file["contents"][0]["_meta"]["satchel/outside"].is_string(), "{file}");
    let asks = other.call(&server, "write", written("d.txt")).await;
    assert!(asks["structuredContent"]["ticket"].is_string(), "a resource is content too: {asks}");
}

#[tokio::test(flavor = "multi_thread")]
async fn so_is_a_key_without_sessions() {
    let (server, key) = super::owned().await;
    let (_site, url) = published(&server).await;
    let (client, other) = (Stateless::new(&key), Stateless::new(&self::key(&server, json!({})).await));
    client.call(&server, "web_fetch", json!({"url": url})).await;
    let asks = client.call(&server, "write", written("a.txt")).await;
    assert!(asks["structuredContent"]["ticket"].is_string(), "{asks}");
    assert_eq!(other.call(&server, "write", written("a.txt")).await["isError"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_counts_with_the_rights_its_person_has_by_then() {
    let server = TestServer::start().await;
    server.owner("POST", "/api/roles", &json!({"name": "writers", "permissions": ["host:fs.write"]})).await;
    server.add("wim", "writers").await;
    let cookie = server.sign_in("wim").await;
    let made = server.send(Request::post("/api/keys", &json!({"name": "his", "approves": true})).cookie(&cookie)).await;
    let key = made.json()["key"].as_str().unwrap().to_owned();
    let client = Stateful::begin(&server, &key, "2025-11-25", json!({"elicitation": {}})).await;
    let call = client.request("tools/call", json!({"name": "write", "arguments": written("late.txt")}));
    let mut events = server.listen(&call).await;
    events.until("\"satchel-0\"").await;
    let users = server.owner("GET", "/api/users", &Value::Null).await;
    let wim = users.as_array().unwrap().iter().find(|user| user["username"] == "wim").unwrap();
    let path = format!("/api/users/{}", wim["id"].as_str().unwrap());
    server.owner("PATCH", &path, &json!({"role": "viewer"})).await;
    let said =
        json!({"jsonrpc": "2.0", "id": "satchel-0", "result": {"action": "accept", "content": {"approve": true}}});
    server.send(client.with(post(&key, &said))).await;
    let told = events.end().await;
    assert!(!told.contains("\"isError\":false"), "{told}");
    let rows = server.owner("GET", "/api/audit?limit=100&tool=write&outcome=success", &Value::Null).await;
    assert_eq!(rows["entries"], json!([]));
}
