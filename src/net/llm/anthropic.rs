//! The Anthropic dialect: `/messages`, streamed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    bounds::PartialCalls,
    dialect::{call, failed, max_tokens, parse, put, put_some, system, text, tokens},
};
use satchel_model::{
    error::Result,
    llm::{
        ChatMessage, ChatRequest, Event, Provider, StopReason, Usage,
        options::{AnswerFormat, RequestOptions, ToolChoice},
    },
    provider::parameters::{Parameters, ReasoningEffort},
};

/// The dialect demands a limit; this one every model of it accepts.
const MAX_TOKENS: u32 = 4_096;

/// The request's body.
pub(super) fn body(provider: &Provider, chat: &ChatRequest) -> Value {
    let mut body = json!({
        "model": provider.model,
        "messages": messages(&chat.messages),
        "max_tokens": max_tokens(provider, chat).unwrap_or(MAX_TOKENS),
        "stream": true,
    });
    let system = system(provider, chat);
    if !system.is_empty() {
        put(&mut body, "system", system);
    }
    let Parameters { temperature, top_p, reasoning_effort, .. } = provider.parameters;
    let wanted = &chat.options;
    put_some(&mut body, "temperature", wanted.temperature.or(temperature));
    put_some(&mut body, "top_p", wanted.top_p.or(top_p));
    put_some(&mut body, "stop_sequences", (!wanted.stop.is_empty()).then(|| wanted.stop.clone()));
    let mut config = json!({});
    match wanted.reasoning_effort.as_deref().or(reasoning_effort.map(ReasoningEffort::as_str)) {
        None => {}
        Some("none") => put(&mut body, "thinking", json!({"type": "disabled"})),
        Some(effort) => put(&mut config, "effort", effort),
    }
    if let Some(AnswerFormat::Schema { schema, .. }) = &wanted.format {
        put(&mut config, "format", json!({"type": "json_schema", "schema": schema}));
    }
    if config != json!({}) {
        put(&mut body, "output_config", config);
    }
    if !chat.tools.is_empty() {
        let tools = chat
            .tools
            .iter()
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters}));
        put(&mut body, "tools", tools.collect::<Value>());
        put_some(&mut body, "tool_choice", choice(&chat.options));
    }
    body
}

fn choice(wanted: &RequestOptions) -> Option<Value> {
    let one_at_a_time = wanted.parallel_tool_calls == Some(false);
    let mut choice = match &wanted.tool_choice {
        None if one_at_a_time => json!({"type": "auto"}),
        None => return None,
        Some(ToolChoice::Auto) => json!({"type": "auto"}),
        Some(ToolChoice::None) => return Some(json!({"type": "none"})),
        Some(ToolChoice::Required) => json!({"type": "any"}),
        Some(ToolChoice::Tool(name)) => json!({"type": "tool", "name": name}),
    };
    if one_at_a_time {
        put(&mut choice, "disable_parallel_tool_use", true);
    }
    Some(choice)
}

/// The tokens of an answer, as the dialect counts them.
pub(super) fn read_usage(usage: &Value) -> Usage {
    let input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    Usage {
        input_tokens: input.into_iter().map(|key| tokens(usage, key)).sum(),
        output_tokens: tokens(usage, "output_tokens"),
        cached_tokens: tokens(usage, "cache_read_input_tokens"),
        reasoning_tokens: usage.get("output_tokens_details").map_or(0, |details| tokens(details, "thinking_tokens")),
    }
}

/// Neighbours of one role are joined: the dialect wants the roles to take turns.
fn messages(messages: &[ChatMessage]) -> Vec<Value> {
    let mut joined: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = blocks(message);
        match joined.last_mut() {
            Some((last, kept)) if *last == role => kept.extend(blocks),
            _ => joined.push((role, blocks)),
        }
    }
    joined
        .into_iter()
        .filter(|(_, blocks)| !blocks.is_empty())
        .map(|(role, blocks)| json!({"role": role, "content": blocks}))
        .collect()
}

