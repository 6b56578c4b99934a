//! Agents: what is kept of them, who sees them, and that turns keep to them.

mod authored;
mod bounds;
mod chosen;
mod kept;
mod spends;

use serde_json::{Value, json};

use crate::support::chat::{Chat, Person};

/// A draft with this name and these parts.
fn draft(name: &str, parts: Value) -> Value {
    let mut draft = json!({"name": name});
    draft.as_object_mut().unwrap().extend(parts.as_object().unwrap().clone());
    draft
}

/// Makes an agent.
async fn made(by: &Person, name: &str, parts: Value) -> Value {
    by.do_it("POST", "/api/agents", draft(name, parts)).await
}

/// Begins a conversation with an agent. Gives its path.
pub(crate) async fn with_agent(by: &Person, agent: &str) -> String {
    let conversation = by.do_it("POST", "/api/conversations", json!({"agent": agent})).await;
    format!("/api/conversations/{}", conversation["id"].as_str().unwrap())
}

/// Puts a request and expects it to be refused. Gives the status and what is said.
async fn refused(by: &Person, method: &str, path: &str, body: Value) -> (u16, String) {
    let (status, problem) = by.ask(method, path, body).await;
    assert!(status >= 400, "{method} {path}: {status} {problem}");
    (status, problem["detail"].as_str().unwrap_or_default().to_owned())
}

/// The instructions that a request to the model began with.
fn system(chat: &Chat, number: usize) -> String {
    chat.llm.body(number)["messages"][0]["content"].as_str().unwrap().to_owned()
}

/// The names of the tools that a request showed the model.
fn shown(chat: &Chat, number: usize) -> Vec<String> {
    let body = chat.llm.body(number);
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}
