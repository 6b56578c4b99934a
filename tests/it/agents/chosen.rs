//! The agent that answers: the conversation's, the one a message calls by name, or a draft that is tried.

use serde_json::{Value, json};

use super::{draft, made, refused, shown, system, with_agent};
use crate::support::{
    chat::{Chat, text},
    fake_llm::say,
};

#[tokio::test]
async fn a_conversation_has_an_agent_whose_instructions_the_model_is_told() {
    let chat = Chat::start(vec![say("One."), say("Two."), say("Three.")]).await;
    let agent = made(&chat.owner, "poet", json!({"description": "Rhymes.", "instructions": "Answer in verse."})).await;
    let conversation = with_agent(&chat.owner, agent["id"].as_str().unwrap()).await;
    chat.owner.say(&conversation, "Hello.").await.rest().await;
    let told = system(&chat, 0);
    assert!(told.contains("You are the agent \"poet\" here. Rhymes.") && told.contains("Answer in verse."), "{told}");
    let view = chat.owner.view(&conversation).await;
    assert_eq!((&view["agent"], &view["messages"][1]["agent"]), (&agent["id"], &json!("poet")));
    // Another one from the next message on.
    chat.owner.do_it("PATCH", &conversation, json!({"agent": "assistant"})).await;
    chat.owner.say(&conversation, "And now?").await.rest().await;
    assert!(!system(&chat, 1).contains("Answer in verse."));
    assert_eq!(chat.owner.view(&conversation).await["messages"][3]["agent"], Value::Null);
    // By name, for one message.
    chat.owner.say(&conversation, "@Poet, once more").await.rest().await;
    assert!(system(&chat, 2).contains("Answer in verse."));
    assert_eq!(chat.owner.view(&conversation).await["agent"], "assistant");
    let (status, _) = refused(&chat.owner, "POST", "/api/conversations", json!({"agent": "nobody"})).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn a_name_calls_only_agents_that_the_person_sees() {
    let chat = Chat::start(vec![say("Hello.")]).await;
    let ada = chat.person(&["agents:run"]).await;
    made(&ada, "poet", json!({"instructions": "Answer in verse."})).await;
    let bob = chat.person(&[]).await;
    bob.turn("@poet hello").await;
    assert!(!system(&chat, 0).contains("Answer in verse."));
}

#[tokio::test]
async fn a_turn_keeps_the_version_it_began_with() {
    use crate::support::fake_llm::{Piece, Reply};
    use std::sync::Arc;
    use tokio::sync::Notify;

    let go_on = Arc::new(Notify::new());
    let held = Reply::Answer(vec![
        Piece::Text("Wait. ".to_owned()),
        Piece::Hold(Arc::clone(&go_on)),
        Piece::Call("calculator", json!({"expression": "1 + 1"})),
    ]);
    let chat = Chat::start(vec![held, say("2"), say("Again.")]).await;
    let agent = made(&chat.owner, "poet", json!({"instructions": "First."})).await;
    let conversation = with_agent(&chat.owner, "poet").await;
    let mut stream = chat.owner.say(&conversation, "Hello.").await;
    stream.until("token").await;
    let path = format!("/api/agents/{}", agent["id"].as_str().unwrap());
    chat.owner.do_it("PUT", &path, draft("poet", json!({"instructions": "Second.", "tools": false}))).await;
    go_on.notify_one();
    let events = stream.rest().await;
    assert_eq!(text(&events), "2", "the calculator still runs");
    assert!(system(&chat, 1).contains("First."));
    chat.owner.say(&conversation, "And now?").await.rest().await;
    assert!(system(&chat, 2).contains("Second.") && shown(&chat, 2).is_empty());
}

#[tokio::test]
async fn an_agent_that_is_gone_is_said_before_anything_is_written() {
    let chat = Chat::start(Vec::new()).await;
    let agent = made(&chat.owner, "poet", json!({})).await;
    let conversation = with_agent(&chat.owner, "poet").await;
    chat.owner.do_it("DELETE", &format!("/api/agents/{}", agent["id"].as_str().unwrap()), Value::Null).await;
    let path = format!("{conversation}/messages");
    let (status, told) = refused(&chat.owner, "POST", &path, json!({"content": "Hello."})).await;
    assert_eq!((status, told.contains("Choose another one")), (409, true), "{told}");
    assert_eq!(chat.owner.view(&conversation).await["messages"], json!([]));
}

#[tokio::test]
async fn a_draft_is_tried_in_a_conversation_that_no_list_has() {
    let chat = Chat::start(vec![say("Tried.")]).await;
    let made = chat.owner.do_it("POST", "/api/conversations", json!({"trial": true})).await;
    let conversation = format!("/api/conversations/{}", made["id"].as_str().unwrap());
    let body =
        json!({"content": "Hello.", "draft": draft("poet", json!({"instructions": "In verse.", "tools": false}))});
    let events = chat.owner.post(&format!("{conversation}/messages"), body).await.rest().await;
    assert_eq!(text(&events), "Tried.");
    assert!(system(&chat, 0).contains("In verse.") && shown(&chat, 0).is_empty());
    assert_eq!(chat.owner.do_it("GET", "/api/conversations", Value::Null).await, json!([]));
    let wrong = json!({"content": "Hello.", "draft": draft("poet", json!({"allow": ["raed"]}))});
    let (status, told) = refused(&chat.owner, "POST", &format!("{conversation}/messages"), wrong).await;
    assert_eq!((status, told.contains("'raed'")), (400, true), "{told}");
}
