//! A turn follows the key it was begun with.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{
    chat::{Chat, Person, find, names},
    fake_llm::{Piece, Reply, call, say},
};

/// Somebody, signed in, and a key of theirs with its id.
async fn with_key(chat: &Chat, permissions: &[&str]) -> (Person, Person, String) {
    let mara = chat.person(permissions).await;
    let made = mara.do_it("POST", "/api/keys", json!({"name": "program"})).await;
    let program = Person::bearer(&chat.app.satchel.url, made["key"].as_str().unwrap());
    (mara, program, made["id"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_running_turn_ends_when_its_key_is_revoked() {
    let go_on = Arc::new(Notify::new());
    let add = json!({"action": "add", "list": "shopping", "items": ["tea"]});
    let held = vec![Piece::Hold(Arc::clone(&go_on)), Piece::Call("list", add), Piece::Usage(1, 1)];
    let text = Piece::Text("I put it down.".to_owned());
    let chat = Chat::start(vec![Reply::Answer([vec![text], held].concat()), say("Done.")]).await;
    let (mara, program, key) = with_key(&chat, &[]).await;
    let conversation = program.conversation().await;
    let mut stream = program.say(&conversation, "Put tea on the list.").await;
    stream.until("token").await;
    let watched = mara.follow(&conversation, None).await;
    mara.do_it("DELETE", &format!("/api/keys/{key}"), Value::Null).await;
    go_on.notify_one();
    assert_eq!(names(&stream.rest().await), Vec::<&str>::new(), "the key hears no more");
    let rest = watched.rest().await;
    assert!(!names(&rest).contains(&"tool_start"), "{:?}", names(&rest));
    assert!(find(&rest, "error").data["message"].as_str().unwrap().contains("was revoked"));
    let view = mara.view(&conversation).await;
    assert_eq!((&view["turn"]["state"], &view["messages"][1]["text"]), (&json!("failed"), &json!("I put it down.")));
}

#[tokio::test]
async fn a_parked_turn_runs_nothing_after_its_key_is_revoked() {
    let chat = Chat::start(vec![call("write", json!({"path": "a.txt", "content": "x"})), say("Written.")]).await;
    let (mara, program, key) = with_key(&chat, &["host:fs.write", "host:fs.read"]).await;
    let conversation = program.conversation().await;
    let parked = program.say(&conversation, "Write a.txt.").await.rest().await;
    let ticket = find(&parked, "confirmation").data["ticket"]["id"].as_str().unwrap().to_owned();
    mara.do_it("DELETE", &format!("/api/keys/{key}"), Value::Null).await;
    let path = format!("/api/tickets/{ticket}");
    let (status, told) = mara.ask("POST", &path, json!({"decision": "approve"})).await;
    assert!(status == 409 && told["detail"].as_str().unwrap().contains("was revoked since"), "{told}");
    mara.do_it("POST", &path, json!({"decision": "deny"})).await;
    mara.follow(&conversation, Some(&parked.last().unwrap().id)).await.rest().await;
    assert_eq!(mara.view(&conversation).await["turn"]["state"], "failed");
    assert_eq!(chat.llm.seen().len(), 1, "no model is asked in its name any more");
    let (status, read) = mara.ask("POST", "/api/tools/read/invoke", json!({"params": {"path": "a.txt"}})).await;
    assert!(status == 200 && read["success"] == false, "nothing was written: {read}");
}
