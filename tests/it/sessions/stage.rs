//! Calls that begin sessions, and what is seen of them.

use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, Person, results},
    fake_llm::{Reply, call},
    library::pause,
};

/// A call that begins a session and waits for it.
pub fn spawn(task: &str) -> Reply {
    call("sessions_spawn", json!({"task": task, "blocking": true}))
}

/// A call that has this agent do it.
pub fn spawn_by(agent: &str, task: &str) -> Reply {
    call("sessions_spawn", json!({"task": task, "agent_id": agent, "blocking": true}))
}

/// A call that begins a session and does not wait.
pub fn begin(task: &str) -> Reply {
    call("sessions_spawn", json!({"task": task}))
}

/// The runs of a person, the first begun first.
pub async fn runs(person: &Person) -> Vec<Value> {
    let mut runs = person.do_it("GET", "/api/runs", Value::Null).await.as_array().unwrap().clone();
    runs.reverse();
    runs
}

/// Waits until a run of this kind is in a state.
pub async fn run_in(person: &Person, kind: &str, state: &str) -> Value {
    loop {
        let found = person.do_it("GET", &format!("/api/runs?kind={kind}&state={state}"), Value::Null).await;
        if let Some(run) = found.as_array().unwrap().first() {
            return run.clone();
        }
        pause().await;
    }
}

/// Waits until a conversation has so many messages and nothing is under way in it.
pub async fn rests(person: &Person, conversation: &str, messages: usize) -> Value {
    loop {
        let view = person.view(conversation).await;
        if view["messages"].as_array().unwrap().len() >= messages && view["state"] == "idle" {
            return view;
        }
        pause().await;
    }
}

/// The path of a run's conversation.
pub fn path(run: &Value) -> String {
    format!("/api/conversations/{}", run["conversation"].as_str().unwrap())
}

/// Everything that the last request of a conversation with these words told the model of its calls.
pub fn told(chat: &Chat, words: &str) -> String {
    results(chat.llm.bodies(words).last().unwrap()).join("\n")
}

/// Lets sessions begin and steer others.
pub async fn lift(chat: &Chat) {
    chat.owner.do_it("PUT", "/api/policies", json!({"subagent": {"deny": []}})).await;
}

/// Makes an agent that everybody may use.
pub async fn agent(chat: &Chat, name: &str, parts: Value) -> Value {
    let mut draft = json!({"name": name, "shared_with": ["*"]});
    draft.as_object_mut().unwrap().extend(parts.as_object().unwrap().clone());
    chat.owner.do_it("POST", "/api/agents", draft).await
}
