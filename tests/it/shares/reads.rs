//! Readers of the database: who reads slowly keeps nobody else's reads waiting, by whatever door those come.

use std::sync::mpsc;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{
    chat::{Chat, text},
    fake_llm::say,
};

/// More reads than one person has places for.
const MANY: usize = 12;

#[tokio::test(flavor = "multi_thread")]
async fn a_request_a_call_and_a_turn_read_in_their_persons_places() {
    let chat = Chat::start(vec![say("Good morning.")]).await;
    let ann = chat.person(&[]).await;
    // All places that those have of whom nobody knows.
    let (db, mut slow, mut holding) = (&chat.app.satchel.app.db, JoinSet::new(), Vec::new());
    let (began, running) = mpsc::channel();
    for _ in 0..MANY {
        let ((hold, held), began, db) = (mpsc::channel::<()>(), began.clone(), db.clone());
        holding.push(hold);
        slow.spawn(async move {
            db.read(move |_| {
                let _ = began.send(());
                let _ = held.recv();
                Ok(())
            })
            .await
        });
    }
    running.recv().unwrap();
    let (conversation, events) = ann.turn("Hello").await;
    assert_eq!(text(&events), "Good morning.");
    let list = ann.do_it("GET", "/api/conversations", Value::Null).await;
    assert!(conversation.ends_with(list[0]["id"].as_str().unwrap()), "{list}");
    let call = json!({"params": {"query": "tea"}});
    let called = ann.do_it("POST", "/api/tools/recall_memories/invoke", call).await;
    assert_eq!(called["success"], true, "{called}");
    // Those beyond the places may have been refused by now.
    drop(holding);
    assert!(slow.join_all().await.iter().any(Result::is_ok));
}
