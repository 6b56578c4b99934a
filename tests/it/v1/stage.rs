//! Programs that ask over `/v1`, and what they read.

use serde_json::{Value, json};

use crate::support::chat::{Chat, Person};

/// A key of somebody's with exactly this, and the program that has it.
pub async fn program(chat: &Chat, of: &Person, key: Value) -> Person {
    Person::bearer(&chat.app.satchel.url, &self::key(of, key).await)
}

/// A new key of somebody's.
pub async fn key(of: &Person, mut key: Value) -> String {
    key["name"] = json!("a program");
    of.do_it("POST", "/api/keys", key).await["key"].as_str().unwrap().to_owned()
}

/// A program of the owner's, which may do what they may.
pub async fn own(chat: &Chat) -> Person {
    program(chat, &chat.owner, json!({})).await
}

/// A request for a chat completion.
pub fn asking(model: &str, text: &str) -> Value {
    json!({"model": model, "messages": [{"role": "user", "content": text}]})
}

/// A frame of a stream: its event, if it has one, and its data.
pub type Frame = (Option<String>, Value);

/// Asks for a stream and reads it to its end.
pub async fn stream(program: &Person, path: &str, mut body: Value) -> Vec<Frame> {
    body["stream"] = json!(true);
    let (status, text) = program.ask("POST", path, body).await;
    assert_eq!(status, 200, "{text}");
    frames(text.as_str().unwrap_or_else(|| panic!("no stream: {text}")))
}

/// The frames of a stream, comments left out.
pub fn frames(text: &str) -> Vec<Frame> {
    let frame = |frame: &str| {
        let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let data = field("data: ")?;
        Some((field("event: "), serde_json::from_str(&data).unwrap_or(Value::String(data))))
    };
    text.split("\n\n").filter_map(frame).collect()
}

/// The text of a streamed chat completion.
pub fn said(frames: &[Frame]) -> String {
    frames.iter().filter_map(|(_, data)| data["choices"][0]["delta"]["content"].as_str()).collect()
}

/// The rows of the audit through a door, the newest first.
pub async fn audited(chat: &Chat, door: &str) -> Vec<Value> {
    let rows = chat.owner.do_it("GET", &format!("/api/audit?door={door}"), Value::Null).await;
    rows["entries"].as_array().unwrap_or_else(|| panic!("{rows}")).clone()
}
