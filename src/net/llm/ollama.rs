//! The Ollama dialect: `/api/chat`, one JSON object a line.

use serde_json::{Value, json};

use super::dialect::{call, failed, fresh_id, functions, max_tokens, parse, put, put_some, system, text, tokens};
use satchel_model::{
    error::Result,
    llm::{ChatMessage, ChatRequest, Event, Provider, StopReason, ToolCall, Usage, options::AnswerFormat},
    provider::parameters::{Parameters, ReasoningEffort},
};

/// The request's body.
pub(super) fn body(provider: &Provider, chat: &ChatRequest) -> Value {
    let mut messages = Vec::new();
    let system = system(provider, chat);
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system}));
    }
    messages.extend(chat.messages.iter().flat_map(message));
    let Parameters { temperature, top_p, reasoning_effort, .. } = provider.parameters;
    let mut options = json!({});
    // Unless told, the server cuts the conversation to a few thousand tokens without a word.
    put_some(&mut options, "num_ctx", provider.context_tokens);
    put_some(&mut options, "num_predict", max_tokens(provider, chat));
    let wanted = &chat.options;
    put_some(&mut options, "temperature", wanted.temperature.or(temperature));
    put_some(&mut options, "top_p", wanted.top_p.or(top_p));
    put_some(&mut options, "seed", wanted.seed);
    put_some(&mut options, "stop", (!wanted.stop.is_empty()).then(|| wanted.stop.clone()));
    let mut body = json!({"model": provider.model, "messages": messages, "stream": true, "options": options});
    if !chat.tools.is_empty() {
        put(&mut body, "tools", functions(&chat.tools));
    }
    match wanted.reasoning_effort.as_deref().or(reasoning_effort.map(ReasoningEffort::as_str)) {
        None => {}
        Some("none") => put(&mut body, "think", false),
        Some(effort) => put(&mut body, "think", effort),
    }
    match &wanted.format {
        None => {}
        Some(AnswerFormat::Object) => put(&mut body, "format", "json"),
        Some(AnswerFormat::Schema { schema, .. }) => put(&mut body, "format", schema.clone()),
    }
    body
}

fn message(message: &ChatMessage) -> Vec<Value> {
    match message {
        ChatMessage::User { text, images } => {
            let mut message = json!({"role": "user", "content": text});
            if !images.is_empty() {
                put(&mut message, "images", images.iter().map(|image| &*image.data).collect::<Value>());
            }
            vec![message]
        }
        ChatMessage::Assistant { text, calls } => {
            let mut message = json!({"role": "assistant", "content": text});
            if !calls.is_empty() {
                let calls =
                    calls.iter().map(|call| json!({"function": {"name": call.name, "arguments": call.arguments}}));
                put(&mut message, "tool_calls", calls.collect::<Value>());
            }
            vec![message]
        }
        ChatMessage::Tool { results } => results
            .iter()
            .map(|result| json!({"role": "tool", "tool_name": result.name, "content": result.text}))
            .collect(),
    }
}

/// Reads the lines of a stream.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    called: bool,
    ended: bool,
}

impl Decoder {
    pub(super) fn read(&mut self, line: &str, events: &mut Vec<Event>) -> Result<()> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let frame = parse(line)?;
        if let Some(error) = frame.get("error") {
            return Err(failed(error));
        }
        if let Some(message) = frame.get("message") {
            let words = text(message, "content");
            if !words.is_empty() {
                events.push(Event::Text(words.to_owned()));
            }
            for wanted in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
                self.called = true;
                events.push(Event::ToolCall(tool_call(wanted)));
            }
        }
        if frame.get("done").and_then(Value::as_bool) == Some(true) {
            self.ended = true;
            let usage = Usage::new(tokens(&frame, "prompt_eval_count"), tokens(&frame, "eval_count"));
            events.push(Event::Usage(usage));
            events.push(Event::Stop(match text(&frame, "done_reason") {
                "length" => StopReason::Length,
                _ if self.called => StopReason::ToolUse,
                _ => StopReason::Complete,
            }));
        }
        Ok(())
    }

    pub(super) fn is_whole(&self) -> bool {
        self.ended
    }
}

fn tool_call(wanted: &Value) -> ToolCall {
    let function = wanted.get("function").unwrap_or(&Value::Null);
    let id = match text(wanted, "id") {
        "" => fresh_id(),
        id => id.to_owned(),
    };
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    call(id, text(function, "name").to_owned(), &arguments)
}
