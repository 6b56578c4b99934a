//! The models an agent asks, in its order, and the tokens and steps it may take.

use serde_json::{Value, json};

use super::{draft, made, refused, with_agent};
use crate::support::{
    chat::{Chat, find, text},
    fake_llm::{FakeLlm, Piece, Reply, call, refuse, say},
};

/// Connects another model.
async fn connected(chat: &Chat, name: &str, llm: &FakeLlm) -> Value {
    let url = format!("http://{}/v1", llm.address);
    let body = json!({"kind": "openai", "name": name, "model": "m-2", "base_url": url});
    chat.owner.do_it("POST", "/api/providers", body).await
}

#[tokio::test]
async fn an_agent_asks_its_models_in_its_order_with_its_effort() {
    let chat = Chat::start(vec![say("From the first.")]).await;
    let second = FakeLlm::start(vec![say("From the second."), refuse(400)]).await;
    connected(&chat, "Acme", &second).await;
    let models = json!({"models": ["Acme:m-2", "openai:fake-1"], "reasoning_effort": "low"});
    made(&chat.owner, "worker", models).await;
    let conversation = with_agent(&chat.owner, "worker").await;
    let events = chat.owner.say(&conversation, "Hello.").await.rest().await;
    assert_eq!(text(&events), "From the second.");
    assert_eq!(second.body(0)["reasoning_effort"], "low");
    // The next in its order stands in.
    let events = chat.owner.say(&conversation, "Again.").await.rest().await;
    assert_eq!(text(&events), "From the first.");
}

#[tokio::test]
async fn an_agent_whose_model_is_gone_says_which_and_where_to_mend_it() {
    let chat = Chat::start(Vec::new()).await;
    let second = FakeLlm::start(Vec::new()).await;
    let provider = connected(&chat, "Acme", &second).await;
    made(&chat.owner, "worker", json!({"models": ["Acme:m-2"]})).await;
    let conversation = with_agent(&chat.owner, "worker").await;
    chat.owner.do_it("DELETE", &format!("/api/providers/{}", provider["id"].as_str().unwrap()), Value::Null).await;
    let path = format!("{conversation}/messages");
    let (status, told) = refused(&chat.owner, "POST", &path, json!({"content": "Hello."})).await;
    assert_eq!(status, 409, "{told}");
    assert!(told.contains("worker asks Acme:m-2") && told.contains("under Agents"), "{told}");
    assert_eq!(chat.owner.view(&conversation).await["messages"], json!([]));
}

#[tokio::test]
async fn an_agent_takes_no_more_steps_and_tokens_than_it_may() {
    let sum = |n: u64| {
        let pieces = vec![Piece::Call("calculator", json!({"expression": "6 * 7"})), Piece::Usage(n, 5)];
        Reply::Answer(pieces)
    };
    for (budget, reply, said) in [
        (json!({"steps": 1}), call("calculator", json!({"expression": "6 * 7"})), "ended after 1 step."),
        (json!({"tokens_per_run": 1_000}), sum(1_200), "has used 1,205 tokens for this, and 1,000 are the most"),
        (json!({"tokens_per_day": 1_000}), sum(1_200), "The 1,000 tokens a day that the agent worker may take"),
    ] {
        let chat = Chat::start(vec![reply, say("Never said.")]).await;
        made(&chat.owner, "worker", json!({"budget": budget})).await;
        let conversation = with_agent(&chat.owner, "worker").await;
        let events = chat.owner.say(&conversation, "Do it.").await.rest().await;
        let told = find(&events, "error").data["message"].as_str().unwrap().to_owned();
        assert!(told.contains(said), "{budget}: {told}");
        assert_eq!(find(&events, "done").data["state"], "failed");
    }
}

#[tokio::test]
async fn what_one_person_spends_with_an_agent_is_not_anothers() {
    let much = Reply::Answer(vec![Piece::Text("Long.".to_owned()), Piece::Usage(5_000, 5)]);
    let chat = Chat::start(vec![much, say("Hello.")]).await;
    let shared = json!({"budget": {"tokens_per_day": 1_000}, "shared_with": ["*"]});
    made(&chat.owner, "worker", shared).await;
    let conversation = with_agent(&chat.owner, "worker").await;
    chat.owner.say(&conversation, "Do it.").await.rest().await;
    let events = chat.owner.say(&conversation, "Again.").await.rest().await;
    assert!(find(&events, "error").data["message"].as_str().unwrap().contains("are used up"));
    let bob = chat.person(&[]).await;
    let conversation = with_agent(&bob, "worker").await;
    assert_eq!(text(&bob.say(&conversation, "Hello?").await.rest().await), "Hello.");
    let draft = draft("other", json!({}));
    assert_eq!(refused(&bob, "POST", "/api/agents", draft).await.0, 403);
}
