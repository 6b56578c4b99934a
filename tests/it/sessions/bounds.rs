//! Rights at each step: of the person, the agent that asks and every agent above it, whoever's layers say so.

use serde_json::{Value, json};

use super::stage::{agent, lift, runs, spawn_by, told};
use crate::support::{
    chat::{Chat, Person},
    fake_llm::{call, calls, say},
};

fn tries() -> Vec<(&'static str, Value)> {
    vec![
        ("calculator", json!({"expression": "6 * 7"})),
        ("write", json!({"path": "a.txt", "content": "x"})),
        ("read", json!({"path": "a.txt"})),
        ("clipboard_read", json!({})),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn each_level_loses_what_it_is_denied_and_all_below_it_do() {
    let chat = Chat::start(Vec::new()).await;
    lift(&chat).await;
    agent(&chat, "first", json!({"deny": ["write"]})).await;
    agent(&chat, "second", json!({"max_risk": "low_write", "deny": ["read"]})).await;
    agent(&chat, "third", json!({"deny": ["clipboard_read"]})).await;
    chat.llm.when("Level 0", vec![calls(tries()), spawn_by("first", "Level 1"), say("Over.")]);
    chat.llm.when("Level 1", vec![calls(tries()), spawn_by("second", "Level 2"), say("Over.")]);
    chat.llm.when("Level 2", vec![calls(tries()), spawn_by("third", "Level 3"), say("Over.")]);
    chat.llm.when("Level 3", vec![calls(tries()), say("Over.")]);
    chat.owner.turn("Level 0").await;
    let refused = |level: &str| -> Vec<bool> {
        let request = chat.llm.bodies(level)[1].clone();
        let read = crate::support::chat::results(&request);
        read.iter().take(4).map(|text| text.contains("may not make this call")).collect()
    };
    assert_eq!(refused("Level 0"), [false, false, false, false]);
    assert_eq!(refused("Level 1"), [false, true, false, false]);
    assert_eq!(refused("Level 2"), [false, true, true, false]);
    assert_eq!(refused("Level 3"), [false, true, true, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_policy_layers_of_the_agents_above_hold_as_well() {
    let chat = Chat::start(Vec::new()).await;
    agent(&chat, "helper", json!({})).await;
    let policies = json!({"agent": {"assistant": {"deny": ["calculator"]}}, "subagent": {"deny": []}});
    chat.owner.do_it("PUT", "/api/policies", policies).await;
    chat.llm.when("Lead.", vec![spawn_by("helper", "Help."), say("Over.")]);
    chat.llm.when("Help.", vec![calls(tries()), say("Over.")]);
    chat.owner.turn("Lead.").await;
    let read = told(&chat, "Help.");
    assert!(read.contains("The policy layer 'agent' denies calculator"), "{read}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_agent_may_begin_sessions_from_its_session_where_the_policy_says_so_of_it() {
    let chat = Chat::start(Vec::new()).await;
    let lead = agent(&chat, "lead", json!({})).await;
    agent(&chat, "other", json!({})).await;
    let policies = json!({"agent_subagent": {lead["id"].as_str().unwrap(): {"deny": ["calculator"]}}});
    chat.owner.do_it("PUT", "/api/policies", policies).await;
    let tries = || calls(vec![("calculator", json!({"expression": "1"})), ("agents_list", json!({}))]);
    for name in ["lead", "other"] {
        let (above, task) = (format!("Begin {name}."), format!("Be {name}."));
        chat.llm.when(&above, vec![spawn_by(name, &task), say("Over.")]);
        chat.llm.when(&task, vec![tries(), say("Over.")]);
        chat.owner.turn(&above).await;
    }
    let (lead, other) = (told(&chat, "Be lead."), told(&chat, "Be other."));
    assert!(lead.contains("The policy layer 'subagent' denies calculator"), "{lead}");
    assert!(!lead.contains("denies agents_list"), "{lead}");
    assert!(other.contains("The policy layer 'subagent' denies agents_list"), "{other}");
    assert!(!other.contains("denies calculator"), "{other}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_without_the_permission_begins_no_session() {
    let chat = Chat::start(Vec::new()).await;
    chat.llm.when("Lead.", vec![super::stage::spawn("Help."), say("Over.")]);
    let mara: Person = chat.person(&[]).await;
    mara.turn("Lead.").await;
    assert!(told(&chat, "Lead.").contains("There is no tool 'sessions_spawn'"), "{}", told(&chat, "Lead."));
    assert!(chat.llm.bodies("Help.").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_keeps_the_bounds_that_it_was_begun_within_whoever_writes_to_it() {
    let chat = Chat::start(Vec::new()).await;
    agent(&chat, "reader", json!({"deny": ["write"]})).await;
    chat.llm.when("Read.", vec![spawn_by("assistant", "Help."), say("Over.")]);
    chat.llm.when("Help.", vec![say("Ready."), calls(tries()), say("Over."), calls(tries()), say("Over.")]);
    let (conversation, _) = chat.owner.turn("@reader Read.").await;
    let child = runs(&chat.owner).await[1]["conversation"].as_str().unwrap().to_owned();
    let key = format!("agent:assistant:sub:{child}");
    for message in ["Now do it.", "And again."] {
        let send = call("sessions_send", json!({"session_key": key, "message": message}));
        chat.llm.replace_part("Read.", vec![send, say("Over.")]);
        // The assistant answers, which has no bounds of its own.
        chat.owner.say(&conversation, "Have it done.").await.rest().await;
        let read = told(&chat, "Help.");
        let last = read.rsplit("[TOOL:calculator]").next().unwrap();
        assert!(last.contains("The agent reader may not make this call of write"), "{message}: {last}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_leaves_its_layers_by_no_job() {
    let chat = Chat::start(Vec::new()).await;
    chat.owner.do_it("PUT", "/api/policies", json!({"subagent": {"deny": ["calculator"]}})).await;
    chat.llm.when("Lead.", vec![super::stage::spawn("Help."), say("Over.")]);
    let task = json!({"action": "create", "schedule": "* * * * *", "task": "Add up one and one."});
    chat.llm.when("Help.", vec![calls(vec![("schedule", task)]), say("Over.")]);
    chat.owner.turn("Lead.").await;
    let read = told(&chat, "Help.");
    assert!(read.contains("An agent in a session makes no jobs"), "{read}");
    assert_eq!(chat.owner.do_it("GET", "/api/jobs", Value::Null).await, json!([]));
}
