//! Tools that a program runs itself, their calls and their results, as every dialect has them.

use std::sync::Arc;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::images::wrong;
use satchel_model::{
    error::Result,
    llm::{ChatMessage, ToolCall, ToolDefinition, ToolResult, options::Brief},
};

/// Most tools of a program's own.
const TOOLS: usize = 512;
/// Most bytes of them, and of its instructions.
const BYTES: usize = 1 << 20;

/// A tool of a program's own.
#[derive(Debug, Deserialize)]
pub(super) struct Function {
    pub(super) name: String,
    #[serde(default)]
    pub(super) description: Option<String>,
    /// The schema of its arguments.
    #[serde(default, alias = "input_schema")]
    pub(super) parameters: Option<Map<String, Value>>,
}

impl Function {
    /// The tool, as models are shown it.
    ///
    /// # Errors
    ///
    /// If its name is none that models take.
    pub(super) fn read(self, field: &str) -> Result<ToolDefinition> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let Self { name, description, parameters } = self;
        if name.is_empty() || name.len() > 64 || !name.chars().all(is_name) {
            return Err(wrong(&format!("{field}.name"), "a tool's name is 1 to 64 letters, digits, _ and -"));
        }
        let parameters = parameters.unwrap_or_else(|| {
            let mut none = Map::new();
            none.insert("type".to_owned(), "object".into());
            none.insert("properties".to_owned(), json!({}));
            none
        });
        let parameters = Arc::new(Value::Object(parameters));
        Ok(ToolDefinition { name, description: description.unwrap_or_default(), parameters })
    }
}

/// Checks what a program brings beside its messages.
///
/// # Errors
///
/// If that is more than is taken.
pub(super) fn ensure_bounded(brief: &Brief) -> Result<()> {
    if brief.tools.len() > TOOLS {
        return Err(wrong("tools", &format!("at most {TOOLS} tools are taken")));
    }
    let one = |tool: &ToolDefinition| tool.description.len() + tool.parameters.to_string().len();
    if brief.tools.iter().map(one).sum::<usize>() > BYTES {
        return Err(wrong("tools", "the tools have more than 1 MB together"));
    }
    if brief.instructions.len() > BYTES {
        return Err(wrong("messages", "the instructions have more than 1 MB"));
    }
    Ok(())
}

/// Adds a result to those of the same message.
pub(super) fn add_result(messages: &mut Vec<ChatMessage>, mut result: ToolResult) {
    let calls = messages.iter().rev().find_map(|message| match message {
        ChatMessage::Assistant { calls, .. } => Some(calls),
        ChatMessage::User { .. } | ChatMessage::Tool { .. } => None,
    });
    if let Some(call) = calls.and_then(|calls| calls.iter().find(|call| call.id == result.call)) {
        result.name.clone_from(&call.name);
    }
    match messages.last_mut() {
        Some(ChatMessage::Tool { results }) => results.push(result),
        _ => messages.push(ChatMessage::Tool { results: vec![result] }),
    }
}

/// Arguments as a client repeats them; what is no object is kept as text.
pub(super) fn read_arguments(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => object,
        _ if text.trim().is_empty() => json!({}),
        _ => json!({"input": text}),
    }
}

/// Adds calls that were run here before, with what came of them: a client that keeps what was said repeats them.
pub(super) fn add_run(messages: &mut Vec<ChatMessage>, (calls, results): (Vec<ToolCall>, Vec<ToolResult>)) {
    let came = |call: &ToolCall| results.iter().any(|result| result.call == call.id);
    let calls: Vec<ToolCall> = calls.into_iter().filter(came).collect();
    if calls.is_empty() {
        return;
    }
    let ids: Vec<String> = calls.iter().map(|call| call.id.clone()).collect();
    messages.push(ChatMessage::Assistant { text: String::new(), calls });
    for result in results.into_iter().filter(|result| ids.contains(&result.call)) {
        add_result(messages, result);
    }
}

/// A value as a type has it.
///
/// # Errors
///
/// If it is none such: the field is named.
pub(super) fn typed<T: DeserializeOwned>(value: Value, field: &str) -> Result<T> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { field.to_owned() } else { format!("{field}.{path}") };
        wrong(&field, &error.inner().to_string())
    })
}
