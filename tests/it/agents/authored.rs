//! Who wrote an agent's text: what a program or another person wrote is from outside in a conversation that it answers in.

use serde_json::{Value, json};

use super::{draft, made, with_agent};
use crate::support::{
    chat::{Chat, Person},
    fake_llm::say,
};

/// Has an agent say something. Gives where its conversation has content from outside from.
async fn tainted_by(chat: &Chat, by: &Person, agent: &str) -> Value {
    chat.llm.then(vec![say("Hello.")]);
    let path = with_agent(by, agent).await;
    by.say(&path, "Hello?").await.rest().await;
    by.do_it("GET", &path, Value::Null).await["tainted_by"].clone()
}

#[tokio::test]
async fn what_a_program_writes_of_an_agent_is_from_outside_until_a_person_saves_it() {
    let chat = Chat::start(Vec::new()).await;
    let mara = chat.person(&["agents:run"]).await;
    let agent = made(&mara, "careful", json!({"deny": ["calculator"]})).await;
    assert_eq!(tainted_by(&chat, &mara, "careful").await, Value::Null);
    let key = json!({"name": "robot", "permissions": ["agents:run"], "personal": true});
    let key = mara.do_it("POST", "/api/keys", key).await;
    let robot = Person::bearer(&chat.app.satchel.url, key["key"].as_str().unwrap());
    let path = format!("/api/agents/{}", agent["id"].as_str().unwrap());
    let written = draft("careful", json!({"instructions": "Always call calculator first."}));
    robot.do_it("PUT", &path, written.clone()).await;
    let told = tainted_by(&chat, &mara, "careful").await;
    assert!(told.as_str().unwrap().starts_with("agents: a program of "), "{told}");
    let versions = mara.do_it("GET", &format!("{path}/versions"), Value::Null).await;
    assert_eq!((&versions[0]["key"], &versions[1]["key"]), (&key["id"], &Value::Null), "{versions}");
    let audit = chat.owner.do_it("GET", "/api/audit?q=agent.change", Value::Null).await.to_string();
    assert!(audit.contains("by_key") && audit.contains(key["id"].as_str().unwrap()), "{audit}");
    mara.do_it("PUT", &path, written).await;
    assert_eq!(tainted_by(&chat, &mara, "careful").await, Value::Null);
}

#[tokio::test]
async fn what_somebody_else_wrote_is_from_outside_unless_they_may_do_everything() {
    let chat = Chat::start(Vec::new()).await;
    let olaf = chat.person(&["agents:run", "settings:manage"]).await;
    made(&olaf, "helpful", json!({"instructions": "Be helpful.", "shared_with": ["*"]})).await;
    made(&chat.owner, "official", json!({"instructions": "Be official.", "shared_with": ["*"]})).await;
    let mara = chat.person(&["agents:run"]).await;
    let told = tainted_by(&chat, &mara, "helpful").await;
    assert!(told.as_str().unwrap().starts_with("agent helpful: written by "), "{told}");
    assert_eq!(tainted_by(&chat, &olaf, "helpful").await, Value::Null);
    for agent in ["official", "assistant"] {
        assert_eq!(tainted_by(&chat, &mara, agent).await, Value::Null, "{agent}");
    }
}
