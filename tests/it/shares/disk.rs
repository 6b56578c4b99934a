//! The floor of free disk.

use satchel::model::error::Kind;
use serde_json::{Value, json};

use crate::support::{
    http::{Request, TestServer},
    library::{File, form},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_documents_take_no_more_than_their_share_and_those_of_others_count_for_themselves() {
    let server = TestServer::start().await;
    server.app.set(json!({"knowledge": {"person_mb": 1}})).await;
    let owner = server.key(&server.sign_in("owner").await, None).await;
    server.add("otto", "administrator").await;
    let otto = server.key(&server.sign_in("otto").await, None).await;
    let upload = async |key: &str, letter: &str| {
        let (kind, body) = form(&[File::new("a.txt", letter.repeat(700_000))], &[]);
        server.send(Request::new("POST", "/api/knowledge/documents").bearer(key).raw(&kind, body)).await
    };
    let first = upload(&owner, "a").await;
    assert_eq!(first.status, 202, "{}", first.text());
    let refused = upload(&owner, "b").await;
    assert_eq!(refused.status, 507, "{}", refused.text());
    assert!(refused.problem().contains("knowledge.person_mb"), "{}", refused.text());
    let text = json!({"title": "Hello", "text": "c".repeat(700_000)});
    let text = Request::post("/api/knowledge/documents", &text).bearer(&owner);
    assert_eq!(server.send(text).await.status, 507);
    assert_eq!(upload(&otto, "d").await.status, 202);
    let path = format!("/api/knowledge/documents/{}?forever=true", first.json()["id"].as_str().unwrap());
    assert_eq!(server.send(Request::new("DELETE", &path).bearer(&owner)).await.status, 204);
    assert_eq!(upload(&owner, "b").await.status, 202);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_go_below_the_floor_is_refused_and_the_database_goes_on_writing() {
    let server = TestServer::start().await;
    let key = server.key(&server.sign_in("owner").await, None).await;
    let upload = async |path: &str| {
        let (kind, body) = form(&[File::new("a.txt", "hello")], &[]);
        server.send(Request::new("POST", path).bearer(&key).raw(&kind, body)).await
    };
    let keep = async |mb: Value| server.app.set(json!({"files": {"keep_free_mb": mb}})).await;
    keep(json!(u32::MAX)).await;
    for path in ["/api/files", "/api/knowledge/documents"] {
        let refused = upload(path).await;
        assert_eq!(refused.status, 507, "{path}: {}", refused.text());
        assert!(refused.problem().contains("files.keep_free_mb"), "{}", refused.text());
    }
    let text = Request::post("/api/knowledge/documents", &json!({"title": "Hello", "text": "hello"})).bearer(&key);
    assert_eq!(server.send(text).await.status, 507);
    let owner = server.app.owner().await.caller;
    let written = server.app.data(&owner, "write", json!({"path": "a.txt", "content": "x"})).await;
    assert_eq!(written.unwrap_err().kind(), Kind::DiskFull);
    keep(Value::Null).await;
    assert_eq!(upload("/api/files").await.status, 200);
    server.app.data(&owner, "write", json!({"path": "a.txt", "content": "x"})).await.unwrap();
}
