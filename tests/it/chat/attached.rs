//! Attachments: stored once, shown to the model as far as there is room, and bounded.

use std::sync::Arc;

use satchel::{
    agent::chat::{Agent, Bounds, NewMessage},
    model::{conversation::Attachment, error::Kind},
};
use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, picture, text},
    fake_llm::say,
};

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

#[tokio::test(flavor = "multi_thread")]
async fn the_conversations_of_one_person_have_a_bound_in_which_branches_share_what_is_attached() {
    assert_eq!(Bounds::default().stored, 1 << 30);
    let chat = Chat::start((0..3).map(|_| say(&"word ".repeat(16_000))).collect()).await;
    let (app, owner) = (Arc::clone(&chat.app.satchel.app), chat.app.owner().await.caller);
    let learner = chat.app.satchel.services.finder.learner().clone();
    let bounds = Bounds { stored: 800_000, ..Bounds::default() };
    let agent = Agent::new(app, chat.app.satchel.invoker.clone(), learner, bounds).unwrap();
    let id = chat.app.conversation(&owner).await;
    let say = async |name: &str, bytes: usize| {
        let one =
            Attachment { mime: "image/png".to_owned(), name: name.to_owned(), data: picture(bytes).into(), path: None };
        let message = NewMessage { content: "Look.".to_owned(), attachments: vec![one], ..NewMessage::default() };
        let mut events = agent.send(&owner, id, message).await?;
        while events.next().await.is_some() {}
        Ok::<_, satchel::model::error::Error>(())
    };
    say("first.png", 300_000).await.unwrap();
    let answer = agent.view(owner.user, id).await.unwrap().messages[1].id;
    // 400,000 of the picture, and 80,000 of each answer.
    for _ in 0..3 {
        agent.branch(owner.user, id, answer).await.unwrap();
    }
    let refused = agent.branch(owner.user, id, answer).await.unwrap_err();
    assert_eq!(refused.kind(), Kind::DiskFull);
    let refused = say("second.png", 100_000).await.unwrap_err();
    assert!(refused.message().contains("may have 781.3 KB"), "{}", refused.message());
    assert_eq!(agent.view(owner.user, id).await.unwrap().messages.len(), 2);
    // What is small is taken without adding up, and other people have a bound of their own.
    say("dot.png", 0).await.unwrap();
    let refused = agent.regenerate(&owner, id, (None, None)).await.err().unwrap();
    assert_eq!(refused.kind(), Kind::DiskFull, "the answer that stands would be kept beside the new one");
    let other = chat.app.caller(&[]).await;
    let theirs = chat.app.conversation(&other).await;
    let message = NewMessage { content: "x".repeat(100_000), ..NewMessage::default() };
    agent.send(&other, theirs, message).await.unwrap();
}
