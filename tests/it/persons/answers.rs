//! Answers of a provider: bounded, and without its own key.

use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, find, text},
    fake_llm::{FakeLlm, Piece, Reply, calls, say},
};

/// A provider with a key, and the conversation's message for it.
async fn keyed(chat: &Chat, llm: &FakeLlm, key: &str) -> Value {
    let base_url = format!("http://{}/v1", llm.address);
    let body = json!({"kind": "openai", "model": "fake-1", "base_url": base_url, "api_key": key});
    let made = chat.owner.do_it("POST", "/api/providers", body).await;
    json!({"content": "What is your key?", "provider": made["id"]})
}

#[tokio::test]
async fn a_key_that_its_provider_repeats_is_shown_nowhere() {
    let key = "secret-canary-of-a-provider";
    let piece = |text: &str| Piece::Text(text.to_owned());
    let call = Piece::Call("calculator", json!({"expression": format!("\"{key}\"")}));
    let split = ["Your key is sec", "ret-canary", "-of-a-provi", "der, secret"];
    let first = split.into_iter().map(piece).chain([call, Piece::Usage(1, 1)]).collect();
    let llm = FakeLlm::start(vec![Reply::Answer(first), say(key)]).await;
    let chat = Chat::start(vec![]).await;
    let message = keyed(&chat, &llm, key).await;
    let conversation = chat.owner.conversation().await;
    let events = chat.owner.post(&format!("{conversation}/messages"), message).await.rest().await;
    assert_eq!(text(&events), "Your key is ***, secret***");
    let seen = format!("{events:?} {}", chat.owner.view(&conversation).await);
    assert!(!seen.contains("canary"), "{seen}");
    let audit = chat.owner.bytes("/api/audit/export").await;
    assert!(!String::from_utf8(audit).unwrap().contains("canary"));
}

#[tokio::test]
async fn a_text_without_end_is_ended_and_what_came_is_kept() {
    let chunk = "x".repeat(64 << 10);
    let pieces = (0..20).map(|_| Piece::Text(chunk.clone())).collect();
    let chat = Chat::start(vec![Reply::Answer(pieces)]).await;
    let (conversation, events) = chat.owner.turn("Tell me everything.").await;
    let told = find(&events, "error").data["message"].as_str().unwrap().to_owned();
    assert!(told.contains("The model wrote more than 1 MB"), "{told}");
    let view = chat.owner.view(&conversation).await;
    let message = &view["messages"][1];
    assert_eq!((message["text"].as_str().unwrap().len(), &view["turn"]["state"]), (1 << 20, &json!("failed")));
    assert!(message["error"].as_str().unwrap().contains("more than 1 MB"), "{}", message["error"]);
}

#[tokio::test]
async fn of_too_many_calls_none_is_made() {
    let many = (0..65).map(|n| ("calculator", json!({"expression": n.to_string()}))).collect();
    let chat = Chat::start(vec![calls(many)]).await;
    let (conversation, events) = chat.owner.turn("Count.").await;
    let told = find(&events, "error").data["message"].as_str().unwrap();
    assert!(told.contains("more than 64 calls"), "{told}");
    assert!(events.iter().all(|event| event.name != "tool_start"));
    assert_eq!(chat.owner.view(&conversation).await["turn"]["state"], "failed");
}
