//! What a person was asked and decided stays to be found.

use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, find},
    fake_llm::{call, say},
};

fn write(path: &str) -> Value {
    json!({"path": path, "content": "x"})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_decided_is_kept_with_its_end_its_reason_and_the_rule_made_from_it() {
    let script = ["a.txt", "b.txt", "c.txt"].map(|path| call("write", write(path)));
    let script = script.into_iter().chain(["One.", "Two."].map(say)).collect();
    let chat = Chat::start(script).await;
    let mara = chat.person(&["host:fs.write"]).await;
    let mut asked = Vec::new();
    for text in ["One.", "Two.", "Three."] {
        let (conversation, events) = mara.turn(text).await;
        asked.push((conversation, find(&events, "confirmation").clone()));
    }
    assert_eq!(mara.do_it("GET", "/api/tickets/decided", Value::Null).await, json!([]), "none is decided yet");
    mara.decide(&asked[0].1, json!({"decision": "approve"})).await;
    mara.decide(&asked[1].1, json!({"decision": "deny", "reason": "not there"})).await;
    let first = asked[0].1.data["ticket"]["id"].as_str().unwrap();
    mara.do_it("POST", "/api/rules", json!({"ticket": first})).await;
    let found = mara.do_it("GET", "/api/tickets/decided", Value::Null).await;
    let told: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["outcome"].as_str().unwrap(), one["note"].as_str().is_some(), one["rule"]["decision"].as_str()))
        .collect();
    assert_eq!(told, [("refused", true, None), ("allowed", false, Some("allow"))]);
    assert_eq!((&found[0]["note"], &found[1]["tool"]), (&json!("not there"), &json!("builtin:write")));
    assert!(found[1]["decided_at"].is_string() && found[1]["topic"].is_string(), "{found}");
    assert!(found[1].get("arguments").is_none(), "{found}");
    for (query, many) in [
        ("?outcome=refused", 1),
        ("?outcome=allowed", 1),
        ("?outcome=expired", 0),
        ("?tool=WRIT", 2),
        ("?tool=exec", 0),
        ("?limit=1", 1),
    ] {
        let found = mara.do_it("GET", &format!("/api/tickets/decided{query}"), Value::Null).await;
        assert_eq!(found.as_array().unwrap().len(), many, "{query}: {found}");
    }
    let last = found[0]["id"].as_str().unwrap();
    let earlier = mara.do_it("GET", &format!("/api/tickets/decided?before={last}"), Value::Null).await;
    assert_eq!(earlier.as_array().unwrap().len(), 1);
    assert_eq!(mara.ask("GET", "/api/tickets/decided?outcome=maybe", Value::Null).await.0, 400);
    assert_eq!(chat.owner.do_it("GET", "/api/tickets/decided", Value::Null).await, json!([]), "another person's");
    mara.do_it("DELETE", &asked[0].0, Value::Null).await;
    let found = mara.do_it("GET", "/api/tickets/decided", Value::Null).await;
    assert!(found[1].get("topic").is_none(), "a conversation that is gone is no link: {found}");
}
