//! Attachments: stored once, shown to the model as far as there is room, and bounded.

use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, text},
    fake_llm::say,
};

/// A picture of one pixel.
const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A dot with so many bytes behind it.
fn picture(bytes: usize) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let mut picture = STANDARD.decode(DOT).unwrap();
    picture.resize(picture.len() + bytes, 7);
    STANDARD.encode(picture)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_attached_is_stored_once_and_goes_with_the_last_message_that_has_it() {
    let chat = Chat::start(vec![say("A dot."), say("Still a dot.")]).await;
    let conversation = chat.owner.conversation().await;
    let data = picture(300_000);
    let body = json!({"content": "Look.", "attachments": [{"mime": "image/png", "name": "dot.png", "data": data}]});
    chat.owner.post(&format!("{conversation}/messages"), body).await.rest().await;
    let view = chat.owner.view(&conversation).await;
    let branch = json!({"message_id": view["messages"][1]["id"]});
    let (status, copy) = chat.owner.ask("POST", &format!("{conversation}/branch"), branch).await;
    assert_eq!(status, 201, "{copy}");
    let copy = format!("/api/conversations/{}", copy["id"].as_str().unwrap());
    let db = &chat.app.satchel.app.db;
    let stored = async || db.read(|tx| tx.one::<i64>("SELECT count(*) FROM attachments", ())).await.unwrap();
    assert_eq!(stored().await, 1);
    assert_eq!(chat.owner.ask("DELETE", &conversation, Value::Null).await.0, 204);
    assert_eq!(
        (stored().await, &chat.owner.view(&copy).await["messages"][0]["attachments"][0]["data"]),
        (1, &json!(data))
    );
    assert_eq!(text(&chat.owner.say(&copy, "And now?").await.rest().await), "Still a dot.");
    assert!(chat.llm.body(1)["messages"][1].to_string().contains(&data), "the model does not see it any more");
    assert_eq!(chat.owner.ask("DELETE", &copy, Value::Null).await.0, 204);
    assert_eq!(stored().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_large_attachments_the_newest_reach_the_model_and_the_others_are_named() {
    let chat = Chat::start((0..4).map(|_| say("Seen.")).collect()).await;
    let conversation = chat.owner.conversation().await;
    for name in ["a.png", "b.png", "c.png", "d.png"] {
        let one = json!({"mime": "image/png", "name": name, "data": picture(5_000_000)});
        let body = json!({"content": format!("Look at {name}."), "attachments": [one]});
        chat.owner.post(&format!("{conversation}/messages"), body).await.rest().await;
    }
    let asked = chat.llm.body(3);
    let told = asked["messages"].as_array().unwrap();
    let (first, last) = (&told[1]["content"], &told[7]["content"]);
    let note = "Look at a.png.\n\n[ATTACHMENT:a.png]\n(left out to make room)\n[/ATTACHMENT]";
    assert_eq!(first.as_str().or_else(|| first[0]["text"].as_str()), Some(note));
    assert!(last[1]["image_url"]["url"].as_str().is_some_and(|url| url.len() > 5_000_000));
    let view = chat.owner.view(&conversation).await;
    assert_eq!(view["messages"][0]["text"], "Look at a.png.");
    assert_eq!(view["messages"][0]["attachments"][0]["name"], "a.png");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_leaves_the_disk_its_floor_and_attachments_have_bounds() {
    let chat = Chat::start(vec![say("Yes.")]).await;
    let conversation = chat.owner.conversation().await;
    let messages = format!("{conversation}/messages");
    let one = |name: &str| json!({"mime": "text/plain", "name": name, "data": "eA=="});
    for (attachments, told) in [
        (json!(vec![one("a.txt"); 51]), "at most 50 attachments"),
        (json!([one(&"n".repeat(256))]), "at most 255 characters"),
    ] {
        let body = json!({"content": "x", "attachments": attachments});
        let (status, answer) = chat.owner.ask("POST", &messages, body).await;
        assert!(status == 400 && answer["detail"].as_str().unwrap().contains(told), "{answer}");
    }
    chat.owner.say(&conversation, "Is anybody there?").await.rest().await;
    let view = chat.owner.view(&conversation).await;

    chat.set(json!({"files": {"keep_free_mb": u32::MAX}})).await;
    let branch = json!({"message_id": view["messages"][1]["id"]});
    for (path, body) in [
        (messages.clone(), json!({"content": "And now?"})),
        (format!("{conversation}/branch"), branch),
        (format!("{conversation}/regenerate"), json!({})),
    ] {
        let (status, answer) = chat.owner.ask("POST", &path, body).await;
        assert_eq!(status, 507, "{path}: {answer}");
    }
    assert_eq!(chat.owner.view(&conversation).await["messages"], view["messages"]);
}
