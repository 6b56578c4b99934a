//! Directories that people share: what others hear of the origin of what lies there.

use satchel::model::origin::Origin;
use serde_json::{Value, json};

use super::origins::Washed;

#[tokio::test(flavor = "multi_thread")]
async fn an_origin_tells_others_neither_a_search_nor_the_name_of_a_file() {
    let washed = Washed::clean().await;
    let share = tempfile::tempdir().unwrap();
    let path = share.path().canonicalize().unwrap();
    washed.chat.set(json!({"files": {"roots": ["workspace", path]}})).await;
    let other = washed.chat.person(&["*"]).await;
    let start = json!({"params": {"action": "start", "command": "sleep 600"}});
    other.do_it("POST", "/api/tools/process/invoke", start).await;
    let topic = washed.conversation().await;
    let search = Origin::new("web_search: is ann ill: cancer", washed.chat.app.satchel.app.clock.now());
    washed.chat.app.satchel.agent.conversations().taint(topic, search).await.unwrap();
    let shares = async |name: &str| {
        let command = format!("echo shared > {}", path.join(name).display());
        washed.approved(topic, "exec", json!({"command": command})).await;
    };
    shares("x.txt").await;
    washed.approved(topic, "write", json!({"path": "divorce.txt", "content": "x"})).await;
    shares("y.txt").await;
    washed.approved(topic, "process", json!({"action": "start", "command": "true"})).await;
    let told = other.do_it("GET", "/api/files/origins", Value::Null).await;
    let sources = |kind: &str| -> Vec<Value> {
        told[kind].as_array().unwrap().iter().map(|one| one["origin"]["source"].clone()).collect()
    };
    assert_eq!(sources("files"), ["web_search", "files in a workspace"], "{told}");
    assert!(sources("trees").len() >= 2, "the share, and what their own process writes: {told}");
    for private in ["ann", "cancer", "divorce"] {
        assert!(!told.to_string().contains(private), "{told}");
    }
    let conversation = other.conversation().await;
    let read = json!({"params": {"path": path.join("x.txt")}, "topic": conversation.rsplit('/').next()});
    other.do_it("POST", "/api/tools/read/invoke", read).await;
    assert_eq!(other.view(&conversation).await["tainted_by"], "web_search");
    let console = washed.console().await.do_it("GET", "/api/files/origins", Value::Null).await;
    assert!(console.to_string().contains("is ann ill: cancer"), "their own workspace tells them all: {console}");
}
