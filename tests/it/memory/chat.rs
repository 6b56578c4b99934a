//! Memories of conversations: what is kept of one, and what a model makes of them.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{
    chat::Chat,
    fake_llm::{call, say},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_was_left_leaves_an_episode_and_takes_it_along() {
    let chat = Chat::start(vec![call("calculator", json!({"expression": "2 + 2"})), say("Four."), say("Hello.")]).await;
    let (first, _) = chat.owner.turn("What is 2 + 2?").await;
    chat.owner.turn("Good morning").await;
    let found = chat.owner.do_it("GET", "/api/memories?layer=episode", Value::Null).await;
    let wanted = "Asked: \"What is 2 + 2?\". Tools: calculator. Outcome: answered.";
    assert_eq!(found.as_array().unwrap().iter().map(|m| &m["content"]).collect::<Vec<_>>(), [wanted]);
    let asked = chat.owner.view(&first).await["messages"][0]["id"].clone();
    assert_eq!(found[0]["source_message"], asked);
    chat.app.satchel.app.clock.advance(Duration::from_secs(20 * 60));
    assert_eq!(chat.app.satchel.agent.tell_resting().await.unwrap(), 1);
    assert_eq!(chat.app.satchel.agent.tell_resting().await.unwrap(), 0);
    chat.owner.do_it("DELETE", &first, Value::Null).await;
    let left = chat.owner.do_it("GET", "/api/memories?layer=episode", Value::Null).await;
    assert_eq!(
        left.as_array().unwrap().iter().map(|m| &m["content"]).collect::<Vec<_>>(),
        ["Asked: \"Good morning\". Outcome: answered."]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_episode_is_kept_where_that_is_switched_off() {
    let chat = Chat::start(vec![say("Hello."), say("Hello again.")]).await;
    chat.set(json!({"memory": {"episodes": false}})).await;
    chat.owner.turn("Good morning").await;
    chat.owner.turn("Good evening").await;
    assert_eq!(chat.owner.do_it("GET", "/api/memories", Value::Null).await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_saved_in_a_turn_is_linked_to_the_message_that_asked_for_it() {
    let chat = Chat::start(vec![call("save_memory", json!({"content": "Lives in Bern"})), say("Noted.")]).await;
    let (conversation, _) = chat.owner.turn("Remember that I live in Bern").await;
    let asked = chat.owner.view(&conversation).await["messages"][0]["id"].clone();
    let found = chat.owner.do_it("GET", "/api/memories?q=Bern", Value::Null).await;
    assert_eq!((&found[0]["source_message"], &found[0]["content"]), (&asked, &json!("Lives in Bern")));
}

#[tokio::test(flavor = "multi_thread")]
async fn reflect_asks_the_callers_model_and_goes_on_without_one() {
    let chat = Chat::start(vec![call("reflect", json!({})), say("A quiet week."), say("You were moving house.")]).await;
    let invoke =
        async || chat.owner.do_it("POST", "/api/tools/reflect/invoke", json!({"params": {}})).await["data"].clone();
    assert_eq!(invoke().await["synthesis"], json!("Nothing is remembered of the last 7 days."));
    chat.owner.do_it("POST", "/api/memories", json!({"content": "Moves house in May"})).await;
    chat.owner.turn("How was my week?").await;
    let asked = chat.llm.body(1)["messages"].to_string();
    assert!(asked.contains("You look back") && asked.contains("Moves house in May"), "{asked}");
    let spent =
        chat.owner.do_it("POST", "/api/tools/reflect/invoke", json!({"params": {"days": 3}})).await["data"].clone();
    assert_eq!(spent["by"], json!("digest"), "the script is over: {spent}");
    assert!(spent["note"].as_str().unwrap().starts_with("No model took part: "), "{spent}");
    assert!(spent["synthesis"].as_str().unwrap().contains("1 thing remembered"), "{spent}");
}
