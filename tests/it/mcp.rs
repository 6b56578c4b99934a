//! `/mcp`: clients of three revisions, over HTTP as they speak it.

mod carried;
mod confirm;
mod conformance;
mod refusals;
mod resources;
mod stdio;

use serde_json::{Value, json};

use crate::support::{
    http::{Request, TestServer},
    mcp::{Stateful, Stateless, post, refused, result},
};

/// The names of the tools of a list.
fn names(list: &Value) -> Vec<String> {
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// A server, and a key of its owner that may do everything and shows all tools.
async fn owned() -> (TestServer, String) {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let made = Request::post("/api/keys", &json!({"name": "a client", "exposure": "all"})).cookie(&cookie);
    let key = server.send(made).await.json()["key"].as_str().unwrap().to_owned();
    (server, key)
}

/// The last call in the audit.
async fn last_row(server: &TestServer) -> Value {
    let page = server.owner("GET", "/api/audit?limit=1&event_type=tool_invocation", &Value::Null).await;
    page["entries"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_asks_lists_and_calls() {
    let (server, key) = owned().await;
    let client = Stateless::new(&key);
    let about = client.ask(&server, "server/discover", json!({})).await;
    assert_eq!(about["supportedVersions"], json!(["2026-07-28", "2025-11-25", "2025-06-18"]));
    assert_eq!(about["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "satchel");
    let list = client.ask(&server, "tools/list", json!({})).await;
    assert_eq!((&list["resultType"], &list["cacheScope"]), (&json!("complete"), &json!("private")));
    let calculator = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "calculator").unwrap();
    assert_eq!(calculator["title"], "Calculator");
    assert_eq!(calculator["annotations"]["readOnlyHint"], true);
    assert_eq!(calculator["inputSchema"]["type"], "object");
    let find = list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "find_tools").unwrap();
    let validator = jsonschema::validator_for(&find["outputSchema"]).unwrap();
    let found = client.call(&server, "find_tools", json!({"query": "add up numbers"})).await;
    assert!(validator.is_valid(&found["structuredContent"]) && !validator.is_valid(&json!({"count": 1})), "{found}");
    let result = client.call(&server, "calculator", json!({"expression": "6 * 7"})).await;
    assert_eq!((&result["resultType"], &result["isError"]), (&json!("complete"), &json!(false)));
    let over_rest = Request::post("/api/tools/calculator/invoke", &json!({"params": {"expression": "6 * 7"}}));
    let over_rest = server.send(over_rest.bearer(&key)).await.json();
    assert_eq!(result["structuredContent"], over_rest["data"]);
    let row = last_row(&server).await;
    assert_eq!(row["door"], "api");
    let called = client.call(&server, "builtin:calculator", json!({"expression": "1"})).await;
    let row = last_row(&server).await;
    assert_eq!(
        (&row["door"], &row["outcome"], &row["call_id"]),
        (&json!("mcp"), &json!("success"), &called["_meta"]["satchel/call_id"])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_a_session_begins_lists_calls_and_ends() {
    let (server, key) = owned().await;
    for revision in ["2025-06-18", "2025-11-25"] {
        let client = Stateful::begin(&server, &key, revision, json!({})).await;
        assert_eq!(client.revision, revision);
        let list = client.ask(&server, "tools/list", json!({})).await;
        assert!(list.get("resultType").is_none() && list.get("cacheScope").is_none());
        let result = client.call(&server, "parse_json", json!({"data": "[1, 2]"})).await;
        assert!(result["structuredContent"].is_object() && result.get("resultType").is_none(), "{result}");
        assert_eq!(client.ask(&server, "ping", json!({})).await, json!({}));
        let ended = server.send(client.with(Request::new("DELETE", "/mcp").bearer(&key))).await;
        assert_eq!(ended.status, 204);
        assert_eq!(server.send(client.request("ping", json!({}))).await.status, 404);
    }
    let newer = Stateful::begin(&server, &key, "2099-01-01", json!({})).await;
    assert_eq!(newer.revision, "2025-11-25");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_of_a_tool_is_a_result_and_an_unknown_tool_is_not() {
    let (server, key) = owned().await;
    let client = Stateless::new(&key);
    let wrong = client.call(&server, "calculator", json!({"expresion": "1"})).await;
    assert_eq!(wrong["isError"], true);
    assert!(wrong["content"][0]["text"].as_str().unwrap().contains("expresion"), "{wrong}");
    let failed = client.call(&server, "calculator", json!({"expression": "1 / 0 +"})).await;
    assert_eq!(failed["isError"], true, "{failed}");
    let params = json!({"name": "no_such_tool", "arguments": {}});
    assert_eq!(refused(&server.send_to_its_end(client.request("tools/call", params)).await), (200, -32602));
    assert_eq!(last_row(&server).await["outcome"], "failure");
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_sees_and_calls_what_they_may_and_always_in_the_same_order() {
    let (server, key) = owned().await;
    server.add("vera", "viewer").await;
    let narrow = server.key(&server.sign_in("vera").await, Some(&["knowledge:read"])).await;
    let (all, few) = (Stateless::new(&key), Stateless::new(&narrow));
    let list = names(&all.ask(&server, "tools/list", json!({})).await);
    assert_eq!(list, names(&all.ask(&server, "tools/list", json!({})).await));
    let seen = names(&few.ask(&server, "tools/list", json!({})).await);
    assert!(seen.contains(&"calculator".to_owned()) && !seen.contains(&"exec".to_owned()));
    assert!(!seen.contains(&"memory_get".to_owned()), "the key opens nothing of the person's: {seen:?}");
    for tool in ["exec", "memory_get"] {
        let params = json!({"name": tool, "arguments": {}});
        let hidden = server.send_to_its_end(few.request("tools/call", params.clone())).await;
        let params = json!({"name": format!("{tool}_not"), "arguments": {}});
        let missing = server.send_to_its_end(few.request("tools/call", params)).await;
        assert_eq!(hidden.text().replace(tool, &format!("{tool}_not")), missing.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_result_is_whole_as_data_and_cut_as_text() {
    let (server, key) = owned().await;
    let client = Stateless::new(&key);
    let rows: Vec<Value> = (0..40_000).map(|n| json!({"n": n, "name": "a row"})).collect();
    let called = client.call(&server, "parse_json", json!({"data": json!(rows).to_string()})).await;
    assert_eq!(called["isError"], false, "{}", called["content"][0]["text"]);
    assert!(called["structuredContent"].to_string().len() > 1 << 20);
    assert!(called["content"][0]["text"].as_str().unwrap().len() < 64 << 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_ends_what_listens_and_opens_nothing() {
    let server = TestServer::start().await;
    let cookie = server.sign_in("owner").await;
    let made = server.send(Request::post("/api/keys", &json!({"name": "a client"})).cookie(&cookie)).await.json();
    let key = made["key"].as_str().unwrap();
    let client = Stateful::begin(&server, key, "2025-11-25", json!({})).await;
    let listen = client.with(Request::get("/mcp").bearer(key)).header("Accept", "text/event-stream");
    let events = server.listen(&listen).await;
    server.owner("DELETE", &format!("/api/keys/{}", made["id"].as_str().unwrap()), &Value::Null).await;
    events.end().await;
    assert_eq!(server.send(client.request("ping", json!({}))).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_nobody_elses() {
    let (server, key) = owned().await;
    let other = server.key(&server.sign_in("owner").await, None).await;
    let client = Stateful::begin(&server, &key, "2025-11-25", json!({})).await;
    let message = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"});
    assert_eq!(server.send(client.with(post(&other, &message))).await.status, 404);
    assert_eq!(server.send(client.with(Request::new("DELETE", "/mcp").bearer(&other))).await.status, 404);
    assert_eq!(result(&server.send(client.with(post(&key, &message))).await), json!({}));
}