fn blocks(message: &ChatMessage) -> (&'static str, Vec<Value>) {
    // An empty text block is refused.
    let words = |text: &str| (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}));
    match message {
        ChatMessage::User { text, images } => {
            let images = images.iter().map(|image| {
                let source = json!({"type": "base64", "media_type": image.mime, "data": image.data});
                json!({"type": "image", "source": source})
            });
            ("user", images.chain(words(text)).collect())
        }
        ChatMessage::Assistant { text, calls } => {
            let calls = calls
                .iter()
                .map(|call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}));
            ("assistant", words(text).into_iter().chain(calls).collect())
        }
        ChatMessage::Tool { results } => {
            let results = results.iter().map(|result| {
                json!({
                    "type": "tool_result",
                    "tool_use_id": result.call,
                    "content": result.text,
                    "is_error": result.failed,
                })
            });
            ("user", results.collect())
        }
    }
}

/// Reads the frames of a stream.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    calls: BTreeMap<u64, (String, String, String)>,
    usage: Usage,
    stop: Option<StopReason>,
    ended: bool,
}

impl Decoder {
    pub(super) fn read(&mut self, frame: &str, events: &mut Vec<Event>) -> Result<()> {
        let frame = parse(frame)?;
        let index = tokens(&frame, "index");
        match text(&frame, "type") {
            "error" => return Err(failed(frame.get("error").unwrap_or(&Value::Null))),
            "message_start" => self.usage(frame.pointer("/message/usage"), events),
            "content_block_start" => self.start(index, &frame, events),
            "content_block_delta" => self.delta(index, &frame, events),
            "content_block_stop" => {
                if let Some((id, name, arguments)) = self.calls.remove(&index) {
                    events.push(Event::ToolCall(call(id, name, &arguments)));
                }
            }
            "message_delta" => {
                self.stop = match frame.pointer("/delta/stop_reason").and_then(Value::as_str) {
                    None => self.stop,
                    Some("tool_use") => Some(StopReason::ToolUse),
                    Some("max_tokens" | "model_context_window_exceeded") => Some(StopReason::Length),
                    Some("refusal") => Some(StopReason::Filtered),
                    Some(_) => Some(StopReason::Complete),
                };
                self.usage(frame.get("usage"), events);
            }
            "message_stop" => {
                self.ended = true;
                events.push(Event::Stop(self.stop.unwrap_or(StopReason::Complete)));
            }
            _ => {}
        }
        Ok(())
    }

    fn usage(&mut self, usage: Option<&Value>, events: &mut Vec<Event>) {
        let Some(usage) = usage else { return };
        let Usage { input_tokens, output_tokens, cached_tokens, reasoning_tokens } = read_usage(usage);
        let so_far = &mut self.usage;
        so_far.input_tokens = so_far.input_tokens.max(input_tokens);
        so_far.output_tokens = so_far.output_tokens.max(output_tokens);
        so_far.cached_tokens = so_far.cached_tokens.max(cached_tokens);
        so_far.reasoning_tokens = so_far.reasoning_tokens.max(reasoning_tokens);
        events.push(Event::Usage(self.usage));
    }

    fn start(&mut self, index: u64, frame: &Value, events: &mut Vec<Event>) {
        let Some(block) = frame.get("content_block") else { return };
        match text(block, "type") {
            "tool_use" => {
                let id = text(block, "id").to_owned();
                self.calls.insert(index, (id, text(block, "name").to_owned(), String::new()));
            }
            "text" if !text(block, "text").is_empty() => events.push(Event::Text(text(block, "text").to_owned())),
            _ => {}
        }
    }

    fn delta(&mut self, index: u64, frame: &Value, events: &mut Vec<Event>) {
        let Some(delta) = frame.get("delta") else { return };
        match text(delta, "type") {
            "text_delta" => events.push(Event::Text(text(delta, "text").to_owned())),
            "input_json_delta" => {
                if let Some((_, _, arguments)) = self.calls.get_mut(&index) {
                    arguments.push_str(text(delta, "partial_json"));
                }
            }
            _ => {}
        }
    }

    /// The calls that are not complete.
    pub(super) fn unfinished(&self) -> PartialCalls {
        let bytes = self.calls.values().map(|(_, name, arguments)| name.len() + arguments.len()).sum();
        PartialCalls { calls: self.calls.len(), bytes }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.ended
    }
}
