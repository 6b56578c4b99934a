//! The OpenAI dialect: `/chat/completions`, streamed. Many servers speak it, each a little differently.

use serde_json::{Value, json};

use super::{
    bounds::PartialCalls,
    dialect::{call, failed, functions, max_tokens, parse, put, put_some, system, text, tokens},
};
use satchel_model::{
    error::Result,
    llm::{
        ChatMessage, ChatRequest, Event, Image, Provider, StopReason, Usage,
        options::{AnswerFormat, ToolChoice},
    },
    provider::parameters::{Parameters, ReasoningEffort},
};

/// The host whose newer models take the limit of an answer by its newer name only, which other servers may not know.
const OPENAI: &str = "api.openai.com";

/// The request's body.
pub(super) fn body(provider: &Provider, chat: &ChatRequest) -> Value {
    let mut messages = Vec::new();
    let system = system(provider, chat);
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system}));
    }
    messages.extend(chat.messages.iter().flat_map(message));
    let mut body = json!({
        "model": provider.model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    // An empty list of tools is an error to some servers.
    if !chat.tools.is_empty() {
        put(&mut body, "tools", functions(&chat.tools));
    }
    let limit = if provider.base_url.host_str() == Some(OPENAI) { "max_completion_tokens" } else { "max_tokens" };
    put_some(&mut body, limit, max_tokens(provider, chat));
    let Parameters { temperature, top_p, reasoning_effort, .. } = provider.parameters;
    let wanted = &chat.options;
    put_some(&mut body, "temperature", wanted.temperature.or(temperature));
    put_some(&mut body, "top_p", wanted.top_p.or(top_p));
    let effort = wanted.reasoning_effort.as_deref().or(reasoning_effort.map(ReasoningEffort::as_str));
    put_some(&mut body, "reasoning_effort", effort);
    put_some(&mut body, "seed", wanted.seed);
    put_some(&mut body, "stop", (!wanted.stop.is_empty()).then(|| wanted.stop.clone()));
    put_some(&mut body, "response_format", wanted.format.as_ref().map(format));
    if !chat.tools.is_empty() {
        put_some(&mut body, "tool_choice", wanted.tool_choice.as_ref().map(choice));
        put_some(&mut body, "parallel_tool_calls", wanted.parallel_tool_calls);
    }
    body
}

fn format(format: &AnswerFormat) -> Value {
    match format {
        AnswerFormat::Object => json!({"type": "json_object"}),
        AnswerFormat::Schema { name, schema, strict } => {
            let mut by = json!({"name": name, "schema": schema});
            put_some(&mut by, "strict", *strict);
            json!({"type": "json_schema", "json_schema": by})
        }
    }
}

fn choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({"type": "function", "function": {"name": name}}),
    }
}

/// The tokens of an answer, as the dialect counts them.
pub(super) fn read_usage(usage: &Value) -> Usage {
    let details = |of: &str, key: &str| usage.get(of).map_or(0, |details| tokens(details, key));
    Usage {
        input_tokens: tokens(usage, "prompt_tokens"),
        output_tokens: tokens(usage, "completion_tokens"),
        cached_tokens: details("prompt_tokens_details", "cached_tokens"),
        reasoning_tokens: details("completion_tokens_details", "reasoning_tokens"),
    }
}

fn message(message: &ChatMessage) -> Vec<Value> {
    match message {
        ChatMessage::User { text, images } if images.is_empty() => vec![json!({"role": "user", "content": text})],
        ChatMessage::User { text, images } => {
            let text = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
            let parts: Vec<_> = text.into_iter().chain(images.iter().map(image)).collect();
            vec![json!({"role": "user", "content": parts})]
        }
        ChatMessage::Assistant { text, calls } => {
            let mut message = json!({"role": "assistant", "content": text});
            if !calls.is_empty() {
                let calls = calls.iter().map(|call| {
                    let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
                    json!({"id": call.id, "type": "function", "function": function})
                });
                put(&mut message, "tool_calls", calls.collect::<Value>());
            }
            vec![message]
        }
        ChatMessage::Tool { results } => results
            .iter()
            .map(|result| json!({"role": "tool", "tool_call_id": result.call, "content": result.text}))
            .collect(),
    }
}

