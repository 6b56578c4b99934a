//! Rules for the calls of an agent: a refusal and a question hold for all that it begins, a yes for itself alone.

use serde_json::{Value, json};

use super::stage::{agent, run_in, spawn_by, told};
use crate::support::{
    chat::{Chat, Person},
    fake_llm::{call, say},
};

async fn rule(person: &Person, tool: &str, decision: &str, (agent, when): (&Value, Value)) {
    let rule = json!({"tool": tool, "decision": decision, "when": when, "agent": agent["id"]});
    person.do_it("POST", "/api/rules", rule).await;
}

async fn with(person: &Person, agent: &str) -> String {
    let made = person.do_it("POST", "/api/conversations", json!({"agent": agent})).await;
    format!("/api/conversations/{}", made["id"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_denies_an_agent_holds_in_the_sessions_that_it_begins() {
    let chat = Chat::start(Vec::new()).await;
    let lead = agent(&chat, "lead", json!({})).await;
    agent(&chat, "helper", json!({})).await;
    rule(&chat.owner, "calculator", "deny", (&lead, json!({"/expression": {"equals": "6 * 7"}}))).await;
    chat.llm.when("Lead.", vec![spawn_by("helper", "Help."), say("Over.")]);
    chat.llm.when("Help.", vec![call("calculator", json!({"expression": "6 * 7"})), say("Over.")]);
    let conversation = with(&chat.owner, "lead").await;
    chat.owner.say(&conversation, "Lead.").await.rest().await;
    assert!(told(&chat, "Help.").contains("A rule of owner refuses"), "{}", told(&chat, "Help."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_to_an_agent_is_none_to_another_one_that_has_it_do_something() {
    let chat = Chat::start(Vec::new()).await;
    agent(&chat, "lead", json!({})).await;
    let helper = agent(&chat, "helper", json!({})).await;
    let mara = chat.person(&["host:fs.write", "agents:run"]).await;
    let when = json!({"/path": {"equals": "a.txt"}, "/content": {"equals": "x"}});
    rule(&mara, "write", "allow", (&helper, when)).await;
    let write = || call("write", json!({"path": "a.txt", "content": "x"}));
    // By itself, and in a session that it begins of itself.
    chat.llm.when("Help alone.", vec![write(), spawn_by("helper", "Help yourself."), say("Over.")]);
    chat.llm.when("Help yourself.", vec![write(), say("Over.")]);
    let conversation = with(&mara, "helper").await;
    mara.say(&conversation, "Help alone.").await.rest().await;
    assert_eq!(mara.view(&conversation).await["turn"]["state"], "done");
    assert!(mara.do_it("GET", "/api/tickets", Value::Null).await.as_array().unwrap().is_empty());
    // Where another one begins it, its person is asked.
    chat.llm.when("Lead.", vec![spawn_by("helper", "Help."), say("Over.")]);
    chat.llm.when("Help.", vec![write(), say("Over.")]);
    let conversation = with(&mara, "lead").await;
    mara.say(&conversation, "Lead.").await;
    run_in(&mara, "sub", "waiting").await;
    assert_eq!(mara.do_it("GET", "/api/tickets", Value::Null).await.as_array().unwrap().len(), 1);
}
