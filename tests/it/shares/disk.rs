//! The floor of free disk.

use satchel::model::error::Kind;
use serde_json::{Value, json};

use crate::support::{
    http::{Request, TestServer},
    library::{File, form},
};

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