fn image(image: &Image) -> Value {
    json!({"type": "image_url", "image_url": {"url": format!("data:{};base64,{}", image.mime, image.data)}})
}

/// Reads the frames of a stream.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    calls: Vec<Partial>,
    stop: Option<StopReason>,
    done: bool,
    ended: bool,
}

#[derive(Debug, Default)]
struct Partial {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

impl Decoder {
    pub(super) fn read(&mut self, frame: &str, events: &mut Vec<Event>) -> Result<()> {
        if frame.trim() == "[DONE]" {
            self.done = true;
            self.finish(events);
            return Ok(());
        }
        let frame = parse(frame)?;
        if let Some(error) = frame.get("error").filter(|error| !error.is_null()) {
            return Err(failed(error));
        }
        if let Some(usage) = frame.get("usage").filter(|usage| usage.is_object()) {
            events.push(Event::Usage(read_usage(usage)));
        }
        if let Some(choice) = frame.pointer("/choices/0") {
            self.choice(choice, events);
        }
        Ok(())
    }

    fn choice(&mut self, choice: &Value, events: &mut Vec<Event>) {
        let delta = choice.get("delta").unwrap_or(&Value::Null);
        match delta.get("content") {
            Some(Value::String(text)) if !text.is_empty() => events.push(Event::Text(text.clone())),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().map(|part| text(part, "text")).filter(|text| !text.is_empty());
                events.extend(texts.map(|text| Event::Text(text.to_owned())));
            }
            _ => {}
        }
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.call(call);
        }
        self.stop = match choice.get("finish_reason").and_then(Value::as_str) {
            None => self.stop,
            Some("tool_calls" | "function_call") => Some(StopReason::ToolUse),
            Some("length") => Some(StopReason::Length),
            Some("content_filter") => Some(StopReason::Filtered),
            Some(_) => Some(StopReason::Complete),
        };
    }

    fn call(&mut self, delta: &Value) {
        let index = delta.get("index").and_then(Value::as_u64).unwrap_or(0);
        let id = text(delta, "id");
        let function = delta.get("function").unwrap_or(&Value::Null);
        // Some servers number every call 0 and tell them apart by id.
        let known = self.calls.iter_mut().rev().find(|partial| partial.index == index);
        let partial = match known.filter(|partial| id.is_empty() || partial.id == id) {
            Some(partial) => partial,
            None => self.calls.push_mut(Partial { index, id: id.to_owned(), ..Partial::default() }),
        };
        partial.name.push_str(text(function, "name"));
        match function.get("arguments") {
            Some(Value::String(piece)) => partial.arguments.push_str(piece),
            Some(whole @ Value::Object(_)) => partial.arguments = whole.to_string(),
            _ => {}
        }
    }

    /// The calls that are not complete.
    pub(super) fn unfinished(&self) -> PartialCalls {
        let bytes = self.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
        PartialCalls { calls: self.calls.len(), bytes }
    }

    /// Gives out the calls and the end, once; false where the stream ended too early.
    pub(super) fn finish(&mut self, events: &mut Vec<Event>) -> bool {
        if self.ended {
            return true;
        }
        if !self.done && self.stop.is_none() {
            return false;
        }
        self.ended = true;
        let stop = match self.stop {
            Some(StopReason::Complete) | None if !self.calls.is_empty() => StopReason::ToolUse,
            stop => stop.unwrap_or(StopReason::Complete),
        };
        for partial in self.calls.drain(..) {
            events.push(Event::ToolCall(call(partial.id, partial.name, &partial.arguments)));
        }
        events.push(Event::Stop(stop));
        true
    }
}
