//! Replay: past calls judged by a draft, which changes nothing.

use serde_json::{Value, json};

use crate::support::{
    chat::Chat,
    fake_llm::{call, say},
    http::{Request, TestServer as Server},
};

async fn replay(server: &Server, cookie: &str, body: Value) -> Value {
    let answer = server.send(Request::post("/api/policies/replay", &body).cookie(cookie)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

#[tokio::test]
async fn a_draft_says_what_it_would_have_refused_asked_and_let_through() {
    let server = Server::start().await;
    let mara = server.sign_in("owner").await;
    let invoke = |tool: &str, params: Value| {
        Request::post(&format!("/api/tools/{tool}/invoke"), &json!({"params": params})).cookie(&mara)
    };
    for expression in ["1+1", "2+2"] {
        assert_eq!(server.send(invoke("calculator", json!({"expression": expression}))).await.status, 200);
    }
    server.send(invoke("parse_json", json!({"data": "{}"}))).await;
    let nothing = replay(&server, &mara, json!({})).await;
    assert_eq!((&nothing["calls"], &nothing["changed"]), (&json!(3), &json!([])), "{nothing}");
    let draft = json!({"policies": {"global": {"deny": ["calculator"], "ask": ["parse_json"]}}});
    let told = replay(&server, &mara, draft).await;
    assert_eq!(told["changes"], json!({"allowed": 0, "asked": 1, "refused": 2}), "{told}");
    let first = &told["changed"][0];
    assert_eq!(
        (&first["tool"], &first["was"], &first["would_be"], &first["by"], &first["user"]),
        (&json!("builtin:calculator"), &json!("allowed"), &json!("refused"), &json!("global"), &json!("owner"))
    );
    let rules = json!([{"tool": "calculator", "decision": "deny", "when": {"/expression": {"equals": "2+2"}}}]);
    let told = replay(&server, &mara, json!({"rules": rules})).await;
    assert_eq!(told["changes"], json!({"allowed": 0, "asked": 0, "refused": 1}), "{told}");
    // It was a draft.
    assert_eq!(server.send(invoke("calculator", json!({"expression": "3"}))).await.status, 200);
    // What a layer in force refused, another draft would let through.
    server.owner("PUT", "/api/policies", &json!({"global": {"deny": ["calculator"]}})).await;
    assert_eq!(server.send(invoke("calculator", json!({"expression": "4"}))).await.status, 403);
    let told = replay(&server, &mara, json!({"policies": {}})).await;
    assert_eq!(told["changes"], json!({"allowed": 1, "asked": 0, "refused": 0}), "{told}");
    let later = replay(&server, &mara, json!({"policies": {}, "from": "2999-01-01T00:00:00Z"})).await;
    assert_eq!(later["calls"], 0);
}

#[tokio::test]
async fn calls_of_an_agent_are_judged_by_its_layers_and_rules() {
    let sum = || call("calculator", json!({"expression": "6 * 7"}));
    let chat = Chat::start(vec![sum(), say("42."), sum(), say("42.")]).await;
    let owner = &chat.owner;
    let agent = owner.do_it("POST", "/api/agents", json!({"name": "worker"})).await;
    for agent in ["worker", "assistant"] {
        let conversation = owner.do_it("POST", "/api/conversations", json!({"agent": agent})).await;
        let path = format!("/api/conversations/{}", conversation["id"].as_str().unwrap());
        owner.say(&path, "What is 6 times 7?").await.rest().await;
    }
    let rows = owner.do_it("GET", "/api/audit?event_type=tool_invocation", Value::Null).await;
    let (newest, oldest) = (&rows["entries"][0], &rows["entries"][1]);
    assert_eq!((&newest["agent"], &newest["situation"]["agent"]), (&json!("assistant"), &json!("assistant")), "{rows}");
    assert_eq!((&oldest["agent"], &oldest["situation"]["agent"]), (&json!("worker"), &agent["id"]), "{rows}");
    let found = owner.do_it("GET", "/api/audit?q=worker&event_type=chat_turn", Value::Null).await;
    assert_eq!(found["entries"].as_array().unwrap().len(), 1, "{found}");
    let deny = json!({"deny": ["calculator"]});
    let mut layers = json!({});
    layers[agent["id"].as_str().unwrap()] = deny.clone();
    let rule = json!([{"tool": "calculator", "decision": "deny", "agent": agent["id"], "when": {"/expression": {"equals": "6 * 7"}}}]);
    for draft in [
        json!({"policies": {"agent": layers}}),
        json!({"policies": {"agent": {"assistant": deny}}}),
        json!({"rules": rule}),
    ] {
        let told = owner.do_it("POST", "/api/policies/replay", draft.clone()).await;
        assert_eq!((&told["calls"], &told["changes"]["refused"]), (&json!(2), &json!(1)), "{draft}: {told}");
    }
}
