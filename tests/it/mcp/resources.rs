//! Resources, prompts and completion: what the caller may read, and nobody else's.

use serde_json::{Value, json};

use super::owned;
use crate::support::{
    http::{Request, TestServer},
    mcp::{Stateful, Stateless, refused},
};

/// A document that is ready.
async fn document(server: &TestServer, title: &str, text: &str) -> String {
    let body = json!({"title": title, "text": text});
    let id = server.owner("POST", "/api/knowledge/documents", &body).await["id"].as_str().unwrap().to_owned();
    loop {
        let now = server.owner("GET", &format!("/api/knowledge/documents/{id}"), &Value::Null).await;
        match now["status"].as_str().unwrap() {
            "ready" => return id,
            "failed" => panic!("{now}"),
            _ => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_resources_of_those_who_may_read_them() {
    let (server, key) = owned().await;
    let id = document(&server, "Tides", "The tide turns twice a day.").await;
    let client = Stateless::new(&key);
    let list = client.ask(&server, "resources/list", json!({})).await;
    let uri = format!("satchel://documents/{id}");
    assert_eq!((&list["resources"][0]["uri"], &list["resources"][0]["title"]), (&json!(uri), &json!("Tides")));
    let read = client.ask(&server, "resources/read", json!({"uri": uri})).await;
    assert!(read["contents"][0]["text"].as_str().unwrap().contains("twice a day"), "{read}");
    assert_eq!(read["cacheScope"], "private");
    let typed = json!({"ref": {"type": "ref/resource", "uri": "satchel://documents/{id}"}, "argument": {"name": "id", "value": "tid"}});
    let completed = client.ask(&server, "completion/complete", typed).await;
    assert_eq!(completed["completion"]["values"], json!([id]));
    let blind = Stateless::new(&server.key(&server.sign_in("owner").await, Some(&["index:read"])).await);
    assert_eq!(blind.ask(&server, "resources/list", json!({})).await["resources"], json!([]));
    for uri in [uri.as_str(), "satchel://documents/x", "satchel://files/a.txt", "file:///etc/passwd", "satchel://", ""]
    {
        let answer = server.send(blind.request("resources/read", json!({"uri": uri}))).await;
        assert_eq!(refused(&answer).1, -32602, "{uri}");
        let answer = answer.json();
        assert_eq!(answer["error"]["data"]["uri"], uri);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_their_owners_and_stay_below_their_folder() {
    let (server, key) = owned().await;
    let client = Stateless::new(&key);
    let written = client.call(&server, "write", json!({"path": "a b.txt", "content": "Hello."})).await;
    assert_eq!(written["isError"], false, "{written}");
    let read = client.ask(&server, "resources/read", json!({"uri": "satchel://files/a%20b.txt"})).await;
    assert_eq!(read["contents"][0]["text"], "Hello.");
    server.add("mara", "operator").await;
    let hers = Stateless::new(&server.key(&server.sign_in("mara").await, None).await);
    for uri in ["satchel://files/a%20b.txt", "satchel://files/../../secret.key", "satchel://files//etc/passwd"] {
        assert_eq!(
            refused(&server.send_to_its_end(hers.request("resources/read", json!({"uri": uri}))).await).1,
            -32602,
            "{uri}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_changes_is_told_to_those_who_watch_it() {
    let (server, key) = owned().await;
    let id = document(&server, "Tides", "The tide turns twice a day.").await;
    let uri = format!("satchel://documents/{id}");
    let client = Stateful::begin(&server, &key, "2025-11-25", json!({})).await;
    client.ask(&server, "resources/subscribe", json!({"uri": uri})).await;
    let nobodys = json!({"uri": "satchel://documents/01900000-0000-7000-8000-000000000000"});
    assert_eq!(refused(&server.send_to_its_end(client.request("resources/subscribe", nobodys)).await).1, -32002);
    let listen = client.with(Request::get("/mcp").bearer(&key)).header("Accept", "text/event-stream");
    let mut events = server.listen(&listen).await;
    let without = Stateless::new(&key)
        .request("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": [uri]}}));
    let mut others = server.listen(&without).await;
    others.until("subscriptions/acknowledged").await;
    let new = json!({"text": "It turns four times."});
    server.owner("POST", &format!("/api/knowledge/documents/{id}/update"), &new).await;
    events.until("resources/updated").await;
    others.until("resources/updated").await;
    others.until("io.modelcontextprotocol/subscriptionId").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_are_prompts_of_those_who_may_use_them() {
    let (server, key) = owned().await;
    let agent = json!({"name": "reviewer", "description": "Reviews.", "instructions": "Be strict."});
    server.owner("POST", "/api/agents", &agent).await;
    let client = Stateless::new(&key);
    let list = client.ask(&server, "prompts/list", json!({})).await;
    assert!(list["prompts"].as_array().unwrap().iter().any(|prompt| prompt["name"] == "reviewer"), "{list}");
    let got = json!({"name": "reviewer", "arguments": {"task": "Look at this."}});
    let got = client.ask(&server, "prompts/get", got).await;
    let texts: Vec<&str> =
        got["messages"].as_array().unwrap().iter().map(|one| one["content"]["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Be strict.", "Look at this."]);
    server.add("vera", "viewer").await;
    let hers = Stateless::new(&server.key(&server.sign_in("vera").await, None).await);
    assert_eq!(hers.ask(&server, "prompts/list", json!({})).await["prompts"], json!([]));
    assert_eq!(
        refused(&server.send_to_its_end(hers.request("prompts/get", json!({"name": "reviewer"}))).await).1,
        -32602
    );
}
