//! Sessions that are stopped, from either end, and what they may spend together.

use serde_json::{Value, json};

use super::stage::{agent, begin, rests, run_in, runs, spawn, spawn_by, told};
use crate::support::{
    chat::{Chat, Person, find},
    fake_llm::{Piece, Reply, call, say},
};

#[tokio::test(flavor = "multi_thread")]
async fn stopping_the_parent_stops_its_sessions() {
    let chat = Chat::start(vec![begin("Wait."), spawn("Wait, too."), say("Never.")]).await;
    chat.llm.when("Wait.", vec![Reply::Silence]);
    chat.llm.when("Wait, too.", vec![Reply::Silence]);
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "Begin both.").await;
    stream.until("session").await;
    stream.until("session").await;
    chat.llm.until_asked(4).await;
    chat.owner.do_it("POST", &format!("{conversation}/stop"), Value::Null).await;
    let states: Vec<Value> = runs(&chat.owner).await.iter().map(|run| run["state"].clone()).collect();
    assert_eq!(states, ["cancelled", "cancelled", "cancelled"]);
    // Nobody is woken to hear of that.
    let view = chat.owner.view(&conversation).await;
    assert_eq!((&view["state"], &view["turn"]["state"]), (&json!("idle"), &json!("cancelled")));
    assert_eq!(chat.llm.asked(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_a_session_ends_it_as_cancelled_in_the_parent() {
    let chat = Chat::start(vec![spawn("Wait."), say("It was stopped.")]).await;
    chat.llm.when("Wait.", vec![Reply::Silence]);
    let conversation = chat.owner.conversation().await;
    let mut stream = chat.owner.say(&conversation, "Begin.").await;
    stream.until("session").await;
    let run = run_in(&chat.owner, "sub", "running").await;
    chat.owner.do_it("POST", &format!("/api/runs/{}/stop", run["id"].as_str().unwrap()), Value::Null).await;
    assert_eq!(find(&stream.rest().await, "done").data["state"], "done");
    let view = rests(&chat.owner, &conversation, 3).await;
    assert_eq!(view["messages"][1]["steps"][0]["output"]["data"]["state"], "cancelled");
    assert!(told(&chat, "Begin.").contains("cancelled"));
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_spend_of_what_their_parent_may() {
    let chat = Chat::start(Vec::new()).await;
    agent(&chat, "lead", json!({"budget": {"tokens_per_run": 2_000}})).await;
    agent(&chat, "helper", json!({})).await;
    chat.llm.when("Lead.", vec![spawn_by("helper", "Help."), say("Never.")]);
    let much = |piece| Reply::Answer(vec![piece, Piece::Usage(1_500, 600)]);
    let sum = || Piece::Call("calculator", json!({"expression": "6 * 7"}));
    chat.llm.when("Help.", vec![much(sum()), say("Never.")]);
    let made = chat.owner.do_it("POST", "/api/conversations", json!({"agent": "lead"})).await;
    let conversation = format!("/api/conversations/{}", made["id"].as_str().unwrap());
    let events = chat.owner.say(&conversation, "Lead.").await.rest().await;
    let [lead, helper] = runs(&chat.owner).await.try_into().unwrap();
    let error = |run: &Value| run["error"].as_str().unwrap().to_owned();
    assert!(error(&helper).contains("The agent lead, which began this, has used 2,115 tokens"), "{helper}");
    assert!(error(&lead).contains("The agent lead has used 2,115 tokens for this"), "{lead}");
    assert_eq!(find(&events, "done").data["state"], "failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_with_the_key_that_its_tree_was_begun_with() {
    let chat = Chat::start(Vec::new()).await;
    chat.llm.when("Lead.", vec![begin("Help."), say("Begun."), say("Never.")]);
    let hold = std::sync::Arc::new(tokio::sync::Notify::new());
    let held =
        vec![Piece::Hold(hold.clone()), Piece::Call("calculator", json!({"expression": "6 * 7"})), Piece::Usage(1, 1)];
    chat.llm.when("Help.", vec![Reply::Answer(held), say("Never.")]);
    let key = json!({"name": "robot", "permissions": ["agents:run"], "personal": true});
    let owner = Person::sign_in(&chat.app.satchel.url, "owner").await;
    let made = owner.do_it("POST", "/api/keys", key).await;
    let robot = Person::bearer(&chat.app.satchel.url, made["token"].as_str().or(made["key"].as_str()).unwrap());
    robot.turn("Lead.").await;
    owner.do_it("DELETE", &format!("/api/keys/{}", made["id"].as_str().unwrap()), Value::Null).await;
    hold.notify_one();
    let run = run_in(&owner, "sub", "failed").await;
    assert!(run["error"].as_str().unwrap().contains("the key it was begun with was revoked"), "{run}");
    assert_eq!(chat.llm.bodies("Help.").len(), 1);
    assert_eq!(runs(&owner).await.len(), 2, "and nobody is woken with it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_narrow_key_stays_narrow_in_its_sessions() {
    let chat = Chat::start(Vec::new()).await;
    chat.llm.when("Lead.", vec![spawn("Help."), say("Over.")]);
    chat.llm.when("Help.", vec![call("write", json!({"path": "a.txt", "content": "x"})), say("Over.")]);
    let key = json!({"name": "robot", "permissions": ["agents:run"], "personal": true});
    let owner = Person::sign_in(&chat.app.satchel.url, "owner").await;
    let made = owner.do_it("POST", "/api/keys", key).await;
    let robot = Person::bearer(&chat.app.satchel.url, made["token"].as_str().or(made["key"].as_str()).unwrap());
    robot.turn("Lead.").await;
    let read = told(&chat, "Help.");
    assert!(read.contains("There is no tool 'write'"), "{read}");
}
